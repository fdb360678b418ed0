import type { Batching } from '@tributary/connector-kit'
import type { DeliveryRecord, Outgoing, RecordReference } from '../log/record.ts'
import type { WorkerContext } from '../ports.ts'
import type { ParkedRow } from '../retry/parking.ts'
import type { BatchQueue } from './batch-queue.ts'
import { type InFlightRecord, type Item, releaseRecord } from './in-flight-record.ts'
import { type KeyOrder, laterDelivered, type Open } from './key-order.ts'
import type { Lane } from './lane.ts'
import type { Outcomes, SkippedEvent } from './outcomes.ts'
import type { Ready } from './readiness.ts'

export type RecordConsumer = {
  (record: DeliveryRecord, row: ParkedRow | undefined, finish: (inFlight: InFlightRecord) => void): void
  /** Events that are taken and wait for their turn to be checked. */
  pending(): number
  /** False while something waits for its turn, or the workspace has taken more than its share of the thread. */
  free(): boolean
  /** True when something of these partitions waits for its turn. */
  has(partitions: ReadonlySet<number>): boolean
  /** Parks what waits for its turn, due at once: what is queued is requeued as well. */
  requeue(): void
}

/** Longest that events are checked at a stretch, ms: then others have their turn. */
const sliceMs = 5

/** Bytes of what goes out. They bound batches: one by one the event's own say enough. */
const bytesOf = ({ payload, json }: Outgoing, { maxEvents }: Batching): number =>
  Buffer.byteLength(payload === undefined || maxEvents <= 1 ? json : JSON.stringify(payload))

/**
 * The record in flight outlives the body: it stays until its rows are durable. Made by a function of its own, since a closure keeps
 * all that any closure beside it asks for, which in `consume` is the record with its body and texts.
 */
const newInFlightRecord = (
  record: RecordReference,
  row: ParkedRow | undefined,
  lane: Lane,
  finish: (inFlight: InFlightRecord) => void,
): InFlightRecord => {
  const inFlight: InFlightRecord = { record, row, lane, open: 1, failures: [], finish: () => finish(inFlight) }
  return inFlight
}

type Consumption = {
  inFlight: InFlightRecord
  indexes: readonly number[]
  next: number
  /** One for each index, of what has an order among the changes of its record. */
  opens: readonly Open[] | undefined
}

/** Of changes that are not queued, how many are held, and those that are parked behind others. */
type Ordered = { held: number; behind: { item: Item; nextTime: number }[] }

/**
 * Takes the events of a record (of a parked row: those that it names) out of the log. Each is checked by the gate as it
 * stands now: what passes is queued as it will go out, of the rest is written why it does not. `finish` is called when
 * all that was taken is durable where it belongs.
 *
 * Filters and mappings are people's own code. They are run for a few ms at a stretch, the rest at the workspace's next
 * turn, and what they take beyond the common is counted: a worker whose workspace took more than its share takes nothing
 * more for a while, so that what it has to wait for waits in the log and delays nobody else.
 */
export const createRecordConsumer = (deps: {
  id: string
  lane: Lane
  context: Pick<WorkerContext, 'clock' | 'logger' | 'destinationCache' | 'workShare'>
  outcomes: Outcomes
  queue: BatchQueue
  order: KeyOrder
  ready: () => Ready | undefined
  /** What waits for its turn may be checked now. */
  sends: () => boolean
  /** Something was queued at a later turn. */
  wake: () => void
}): RecordConsumer => {
  const { outcomes, queue, order } = deps
  const { clock, logger, workShare } = deps.context
  const waiting = new Map<Consumption, DeliveryRecord>()
  // What live events take of the thread is counted by itself: they have their share whatever is replayed.
  const suffix = deps.lane === 'bulk' ? ' bulk' : ''
  const workspace = (): string => (deps.context.destinationCache.get(deps.id)?.workspaceId ?? '') + suffix

  /** Puts a change of a record where it belongs beside the others of that. */
  const lineUp = (
    open: Open,
    item: Item,
    { items, kept, ordered }: { items: Item[]; kept: SkippedEvent[]; ordered: Ordered },
  ): void => {
    const verdict = order.admit(open, item)
    if (verdict.kind === 'send') items.push(item)
    else if (verdict.kind === 'hold') ordered.held++
    else if (verdict.kind === 'behind') ordered.behind.push({ item, nextTime: verdict.nextTime })
    else kept.push({ ...item, gateResult: { kind: 'filtered', reason: laterDelivered } })
  }

  /** Checks what fits in a stretch. */
  const slice = (consumption: Consumption, record: DeliveryRecord, ready: Ready): void => {
    const { inFlight, indexes, opens } = consumption
    const events = record.events() ?? []
    const now = clock()
    const items: Item[] = []
    const kept: SkippedEvent[] = []
    const ordered: Ordered = { held: 0, behind: [] }
    const until = performance.now() + sliceMs
    do {
      const open = opens?.[consumption.next]
      const index = indexes[consumption.next++]
      const event = index === undefined ? undefined : events[index]
      if (index === undefined || event === undefined) {
        if (open !== undefined) order.close(open, false)
        continue
      }
      const gateResult = ready.gate(record, index, now)
      if (gateResult.kind === 'pass') {
        const { action, payload } = gateResult
        const outgoing = { ...event, action, ...(payload === undefined ? {} : { payload }) }
        const bytes = bytesOf(outgoing, ready.batching)
        const item: Item = { inFlight, index, event: outgoing, bytes, since: now, entry: 0, open }
        if (open === undefined) items.push(item)
        else lineUp(open, item, { items, kept, ordered })
      } else kept.push({ inFlight, index, event, gateResult, open })
    } while (consumption.next < indexes.length && performance.now() < until)
    inFlight.open += items.length + kept.length + ordered.held + ordered.behind.length
    if (kept.length > 0) outcomes.skip(kept, now)
    if (ordered.behind.length > 0) outcomes.waitBehind(ordered.behind, now)
    queue.add(items)
    if (consumption.next < indexes.length) waiting.set(consumption, record)
    else {
      waiting.delete(consumption)
      releaseRecord(inFlight)
    }
  }

  const requeueOne = (consumption: Consumption, record: DeliveryRecord): void => {
    waiting.delete(consumption)
    const { inFlight, indexes, opens } = consumption
    const events = record.events() ?? []
    const now = clock()
    const at = consumption.next
    const rest = indexes.slice(consumption.next).flatMap((index, place) => {
      const event = events[index]
      return event === undefined
        ? []
        : [
            {
              inFlight,
              index,
              event: { ...event, action: '' },
              bytes: 0,
              since: now,
              entry: 0,
              open: opens?.[at + place],
            },
          ]
    })
    inFlight.open += rest.length
    outcomes.requeue(rest, now)
    releaseRecord(inFlight)
  }

  /** Goes on at the workspace's turn, and again until all is checked. */
  const goOn = (consumption: Consumption, record: DeliveryRecord): void => {
    let checked = 0
    const job = (): void => {
      // Given back meanwhile.
      if (!waiting.has(consumption)) return
      const ready = deps.ready()
      if (ready === undefined || !deps.sends()) return requeueOne(consumption, record)
      const before = consumption.next
      try {
        slice(consumption, record, ready)
      } catch (error) {
        logger.error({ err: error, destination: deps.id }, 'Events could not be checked; they are tried again')
        return requeueOne(consumption, record)
      }
      checked = consumption.next - before
      if (waiting.has(consumption)) goOn(consumption, record)
      deps.wake()
    }
    if (!workShare.later(workspace(), job, () => checked)) requeueOne(consumption, record)
  }

  const consume = (
    record: DeliveryRecord,
    row: ParkedRow | undefined,
    finish: (inFlight: InFlightRecord) => void,
  ): void => {
    const { reference } = record
    const inFlight = newInFlightRecord(reference, row, deps.lane, finish)
    const events = record.events()
    const ready = deps.ready()
    if (events === undefined) {
      const { partition, offset } = reference
      logger.error({ partition, offset }, 'A record of the deliveries log is unreadable')
      if (row !== undefined) order.lost([row.id])
      outcomes.unreadable(inFlight, clock())
      return
    }
    // A worker takes nothing while it cannot send. What a fault leaves open stays in the log.
    if (ready === undefined) throw new Error('Events were taken for a destination that cannot send')
    const indexes = row?.indexes ?? [...events.keys()]
    const opens = order.take(record, indexes, row?.id)
    const consumption: Consumption = { inFlight, indexes, next: 0, opens }
    workShare.run(
      workspace(),
      () => slice(consumption, record, ready),
      () => consumption.next,
    )
    if (waiting.has(consumption)) goOn(consumption, record)
  }

  return Object.assign(consume, {
    pending: () => waiting.size,
    has: (partitions: ReadonlySet<number>) =>
      [...waiting.keys()].some(({ inFlight }) => partitions.has(inFlight.record.partition)),
    free: () => waiting.size === 0 && workShare.wait(workspace()) === 0,
    requeue: () => {
      for (const [consumption, record] of waiting) requeueOne(consumption, record)
    },
  })
}
