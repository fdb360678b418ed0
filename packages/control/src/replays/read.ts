import { type Db, displayName, isId } from '@tributary/api-kit'
import { eventFilter, type Replay, replayLimits, resourceNames } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { EventStore } from '@tributary/storage'
import type { ControlDeps } from '../deps.ts'

/** Selects replays with the titles of their sources and the users who started them. */
export const selectReplays = (db: Db, destination: { id: string; workspace_id: string }) =>
  db
    .selectFrom('replays')
    .leftJoin('sources', 'sources.id', 'replays.source_id')
    .leftJoin('users', 'users.id', 'replays.creator_id')
    .selectAll('replays')
    .select(['sources.title as source_title', 'users.email', 'users.first_name', 'users.last_name'])
    .where('replays.destination_id', '=', destination.id)
    .where('replays.workspace_id', '=', destination.workspace_id)

export type ReplayRow = Awaited<ReturnType<ReturnType<typeof selectReplays>['executeTakeFirstOrThrow']>>

/** Reads a replay of this destination. Throws 404 if it does not exist or belongs to another destination. */
export const readReplay = async (
  db: Db,
  destination: { id: string; workspace_id: string },
  replayId: string,
): Promise<ReplayRow> => {
  const row = isId(replayId)
    ? await selectReplays(db, destination).where('replays.id', '=', replayId).executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('replay not found')
  return row
}

/** The number of events by outcome. `settled` counts each event with any outcome once. */
type Totals = { delivered: number; filtered: number; failed: number; settled: number }
const nothing: Totals = { delivered: 0, filtered: 0, failed: 0, settled: 0 }

const dayMs = 86_400_000

/**
 * Maximum number of sent events for which events are counted exactly. A larger replay counts attempts, so that a crash
 * may make an event count twice.
 */
const exactEvents = 1_000_000

/** Reads the outcomes of the events of replays from the delivery log, by replay ID. */
const readTotals = async (
  eventStore: EventStore,
  rows: readonly ReplayRow[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Totals>> => {
  const begun = rows.filter((row) => Number(row.sent_count) > 0)
  const [one] = begun
  if (one === undefined) return new Map()
  const count = begun.some((row) => Number(row.sent_count) > exactEvents) ? 'countIf' : 'uniqExactIf'
  const countOf = (condition: string) => `${count}(${count === 'countIf' ? '' : 'event_id, '}${condition})`
  const of = (status: string) => `${countOf(`status = '${status}'`)} as ${status}`
  const found = await eventStore.query<
    Record<'delivered' | 'filtered' | 'dead' | 'settled', number> & { replay_id: string }
  >(
    `select replay_id, ${of('delivered')}, ${of('filtered')}, ${of('dead')},
       ${countOf("status in ('delivered', 'filtered', 'dead')")} as settled from deliveries
     where workspace_id = {workspace:String} and destination_id = {destination:String}
       and time >= fromUnixTimestamp64Milli({since:Int64}) and replay_id in {ids:Array(String)} group by replay_id`,
    {
      workspace: one.workspace_id,
      destination: one.destination_id,
      since: Math.min(...begun.map((row) => row.create_time.getTime())),
      ids: begun.map(({ id }) => id),
    },
    { owner: one.workspace_id, slot: 'short', ...(signal === undefined ? {} : { signal }) },
  )
  return new Map(
    found.map((row) => [
      row.replay_id,
      {
        delivered: Number(row.delivered),
        filtered: Number(row.filtered),
        failed: Number(row.dead),
        settled: Number(row.settled),
      },
    ]),
  )
}

/** Finds the replays that have sent all their dead letters and still have some waiting for delivery. */
const readWaiting = async (db: Db, rows: readonly ReplayRow[]): Promise<ReadonlySet<string>> => {
  const sent = rows.filter((row) => row.kind === 'dead' && row.state === 'done')
  const [first] = sent
  if (first === undefined) return new Set()
  const found = await db
    .selectFrom('parked_deliveries')
    .select('replay_id')
    .distinct()
    .where('destination_id', '=', first.destination_id)
    .where('state', '=', 'waiting')
    .where(
      'replay_id',
      'in',
      sent.map(({ id }) => id),
    )
    .execute()
  return new Set(found.flatMap(({ replay_id: id }) => (id === null ? [] : [id])))
}

/**
 * Whether a replay that has sent all events still waits for outcomes. A discarded dead letter never gets an outcome,
 * and neither does an event whose data was deleted. So the wait ends after `outcomeDays` at the latest.
 */
const isDelivering = (row: ReplayRow, { settled }: Totals, waiting: ReadonlySet<string>, now: number): boolean =>
  row.state === 'done' &&
  settled < Number(row.sent_count) &&
  (row.kind === 'history' || waiting.has(row.id)) &&
  now - (row.finish_time?.getTime() ?? now) < replayLimits.outcomeDays * dayMs

const present = (row: ReplayRow, { delivered, filtered, failed }: Totals, delivering: boolean): Replay => ({
  name: resourceNames.replay.format({ workspace: row.workspace_id, destination: row.destination_id, replay: row.id }),
  kind: row.kind,
  start_time: row.start_time.toISOString(),
  end_time: row.end_time.toISOString(),
  time_by: row.time_by,
  source:
    row.source_id === null
      ? null
      : {
          name: resourceNames.source.format({ workspace: row.workspace_id, source: row.source_id }),
          title: row.source_title ?? '',
        },
  event: row.event ?? '',
  event_type: row.event_type ?? '',
  filter: eventFilter.parse(row.filter),
  reason: row.reason ?? '',
  events_per_second: row.events_per_second,
  profile: row.profile,
  state: delivering ? 'delivering' : row.state,
  failure: row.failure,
  event_count: Number(row.event_count),
  sent_count: Number(row.sent_count),
  delivered_count: delivered,
  filtered_count: filtered,
  failed_count: failed,
  creator:
    row.creator_id === null || row.email === null
      ? null
      : {
          name: resourceNames.user.format({ user: row.creator_id }),
          display_name: displayName({
            email: row.email,
            first_name: row.first_name ?? '',
            last_name: row.last_name ?? '',
          }),
        },
  create_time: row.create_time.toISOString(),
  finish_time: delivering ? null : (row.finish_time?.toISOString() ?? null),
})

/**
 * Returns replays of one destination as the API shows them, with the outcomes of their events from the delivery log.
 */
export const presentReplays = async (
  { db, eventStore, clock }: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>,
  rows: readonly ReplayRow[],
  signal?: AbortSignal,
): Promise<Replay[]> => {
  // A dead letter waits until its outcome is stored. So every dead letter that does not wait now is included in the
  // outcomes that are read next.
  const waiting = await readWaiting(db, rows)
  const totals = await readTotals(eventStore, rows, signal)
  return rows.map((row) => {
    const figures = totals.get(row.id) ?? nothing
    return present(row, figures, isDelivering(row, figures, waiting, clock()))
  })
}
