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
 * Reads from the payment provider, and stores the response. While the provider is unavailable, returns the last stored
 * response and its time. Throws PaymentUnavailable if there is none.
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
    // A response that an older version stored may lack fields.
    if (!known.success) throw cause
    return { value: known.data, asOf: row.read_time.toISOString() }
  }
}
