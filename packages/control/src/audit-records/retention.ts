import { deleteAuditOfPlan } from '@tributary/api-kit'
import type { ControlDeps } from '../deps.ts'

/** Number of days for which audit records are stored, by plan. `*` stands for every other plan, null for no limit. */
export type AuditRetention = Readonly<Record<string, number | null>>

/** The default retention of an installation with paid plans. */
export const defaultAuditRetention: AuditRetention = {
  'plans/free': 90,
  'plans/team': 365,
  'plans/business': 730,
  '*': null,
}

/**
 * Reads a retention setting such as `plans/free=90,*=forever`. Throws an Error that describes what is wrong with the
 * text.
 */
export const readAuditRetention = (text: string): AuditRetention =>
  Object.fromEntries(
    text.split(',').map((part) => {
      const [, plan = '', days = ''] = /^\s*(plans\/[a-z0-9-]{1,50}|\*)=(forever|[1-9]\d{0,4})\s*$/.exec(part) ?? []
      if (plan === '') throw new Error('must be like plans/free=90,*=forever, in days')
      return [plan, days === 'forever' ? null : Number(days)]
    }),
  )

/** Returns the number of days for which the records of an organization with this plan are stored; null for no limit. */
export const retentionOf = (retention: AuditRetention, plan: string): number | null =>
  Object.hasOwn(retention, plan) ? (retention[plan] ?? null) : (retention['*'] ?? null)

const dayMs = 24 * 60 * 60_000

/** Removes the audit records that are older than the plan of their organization allows. */
export const clearAuditRecords = async ({
  db,
  clock,
  billing,
  auditRetention,
}: Pick<ControlDeps, 'db' | 'clock' | 'billing' | 'auditRetention'>): Promise<void> => {
  const names = billing.plans.plans.map(({ name }) => name)
  for (const name of names) {
    const days = retentionOf(auditRetention, name)
    if (days === null) continue
    await deleteAuditOfPlan(db, name, { plans: names, before: new Date(clock() - days * dayMs) })
  }
}
