import { type Db, lockOrganization } from '@tributary/api-kit'
import { profileBlock } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import type { BillingDeps } from '../subscription.ts'
import { requirePayment } from '../subscription.ts'
import { billedBlocks, blocksWithin, startedBlocks } from './amount.ts'
import { readCap } from './read-cap.ts'
import { type TrackedPeriod, termsOf } from './track.ts'

/**
 * Time after the end of a period until its profiles are counted, ms, because events are stored a little after they are
 * received. Events that are stored later are not billed.
 */
export const closeAfterMs = 15 * 60_000

export type OverageDeps = BillingDeps & {
  /** Counts the profiles that an organization used in a period, in the same way as its billing page. */
  countProfiles(organizationId: string, period: { start: Date; end: Date }): Promise<number>
}

const due = (db: Db, kind: string, now: number) =>
  db
    .selectFrom('usage_periods')
    .where('provider', '=', kind)
    .where('done_time', 'is', null)
    .where('end_time', '<=', new Date(now - closeAfterMs))

/** Finds organizations with an ended period that is not billed yet. */
export const findUnbilled = async ({ db, clock, payment }: BillingDeps): Promise<{ organization_id: string }[]> =>
  payment === undefined
    ? []
    : await due(db, payment.kind, clock()).select('organization_id').distinct().limit(500).execute()

/**
 * Counts the profiles of a period once, and stores the amount to bill. A repeated call, by any process, uses the same
 * key.
 */
const close = async (deps: OverageDeps, row: TrackedPeriod): Promise<void> => {
  const { db, clock } = deps
  const { organization_id, start_time, end_time } = row
  const terms = termsOf(row)
  const profiles =
    terms.included < 0 ? 0 : await deps.countProfiles(organization_id, { start: start_time, end: end_time })
  await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, organization_id)
    const within = blocksWithin(await readCap(tx, organization_id), terms)
    const most = within === undefined ? undefined : Math.max(within, Number(row.least_blocks))
    const blocks = billedBlocks(startedBlocks(profiles, terms), most)
    const closed = { profiles, blocks, close_time: new Date(clock()) }
    await tx
      .updateTable('usage_periods')
      .set(blocks * terms.price > 0 ? { ...closed, operation: newId() } : { ...closed, done_time: new Date(clock()) })
      .where('organization_id', '=', organization_id)
      .where('start_time', '=', start_time)
      .where('close_time', 'is', null)
      .execute()
  })
}

const day = (time: Date): string =>
  time.toLocaleDateString('en-US', { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Returns the invoice line for a period. */
export const overageLine = ({
  blocks,
  price,
  start,
  end,
}: {
  blocks: number
  price: number
  start: Date
  end: Date
}): { description: string; amount: number } => ({
  description: `Additional profiles, ${day(start)} to ${day(end)}: ${blocks} × ${profileBlock.toLocaleString('en-US')}`,
  amount: blocks * price,
})

const invoice = async (deps: OverageDeps, row: TrackedPeriod, key: string): Promise<void> => {
  const { db, clock } = deps
  const payment = requirePayment(deps)
  const { url } = await payment.createInvoice(key, await payment.customerOf(row.organization_id), {
    lines: [
      overageLine({
        blocks: Number(row.blocks),
        price: Number(row.price),
        start: row.start_time,
        end: row.end_time,
      }),
    ],
    currency: row.currency,
    daysUntilDue: undefined,
  })
  await db
    .updateTable('usage_periods')
    .set({ invoice_url: url, done_time: new Date(clock()) })
    .where('operation', '=', key)
    .execute()
}

/**
 * Bills the usage of an organization beyond its plan in its ended periods. Each period is counted once, and gets one
 * invoice with one line, or none. After a crash, the next call continues.
 */
export const billOverage = async (deps: OverageDeps, organizationId: string): Promise<void> => {
  const { db, clock } = deps
  const { kind } = requirePayment(deps)
  const rows = () =>
    due(db, kind, clock()).selectAll().where('organization_id', '=', organizationId).orderBy('start_time').execute()
  for (const row of await rows()) if (row.close_time === null) await close(deps, row)
  for (const row of await rows()) if (row.operation !== null) await invoice(deps, row, row.operation)
}
