import type { Db, Tx } from '@tributary/api-kit'
import type { NotSentReason } from '@tributary/contract'
import { faultPoint } from '@tributary/kernel'
import { sql } from 'kysely'
import { countMade } from './counts.ts'
import type { MadeConversion, Refunded } from './make.ts'

/** A conversion with the hashes of its person. */
export type ConversionToStore = { made: MadeConversion; subjects: readonly Buffer[] }

export type StoredConversions = { fresh: readonly MadeConversion[]; repeated: readonly MadeConversion[] }

/** Conversions per statement. */
const atOnce = 1000

/** Returns the given signals that still exist. A signal may be deleted while its events are processed. */
const existing = async (tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await tx.selectFrom('signals').select('id').where('id', 'in', ids).forKeyShare().execute()
  return new Set(rows.map(({ id }) => id))
}

const insert = async (
  tx: Tx,
  workspaceId: string,
  part: readonly ConversionToStore[],
  now: number,
): Promise<Set<string>> => {
  const column = <T>(of: (each: ConversionToStore) => T): T[] => part.map(of)
  const { rows } = await sql<{ signal_id: string; key: Buffer }>`
    insert into signal_conversions (signal_id, workspace_id, key, origin, event_id, source_event, event_time, create_time,
      amount, currency, test, subjects, platforms)
    select signal_id, ${workspaceId}::uuid, decode(key, 'hex'), origin, event_id, source_event, event_time, ${new Date(now)},
      amount, currency, test, array(select decode(s, 'hex') from unnest(string_to_array(subjects, ',')) as s), platforms
    from unnest(${column(({ made }) => made.signalId)}::uuid[], ${column(({ made }) => made.key)}::text[],
      ${column(({ made }) => made.origin)}::text[], ${column(({ made }) => made.eventId)}::text[],
      ${column(({ made }) => made.sourceEvent)}::text[], ${column(({ made }) => new Date(made.eventTime))}::timestamptz[],
      ${column(({ made }) => made.amount)}::double precision[], ${column(({ made }) => made.currency)}::text[],
      ${column(({ made }) => made.test)}::boolean[],
      ${column(({ subjects }) => subjects.map((hash) => hash.toString('hex')).join(','))}::text[],
      ${column(({ made }) => JSON.stringify(made.platforms.map(({ destinationId, reason, identifiers }) => [destinationId, reason, identifiers])))}::text[])
      as made (signal_id, key, origin, event_id, source_event, event_time, amount, currency, test, subjects, platforms)
    on conflict (signal_id, key) do nothing returning signal_id, key`.execute(tx)
  return new Set(rows.map(({ signal_id, key }) => `${signal_id}${key.toString('hex')}`))
}

const queue = async (tx: Tx, workspaceId: string, part: readonly ConversionToStore[]): Promise<void> => {
  const sent = part.flatMap(({ made, subjects }) => {
    const destinations = made.platforms.flatMap(({ destinationId, reason }) => (reason === '' ? [destinationId] : []))
    return destinations.length === 0 ? [] : [{ made, subjects, destinations }]
  })
  if (sent.length === 0) return
  const column = <T>(of: (each: (typeof sent)[number]) => T): T[] => sent.map(of)
  await sql`
    insert into signal_outbox (workspace_id, signal_id, destinations, key, source_id, subjects, json)
    select ${workspaceId}::uuid, signal_id, string_to_array(destinations, ',')::uuid[], key, signal_id,
      array(select decode(s, 'hex') from unnest(string_to_array(subjects, ',')) as s), json
    from unnest(${column(({ made }) => made.signalId)}::uuid[], ${column(({ destinations }) => destinations.join(','))}::text[],
      ${column(({ made }) => made.key)}::text[],
      ${column(({ subjects }) => subjects.map((hash) => hash.toString('hex')).join(','))}::text[],
      ${column(({ made }) => made.json)}::text[])
      with ordinality as made (signal_id, destinations, key, subjects, json, place) order by place`.execute(tx)
}

const idOf = ({ signalId, key }: MadeConversion): string => `${signalId}${key}`

/**
 * Stores conversions, each once by signal and event ID, even when several processes store it. Counts the new
 * conversions, and queues them for the stream. All this is one transaction, so a kill leaves a conversion complete or
 * absent. A conversion from an event that was processed again does not count as repeated.
 */
export const storeConversions = async (
  db: Db,
  workspaceId: string,
  given: readonly ConversionToStore[],
  now: number,
): Promise<StoredConversions> => {
  if (given.length === 0) return { fresh: [], repeated: [] }
  return await db.transaction().execute(async (tx) => {
    // Conversions are sent in the order of their IDs, but an ID is assigned before its row is visible. The lock makes
    // the rows visible in the order of their IDs.
    await sql`select pg_advisory_xact_lock(hashtextextended('signals ' || ${workspaceId}, 0))`.execute(tx)
    const there = await existing(tx, [...new Set(given.map(({ made }) => made.signalId))])
    const distinct = new Map<string, ConversionToStore>()
    const repeated: MadeConversion[] = []
    for (const each of given) {
      if (!there.has(each.made.signalId)) continue
      if (distinct.has(idOf(each.made))) repeated.push(each.made)
      else distinct.set(idOf(each.made), each)
    }
    const fresh: MadeConversion[] = []
    const all = [...distinct.values()]
    for (let at = 0; at < all.length; at += atOnce) {
      const part = all.slice(at, at + atOnce)
      const inserted = await insert(tx, workspaceId, part, now)
      const added = part.filter(({ made }) => inserted.has(idOf(made)))
      fresh.push(...added.map(({ made }) => made))
      await queue(tx, workspaceId, added)
      const known = part.filter(({ made }) => !inserted.has(idOf(made))).map(({ made }) => made)
      repeated.push(...(await ofOtherEvents(tx, known)))
    }
    const counts = new Map<string, number>()
    for (const { signalId } of repeated) counts.set(signalId, (counts.get(signalId) ?? 0) + 1)
    await countMade(tx, workspaceId, { made: fresh, repeated: counts }, now)
    if (fresh.length > 0)
      await tx
        .updateTable('signals')
        .set({ last_conversion_time: new Date(now) })
        .where('id', 'in', [...new Set(fresh.map(({ signalId }) => signalId))])
        .execute()
    faultPoint('signals.before-commit')
    return { fresh, repeated }
  })
}

/**
 * Returns those of the conversions that already exist from another event. If the same event was processed again, its
 * conversion does not count as repeated.
 */
const ofOtherEvents = async (tx: Tx, known: readonly MadeConversion[]): Promise<MadeConversion[]> => {
  if (known.length === 0) return []
  const { rows } = await sql<{ signal_id: string; key: Buffer; source_event: string }>`
    select c.signal_id, c.key, c.source_event from signal_conversions c
    join unnest(${known.map(({ signalId }) => signalId)}::uuid[], ${known.map(({ key }) => key)}::text[]) as k (signal_id, key)
      on c.signal_id = k.signal_id and c.key = decode(k.key, 'hex')`.execute(tx)
  const events = new Map(rows.map((row) => [`${row.signal_id}${row.key.toString('hex')}`, row.source_event]))
  return known.filter((made) => events.get(idOf(made)) !== made.sourceEvent)
}

/** The reasons why a refund is not deducted from its order. */
const refusedRefunds: readonly NotSentReason[] = ['no_order', 'refund_currency', 'refund_too_large']

/**
 * Reads the conversions that refunds of a signal refer to, by event ID, with the counted amounts and the earlier
 * refunds.
 */
export const readRefunded = async (
  db: Db,
  asked: readonly { signalId: string; eventId: string; key: string }[],
): Promise<ReadonlyMap<string, Refunded>> => {
  if (asked.length === 0) return new Map()
  const { rows } = await sql<{
    signal_id: string
    event_id: string
    event_time: Date
    amount: number | null
    currency: string
    before: number
    denied: string[]
  }>`
    select c.signal_id, c.event_id, c.event_time, c.amount, c.currency, coalesce((
      select sum(r.amount) from signal_conversions r
      where r.signal_id = c.signal_id and r.origin = 'refund' and r.event_id = c.event_id and r.test = c.test
        and (r.currency = c.currency or r.currency = '' or c.currency = '')
        and not exists (select from jsonb_array_elements(r.platforms::jsonb) as at where at ->> 1 = any(${refusedRefunds}))), 0) as before,
      array(select at ->> 0 from jsonb_array_elements(c.platforms::jsonb) as at where at ->> 1 = 'no_consent') as denied
    from signal_conversions c
    join unnest(${asked.map(({ signalId }) => signalId)}::uuid[], ${asked.map(({ key }) => key)}::text[]) as a (signal_id, key)
      on c.signal_id = a.signal_id and c.key = decode(a.key, 'hex')`.execute(db)
  return new Map(
    rows.map(({ signal_id, event_id, event_time, amount, currency, before, denied }) => [
      `${signal_id}\n${event_id}`,
      { eventTime: event_time.getTime(), amount, currency, before: Number(before), denied },
    ]),
  )
}
