import { setImmediate } from 'node:timers/promises'
import type { Db, Tx } from '@tributary/api-kit'
import type { DeliveryMeta } from '@tributary/contract'
import { eventFilter } from '@tributary/contract'
import { faultPoint, losesDigits, parseRecordPlaces, resumeWork, type WorkShare } from '@tributary/kernel'
import { type LogEntry, type LogPosition, partitionOf } from '@tributary/storage'
import { z } from 'zod'
import { endReplay } from './end-replay.ts'
import { createFilterWork } from './filter-work.ts'
import { type HistoryBatch, type HistoryEvent, type HistoryScope, historyTimes, readHistory } from './history.ts'
import type { ReplayRun, ReplayRunnerDeps, ReplayRunnerSettings, ReplayState } from './runner-ports.ts'

/** Maximum number of bytes of a record of the deliveries log, as in the pipeline. */
const recordBytes = 512 * 1024
const scanBytes = 1024 * 1024
/** Time in ms that a replay waits if it must not send now. */
const waitMs = 500

const scopeOf = (row: ReplayState): HistoryScope => ({
  workspaceId: row.workspace_id,
  sourceId: row.source_id ?? undefined,
  ...historyTimes(row.time_by, {
    from: row.start_time.getTime(),
    to: row.end_time.getTime(),
    now: row.create_time.getTime(),
  }),
  event: row.event ?? undefined,
  eventType: row.event_type ?? undefined,
  filter: eventFilter.parse(row.filter),
  storedBefore: parseRecordPlaces(row.stored_before),
})

/** Creates records for the deliveries log in the pipeline's format: a JSON list with one event per line. */
const recordsOf = (row: ReplayState, events: readonly HistoryEvent[]): LogEntry[] => {
  const bySource = new Map<string, string[][]>()
  const bytes = new Map<string, number>()
  for (const { sourceId, json: text } of events) {
    const lists = bySource.get(sourceId) ?? []
    bySource.set(sourceId, lists)
    const sum = (bytes.get(sourceId) ?? recordBytes) + text.length
    if (sum > recordBytes) lists.push([])
    bytes.set(sourceId, sum > recordBytes ? text.length : sum)
    lists.at(-1)?.push(text)
  }
  return [...bySource].flatMap(([sourceId, lists]) =>
    lists.map((texts) => {
      const meta: DeliveryMeta = {
        w: row.workspace_id,
        s: sourceId,
        d: [row.destination_id],
        n: texts.length,
        p: row.id,
        ...(row.profile === 'none' ? { u: true } : {}),
        ...(texts.some(losesDigits) ? { e: true } : {}),
      }
      return { key: row.workspace_id, meta: JSON.stringify(meta), body: Buffer.from(`[${texts.join(',\n')}]\n`) }
    }),
  )
}

/** The note of a step's sequence: the replay, and the last event of the step. */
const stepNote = z.object({ replay: z.string(), ms: z.number(), id: z.string() })

/**
 * Reads the IDs of a replay's events in the log from an offset on, for a replay that a version without sequences began.
 */
const appendedSince = async (
  reader: ReplayRunnerDeps['reader'],
  { partition, offset }: LogPosition,
  replayId: string,
): Promise<Set<string>> => {
  const found = new Set<string>()
  const end = (await reader.ends())[partition] ?? 0
  for (let at = Math.max(offset, (await reader.starts())[partition] ?? 0); at < end; ) {
    const records = await reader.read(partition, at, scanBytes)
    for (const { meta, body } of records) {
      if (!meta.includes(replayId)) continue
      const events: { eventId: string }[] = JSON.parse(Buffer.from(body).toString())
      for (const { eventId } of events) found.add(eventId)
    }
    at = (records.at(-1)?.offset ?? end) + 1
    // Yields to other work of the thread.
    await setImmediate()
    resumeWork()
  }
  return found
}

/** Reads the last appended step of a producer, if the step belongs to this replay. */
const lastStep = async (
  deliveries: ReplayRunnerDeps['deliveries'],
  producer: string,
  replayId: string,
): Promise<(HistoryBatch['after'] & { sequence: number }) | undefined> => {
  const [last] = await deliveries.lastSequences(producer)
  if (last === undefined) return undefined
  const { replay, ...after } = stepNote.parse(JSON.parse(last.note))
  return replay === replayId ? { ...after, sequence: last.sequence } : undefined
}

/** Counts the events of a replay whose delivery was tried. */
const countTried = async (eventStore: ReplayRunnerDeps['eventStore'], row: ReplayState): Promise<number> => {
  const [found] = await eventStore.query<{ n: number }>(
    `select count() as n from deliveries where workspace_id = {workspace:String} and destination_id = {destination:String}
       and time >= fromUnixTimestamp64Milli({since:Int64}) and replay_id = {replay:String} and attempt <= 1`,
    {
      workspace: row.workspace_id,
      destination: row.destination_id,
      since: row.create_time.getTime(),
      replay: row.id,
    },
    { owner: row.workspace_id, slot: 'heavy' },
  )
  return Number(found?.n ?? 0)
}

const storeProgress = (db: Db | Tx, id: string, after: HistoryBatch['after'], sent: number): Promise<unknown> =>
  db
    .updateTable('replays')
    .set({ cursor_ms: after.ms, cursor_id: after.id, sent_count: sent })
    .where('id', '=', id)
    .execute()

/**
 * Creates a replay of history. Each step appends events to the deliveries log for its one destination, and then records
 * its progress. The step locks the replay's row, so a pause or a cancellation waits for it. If the process is killed in
 * between, the log has the sequence of the step: the number of events sent by its end. The producer is `replay
 * <destination>`, since a destination has one replay at a time. The progress is recovered from the log before anything
 * else is sent.
 */
export const createHistoryRun = (
  deps: ReplayRunnerDeps & { workShare: WorkShare },
  settings: ReplayRunnerSettings,
  row: ReplayState,
): ReplayRun => {
  const scope = scopeOf(row)
  const work = createFilterWork(deps.workShare, row.workspace_id, scope.filter)
  const { db, eventStore, deliveries, reader, clock, metrics } = deps
  const { id, workspace_id, destination_id, events_per_second } = row
  const partition = partitionOf(workspace_id, reader.partitions)
  const producer = `replay ${destination_id}`
  const size = Math.max(1, Math.min(settings.stepEvents, Math.round(events_per_second / 2)))
  const ahead = Math.max(settings.aheadEvents, settings.aheadSeconds * events_per_second)
  let batches: AsyncGenerator<HistoryBatch> | undefined
  let appended = new Set<string>()
  let sent = Number(row.sent_count)
  let tried = 0
  let epoch = 0

  const open = async (): Promise<AsyncGenerator<HistoryBatch>> => {
    epoch = await deliveries.beginEpoch(producer)
    const last = await lastStep(deliveries, producer, id)
    let after = row.cursor_ms === null ? undefined : { ms: Number(row.cursor_ms), id: row.cursor_id }
    if (last !== undefined && last.sequence > sent) {
      sent = last.sequence
      after = { ms: last.ms, id: last.id }
      await storeProgress(db, id, after, sent)
    } else if (last === undefined && row.log_offset !== null)
      appended = await appendedSince(reader, { partition, offset: Number(row.log_offset) }, id)
    return readHistory(eventStore, scope, { work, after, size })
  }

  /** Whether deliveries are too far behind this replay. */
  const isFarAhead = async (): Promise<boolean> => {
    if (sent - tried <= ahead) return false
    tried = await countTried(eventStore, row)
    return sent - tried > ahead
  }

  /** Appends a batch and records it. Returns false if the replay is no longer running. */
  const send = ({ events, after }: HistoryBatch): Promise<boolean> =>
    db.transaction().execute(async (tx) => {
      const now = await tx
        .selectFrom('replays')
        .select('state')
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirstOrThrow()
      if (now.state !== 'running') return false
      const missing = events.filter(({ eventId }) => !appended.has(eventId))
      const sequence = sent + events.length
      const note = JSON.stringify({ replay: id, ...after } satisfies z.infer<typeof stepNote>)
      if (missing.length > 0) {
        await deliveries.appendGroup(recordsOf(row, missing), { producer, epoch, sequence, note })
        faultPoint('replay.after-append')
      }
      await storeProgress(tx, id, after, sequence)
      metrics.count('replay_events', missing.length)
      return true
    })

  return {
    step: async () => {
      // Other replays can send during this wait.
      const turn = scope.filter.conditions.length === 0 ? 0 : Math.ceil(work.wait())
      if (turn > 0) return turn
      if (!deps.mayAppend() || (await isFarAhead())) return waitMs
      batches ??= await open()
      const next = await batches.next()
      if (next.done === true) {
        await endReplay(db, id, { state: 'done' }, clock())
        return undefined
      }
      if (!(await send(next.value))) return undefined
      sent += next.value.events.length
      return (next.value.events.length * 1000) / events_per_second
    },
    close: async () => void (await batches?.return(undefined)),
  }
}
