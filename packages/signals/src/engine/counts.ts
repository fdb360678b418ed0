import type { Tx } from '@tributary/api-kit'
import { identifiersIn } from '@tributary/connector-kit'
import { sql } from 'kysely'
import { campaignParts } from './click-facts.ts'
import type { MadeConversion } from './make.ts'

/** The ID that stands for all platforms of a signal in its counts. */
export const allPlatforms = '00000000-0000-0000-0000-000000000000'

/** Upper bounds of the classes by which the delay from an event to its conversion is counted, in ms. */
export const freshnessBounds = [
  1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 21_600_000, 86_400_000, 604_800_000,
] as const

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** A sum with the parts of its key. */
type Sums = Map<string, { parts: readonly string[]; count: number; amount: number }>

const add = (sums: Sums, parts: readonly string[], count: number, amount = 0): void => {
  const key = parts.join('\u0000')
  const known = sums.get(key)
  if (known === undefined) sums.set(key, { parts, count, amount })
  else {
    known.count += count
    known.amount += amount
  }
}

const sorted = (sums: Sums) => [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)

const countOne = (counts: Sums, made: MadeConversion, day: string, now: number): void => {
  add(counts, [made.signalId, allPlatforms, day, made.origin === 'refund' ? 'refund' : 'conversion'], 1)
  for (const { destinationId, reason, identifiers } of made.platforms) {
    if (reason !== '') {
      add(counts, [made.signalId, destinationId, day, `not:${reason}`], 1)
      continue
    }
    add(counts, [made.signalId, destinationId, day, made.origin === 'refund' ? 'sent_refund' : 'sent'], 1)
    if (made.origin === 'refund') continue
    for (const identifier of identifiersIn(identifiers))
      add(counts, [made.signalId, destinationId, day, `id:${identifier}`], 1)
    const late = Math.max(0, now - made.eventTime)
    const bucket = freshnessBounds.findIndex((bound) => late <= bound)
    add(counts, [made.signalId, destinationId, day, `fresh:${bucket < 0 ? freshnessBounds.length : bucket}`], 1)
  }
}

/** Adds new conversions, and repeated event IDs, to the counts of their signals. Test events do not count. */
export const countMade = async (
  tx: Tx,
  workspaceId: string,
  { made, repeated }: { made: readonly MadeConversion[]; repeated: ReadonlyMap<string, number> },
  now: number,
): Promise<void> => {
  const day = dayOf(now)
  const counts: Sums = new Map()
  const days: Sums = new Map()
  for (const [signalId, count] of repeated) add(counts, [signalId, allPlatforms, day, 'repeated'], count)
  for (const each of made) {
    if (each.test) continue
    countOne(counts, each, day, now)
    if (each.origin === 'refund') continue
    for (const touch of ['first', 'last'] as const) {
      const { clicked, campaign } = each.touches[touch]
      add(days, [each.signalId, day, touch, clicked, ...campaignParts(campaign), each.currency], 1, each.amount ?? 0)
    }
  }
  const rows = sorted(counts)
  if (rows.length > 0)
    await sql`insert into signal_counts as c (signal_id, destination_id, day, kind, count)
      select * from unnest(${rows.map(({ parts }) => parts[0])}::uuid[], ${rows.map(({ parts }) => parts[1])}::uuid[],
        ${rows.map(({ parts }) => parts[2])}::date[], ${rows.map(({ parts }) => parts[3])}::text[],
        ${rows.map(({ count }) => count)}::bigint[])
      on conflict (signal_id, destination_id, day, kind) do update set count = c.count + excluded.count`.execute(tx)
  const clicks = sorted(days)
  const part = (index: number) => clicks.map(({ parts }) => parts[index] ?? '')
  if (clicks.length > 0)
    await sql`insert into signal_days as d (signal_id, workspace_id, day, touch, clicked, utm_source, utm_medium,
        utm_campaign, currency, count, amount)
      select signal_id, ${workspaceId}::uuid, day, touch, clicked, source, medium, campaign, currency, count, amount
      from unnest(${part(0)}::uuid[], ${part(1)}::date[], ${part(2)}::text[], ${part(3)}::text[], ${part(4)}::text[],
        ${part(5)}::text[], ${part(6)}::text[], ${part(7)}::text[], ${clicks.map(({ count }) => count)}::bigint[],
        ${clicks.map(({ amount }) => amount)}::double precision[])
        as made (signal_id, day, touch, clicked, source, medium, campaign, currency, count, amount)
      on conflict (signal_id, day, touch, clicked, utm_source, utm_medium, utm_campaign, currency)
      do update set count = d.count + excluded.count, amount = d.amount + excluded.amount`.execute(tx)
}
