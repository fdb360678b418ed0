import { type Clock, faultPoint, freeMemory, type Logger, type Metrics, randomToken } from '@tributary/kernel'
import {
  type BinaryRows,
  type ConsumerJournal,
  type EventStore,
  InsertRejected,
  type JournalRange,
  type Rows,
  rowPieces,
  type SeenId,
} from '@tributary/storage'
import { storeRefused, TableRefuses } from '../bisect.ts'
import { createInFlight } from '../in-flight.ts'
import type { MicroBatch } from '../process.ts'
import { retrying, Stopped } from '../retrying.ts'
import { type DroppedCount, droppedRow, eventColumns, refusedRow, rowOwner } from '../rows.ts'
import type { PipelineSettings } from '../settings.ts'

/** What goes into the event store with one insert. */
type Batch = {
  readonly token: string
  readonly ranges: readonly JournalRange[]
  readonly rows: readonly Rows[]
  readonly dropped: readonly DroppedCount[]
  readonly deliveries: Promise<unknown>
  readonly bytesByWorkspace: ReadonlyMap<string, number>
  readonly since: number
  readonly bytes: number
}

/** Rows of one partition that wait to be begun. */
type Waiting = { from: number; to: number; bytes: number; rows: Rows[] }

/** Fewer rows are not asked for: below, an insert costs nearly as much as with so many. */
const leastBatchRows = 2000

export type StoreBranch = {
  /** Takes over the positions of the journal. To be called once, before anything is added or asked. */
  begin(): void
  /** Takes the rows of a micro-batch, whose deliveries are durable when `deliveries` resolves. */
  add(batch: MicroBatch, deliveries: Promise<unknown>): void
  /** Begins a batch if one is due and a lane is free; `force` makes any waiting row due. */
  pump(force?: boolean): void
  /** Inserts what a range of the journal carried, under its token, and commits. For recovery. */
  repeat(
    token: string,
    ranges: readonly JournalRange[],
    batches: readonly MicroBatch[],
    deliveries: Promise<unknown>,
  ): Promise<void>
  /** Whether so much waits for the store that reading of this partition should wait, too. */
  isFull(partition: number): boolean
  /** Nothing waits and nothing is in flight. */
  isIdle(): boolean
  /** Next offset per partition that is stored and committed. */
  committed(): ReadonlyMap<number, number>
  /** When the oldest record in hand was appended, epoch ms; undefined with nothing in hand. */
  oldest(): number | undefined
  /** Rows that wait, bytes of rows not yet committed, inserts under way. */
  load(): { rows: number; bytes: number; inserts: number }
  /** Forgets its timer. */
  close(): void
}

export type StoreDeps = {
  journal: ConsumerJournal
  eventStore: Pick<EventStore, 'insert'>
  clock: Clock
  logger: Logger
  metrics: Metrics
  settings: PipelineSettings
  signal: AbortSignal
  idsInHand(): readonly SeenId[]
  idsHandedOver(): void
  /** Called after a commit, with the bytes of request bodies that are thereby done, per workspace. */
  onCommitted(bytesByWorkspace: ReadonlyMap<string, number>): void
  /** Called when room becomes free. */
  onRoom(): void
  /** Called with what no retry mends; the pipeline cannot go on. */
  onFault(error: unknown): void
}

const addTo = (sums: Map<string, number>, more: ReadonlyMap<string, number>): void => {
  for (const [key, value] of more) sums.set(key, (sums.get(key) ?? 0) + value)
}

const mergeDropped = (into: Map<string, DroppedCount>, more: ReadonlyMap<string, DroppedCount>): void => {
  for (const [key, count] of more) {
    const known = into.get(key)
    if (known === undefined) into.set(key, { ...count })
    else known.events += count.events
  }
}

/**
 * The branch to the event store. Its guarantee, whatever is killed when: a batch's ranges and ids are in the journal
 * before the batch is inserted, with the token of its insert; a position moves only behind the store's acknowledgement
 * and the durable append to deliveries of everything before it. Repeating the open ranges in the same order under the
 * same tokens therefore stores every event exactly once.
 */
export const createStoreBranch = (deps: StoreDeps): StoreBranch => {
  const { journal, eventStore, clock, logger, metrics, settings, signal } = deps
  const inFlight = createInFlight()
  const flying = new Map<string, Batch>()
  const committed = new Map<number, number>()
  let waiting = new Map<number, Waiting>()
  let dropped = new Map<string, DroppedCount>()
  let bytesByWorkspace = new Map<string, number>()
  let deliveries: Promise<unknown>[] = []
  let rows = 0
  let bytes = 0
  let since = 0
  let openedAt = 0
  let lanes = 0
  let heldUntil = 0
  let timer: NodeJS.Timeout | undefined
  let committing = false
  let rowsPerMs = 0

  const retry = <T>(what: string, task: () => Promise<T> | T, mayRetry: (error: unknown) => boolean): Promise<T> =>
    retrying(task, {
      baseMs: settings.retryBaseMs,
      capMs: settings.retryCapMs,
      signal,
      mayRetry,
      onFailure(error, attempt) {
        metrics.count('pipeline_retries', 1, { what })
        if (attempt === 1) logger.warn({ err: error, what }, 'Cannot write now; trying again until it works')
      },
    })

  const insert = (table: string, rows: string | BinaryRows, token: string): Promise<void> =>
    retry(
      `insert_${table}`,
      () => eventStore.insert(table, rows, { token, signal }),
      (error) => !(error instanceof InsertRejected),
    )

  const insertEvents = (pieces: readonly Uint8Array[], token: string): Promise<void> =>
    insert('events', { columns: eventColumns, pieces }, token)

  /** Stores what was refused as a whole, row by row where it must be; the guilty ones become rejected events. */
  const insertRefused = async (batch: Batch, refusal: InsertRejected): Promise<void> => {
    const options = { replace: refusedRow, ownerOf: rowOwner, patience: settings.patience }
    // As one piece: thousands of pieces cost the client and the store more than this copy.
    const insertParts = (part: readonly Uint8Array[], token: string): Promise<void> =>
      insertEvents([Buffer.concat(part)], token)
    const result = await retry(
      'insert_refused',
      () => storeRefused(insertParts, rowPieces(batch.rows), batch.token, refusal, options),
      (error) => error instanceof TableRefuses,
    )
    metrics.count('pipeline_rows_refused', result.replaced)
    const { replaced, engineCodes } = result
    logger.warn({ rows: replaced, engineCodes }, 'The event store refused rows; they are kept as rejected')
  }

  const insertRows = async (batch: Batch): Promise<void> => {
    const count = batch.rows.reduce((sum, part) => sum + part.ends.length, 0)
    if (count === 0) return
    const started = performance.now()
    try {
      await insertEvents(
        batch.rows.map((part) => part.bytes),
        batch.token,
      )
    } catch (error) {
      if (!(error instanceof InsertRejected)) throw error
      await insertRefused(batch, error)
    }
    const took = performance.now() - started
    rowsPerMs = rowsPerMs === 0 ? count / took : rowsPerMs * 0.7 + (count / took) * 0.3
    metrics.observe('pipeline_insert', took)
    metrics.count('pipeline_rows_stored', count)
    metrics.gauge('pipeline_last_stored_seconds', clock() / 1000)
  }

  const insertDropped = async (batch: Batch): Promise<void> => {
    if (batch.dropped.length === 0) return
    await retry(
      'insert_dropped',
      () => insert('dropped_events', batch.dropped.map(droppedRow).join('\n'), batch.token),
      () => true,
    )
    for (const count of batch.dropped) {
      metrics.count('pipeline_events_dropped', count.events, { source: count.sourceId, reason: count.reason })
    }
  }

  /** Commits what is both stored and delivered. One commit at a time: the one under way takes what becomes ready meanwhile. */
  const commit = async (): Promise<void> => {
    if (committing) return
    committing = true
    try {
      for (
        let positions = inFlight.takeCommittable();
        positions !== undefined;
        positions = inFlight.takeCommittable()
      ) {
        const moved = positions
        faultPoint('pipeline.before-commit')
        await retry(
          'commit',
          () => journal.commit(moved),
          () => true,
        )
        for (const [partition, offset] of moved) committed.set(partition, offset)
        finish()
      }
    } finally {
      committing = false
    }
  }

  /** Forgets the batches whose ranges are committed, and tells of them. */
  const finish = (): void => {
    const done = new Map<string, number>()
    for (const [token, batch] of flying) {
      if (batch.ranges.some(({ partition, to }) => to > (committed.get(partition) ?? 0))) continue
      addTo(done, batch.bytesByWorkspace)
      flying.delete(token)
    }
    deps.onCommitted(done)
  }

  const carry = async (batch: Batch): Promise<void> => {
    const stored = insertRows(batch)
      .then(() => {
        for (const { bytes } of batch.rows) freeMemory(bytes)
        return insertDropped(batch)
      })
      .then(() => {
        faultPoint('pipeline.after-insert')
        inFlight.stored(batch.token)
      })
    const delivered = batch.deliveries.then(() => inFlight.delivered(batch.token))
    try {
      await stored
    } finally {
      lanes--
    }
    pump()
    deps.onRoom()
    await delivered
    await commit()
  }

  const launch = (batch: Batch): Promise<void> => {
    flying.set(batch.token, batch)
    inFlight.begin(batch.token, batch.ranges)
    lanes++
    return carry(batch).catch((error: unknown) => {
      if (!(error instanceof Stopped) && !signal.aborted) deps.onFault(error)
    })
  }

  const clear = (): void => {
    waiting = new Map()
    dropped = new Map()
    bytesByWorkspace = new Map()
    deliveries = []
    rows = 0
    bytes = 0
    clearTimeout(timer)
    timer = undefined
  }

  const seal = (): Batch => {
    const partitions = [...waiting].sort(([a], [b]) => a - b)
    const first = partitions[0]
    const token = `${first?.[0]}-${first?.[1].from}-${randomToken(9)}`
    return {
      token,
      ranges: partitions.map(([partition, { from, to }]) => ({ partition, from, to, token })),
      rows: partitions.flatMap(([, part]) => part.rows),
      dropped: [...dropped.values()],
      deliveries: Promise.all(deliveries),
      bytesByWorkspace,
      since,
      bytes,
    }
  }

  /** Rows of one batch that the store takes in `batchMs`, by its latest inserts. */
  const mostRows = (): number =>
    rowsPerMs === 0
      ? settings.batchRows
      : Math.min(settings.batchRows, Math.max(leastBatchRows, Math.round(rowsPerMs * settings.batchMs)))

  const isDue = (now: number): boolean =>
    rows >= Math.min(settings.flushRows, mostRows()) ||
    bytes >= settings.flushBytes ||
    now - openedAt >= settings.flushAgeMs

  const pump = (force = false): void => {
    if (waiting.size === 0 || lanes >= settings.lanes || signal.aborted) return
    const now = clock()
    if (now < heldUntil || !(force || isDue(now))) {
      timer ??= setTimeout(
        () => {
          timer = undefined
          pump(true)
        },
        Math.max(1, Math.max(heldUntil, openedAt + settings.flushAgeMs) - now),
      )
      return
    }
    const batch = seal()
    faultPoint('pipeline.before-begin')
    try {
      journal.begin(batch.ranges, deps.idsInHand(), now)
    } catch (error) {
      logger.warn({ err: error, what: 'begin' }, 'Cannot write now; trying again until it works')
      metrics.count('pipeline_retries', 1, { what: 'begin' })
      heldUntil = now + settings.retryBaseMs * 10
      batch.deliveries.catch(() => {})
      clearTimeout(timer)
      timer = undefined
      return pump()
    }
    deps.idsHandedOver()
    clear()
    faultPoint('pipeline.after-begin')
    void launch(batch)
    deps.onRoom()
  }

  return {
    begin() {
      for (const [partition, offset] of journal.positions()) committed.set(partition, offset)
    },
    add(batch, delivered) {
      delivered.catch(() => {})
      if (waiting.size === 0) {
        openedAt = clock()
        since = batch.since
      }
      const part = waiting.get(batch.partition)
      if (part === undefined)
        waiting.set(batch.partition, {
          from: batch.from,
          to: batch.to,
          bytes: batch.rows.bytes.length,
          rows: [batch.rows],
        })
      else {
        part.bytes += batch.rows.bytes.length
        part.to = batch.to
        part.rows.push(batch.rows)
      }
      since = Math.min(since, batch.since)
      rows += batch.rows.ends.length
      bytes += batch.rows.bytes.length
      mergeDropped(dropped, batch.dropped)
      addTo(bytesByWorkspace, batch.bytesByWorkspace)
      deliveries.push(delivered)
      pump()
    },
    pump,
    async repeat(token, ranges, batches, delivered) {
      const counts = new Map<string, DroppedCount>()
      const sums = new Map<string, number>()
      for (const batch of batches) {
        mergeDropped(counts, batch.dropped)
        addTo(sums, batch.bytesByWorkspace)
      }
      await launch({
        token,
        ranges,
        rows: batches.map((batch) => batch.rows),
        dropped: [...counts.values()],
        deliveries: delivered,
        bytesByWorkspace: sums,
        since: Math.min(...batches.map((batch) => batch.since)),
        bytes: batches.reduce((sum, batch) => sum + batch.rows.bytes.length, 0),
      })
    },
    isFull(partition) {
      const most = mostRows()
      if (rows < most && bytes < settings.batchBytes) return false
      const own = waiting.get(partition)?.bytes ?? 0
      return own >= settings.shareBytes || rows >= 2 * most || bytes >= 2 * settings.batchBytes
    },
    isIdle: () => waiting.size === 0 && inFlight.size === 0 && !committing,
    committed: () => committed,
    oldest() {
      let oldest = waiting.size === 0 ? undefined : since
      for (const batch of flying.values()) oldest = Math.min(oldest ?? batch.since, batch.since)
      return oldest
    },
    load() {
      let flyingBytes = 0
      for (const batch of flying.values()) flyingBytes += batch.bytes
      return { rows, bytes: bytes + flyingBytes, inserts: lanes }
    },
    close() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
