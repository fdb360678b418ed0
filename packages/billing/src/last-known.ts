import type { Db } from '@tributary/api-kit'
import type { PaymentSnapshotsTable } from '@tributary/storage'
import type { z } from 'zod'
import { PaymentUnavailable } from './provider.ts'
import type { BillingServices } from './services.ts'

type What = PaymentSnapshotsTable['what']

const readSnapshot = (db: Db, organizationId: string, what: What) =>
  db
    .selectFrom('payment_snapshots')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('what', '=', what)
    .executeTakeFirst()

/**
 * What the payment provider answers now, which is kept; and while it is away what it last answered, with when that was. Throws
 * PaymentUnavailable when it has never answered.
 */
export const lastKnown = async <T>(
  { db, clock }: Pick<BillingServices, 'db' | 'clock'>,
  { organizationId, what, schema }: { organizationId: string; what: What; schema: z.ZodType<T> },
  ask: () => Promise<T>,
): Promise<{ value: T; asOf: string | null }> => {
  try {
    const value = await ask()
    const row = { content: JSON.stringify(value), read_time: new Date(clock()) }
    await db
      .insertInto('payment_snapshots')
      .values({ organization_id: organizationId, what, ...row })
      .onConflict((conflicting) => conflicting.columns(['organization_id', 'what']).doUpdateSet(row))
      .execute()
    return { value, asOf: null }
  } catch (cause) {
    if (!(cause instanceof PaymentUnavailable)) throw cause
    const row = await readSnapshot(db, organizationId, what)
    if (row === undefined) throw cause
    const known = schema.safeParse(JSON.parse(row.content))
    // What an older version kept may lack something.
    if (!known.success) throw cause
    return { value: known.data, asOf: row.read_time.toISOString() }
  }
}
