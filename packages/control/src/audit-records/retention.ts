import { deleteAuditOfPlan } from '@tributary/api-kit'
import type { ControlDeps } from '../deps.ts'

/** Days that audit records are kept, by plan; `*` is every other plan. Null is forever. */
export type AuditRetention = Readonly<Record<string, number | null>>

/** The retention where plans are paid for, unless a setting says otherwise. */
export const defaultAuditRetention: AuditRetention = {
  'plans/free': 90,
  'plans/team': 365,
  'plans/business': 730,
  '*': null,
}

/** Reads `plans/free=90,*=forever`. Throws an Error with the problem of the text. */
export const readAuditRetention = (text: string): AuditRetention =>
  Object.fromEntries(
    text.split(',').map((part) => {
      const [, plan = '', days = ''] = /^\s*(plans\/[a-z0-9-]{1,50}|\*)=(forever|[1-9]\d{0,4})\s*$/.exec(part) ?? []
      if (plan === '') throw new Error('must be like plans/free=90,*=forever, in days')
      return [plan, days === 'forever' ? null : Number(days)]
    }),
  )

/** Days that the records of an organization with a plan are kept; null forever. */
export const retentionOf = (retention: AuditRetention, plan: string): number | null =>
  Object.hasOwn(retention, plan) ? (retention[plan] ?? null) : (retention['*'] ?? null)

const dayMs = 24 * 60 * 60_000

/** Removes the records that are older than the plan of their organization keeps them. */
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
