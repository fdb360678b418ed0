import type { ControlDeps } from '../deps.ts'

/** Days that audit records are kept, by plan; `*` is every other plan. Null is for ever. */
export type AuditRetention = Readonly<Record<string, number | null>>

/** What holds where plans are paid for, unless a setting says otherwise. */
export const defaultAuditRetention: AuditRetention = {
  'plans/free': 90,
  'plans/team': 365,
  'plans/business': 730,
  '*': null,
}

/** Reads `plans/free=90,*=forever`. Throws an Error that says what is wrong with it. */
export const readAuditRetention = (text: string): AuditRetention =>
  Object.fromEntries(
    text.split(',').map((part) => {
      const [, plan = '', days = ''] = /^\s*(plans\/[a-z0-9-]{1,50}|\*)=(forever|[1-9]\d{0,4})\s*$/.exec(part) ?? []
      if (plan === '') throw new Error('must be like plans/free=90,*=forever, in days')
      return [plan, days === 'forever' ? null : Number(days)]
    }),
  )

/** Days that the records of an organization with a plan are kept; null for ever. */
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
  const [first] = billing.plans.plans
  const names = billing.plans.plans.map(({ name }) => name)
  for (const name of names) {
    const days = retentionOf(auditRetention, name)
    if (days === null) continue
    await db
      .deleteFrom('audit_log')
      .where('create_time', '<', new Date(clock() - days * dayMs))
      .where('organization_id', 'in', (query) =>
        query
          .selectFrom('organizations')
          .leftJoin('subscriptions', 'subscriptions.organization_id', 'organizations.id')
          .select('organizations.id')
          // Whoever has no plan, or one that there is not any more, has the first.
          .where(({ eb, or }) =>
            name === first?.name
              ? or([
                  eb('subscriptions.plan', 'is', null),
                  eb('subscriptions.plan', 'not in', names),
                  eb('subscriptions.plan', '=', name),
                ])
              : eb('subscriptions.plan', '=', name),
          ),
      )
      .execute()
  }
}
