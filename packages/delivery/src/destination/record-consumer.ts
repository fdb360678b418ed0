import type { Batching } from '@tributary/connector-kit'
import { beginPiece, noteWork, WorkHeld } from '@tributary/kernel'
import { type DeliveryRecord, type Lane, type Outgoing, type RecordReference, release } from '../log/record.ts'
import { type InFlightRecord, type Item } from '../parking/in-flight-record.ts'
import { type KeyOrder, laterDelivered, type Open } from '../parking/key-order.ts'
import type { ParkedRow } from '../parking/parked-row.ts'
import type { GateResult } from './gate.ts'
import type { Outcomes, SkippedEvent } from './outcomes.ts'
import type { Ready } from './readiness.ts'
import { deliveryItem } from './sending.ts'
import type { WorkerContext } from './worker-context.ts'
import type { BatchQueue } from './worker-lane.ts'

export type RecordConsumer = {
  (record: DeliveryRecord, row: ParkedRow | undefined, finish: (inFlight: InFlightRecord) => void): void
  /** Returns the number of taken events that are not checked yet. */
  pending(): number
  /**
   * Whether a record may be taken: no events wait to be checked, and the workspace has not used up its share of the
   * thread.
   */
  free(): boolean
  /** Whether events of these partitions wait to be checked. */
  has(partitions: ReadonlySet<number>): boolean
  /** Parks the events that wait to be checked, due immediately. Called when the queue is requeued. */
  requeue(): void
}

/**
 * Returns the bytes of the outgoing event, which limit a batch. For events that are sent alone, it is the size of the
 * event itself.
 */
const bytesOf = ({ payload, json }: Outgoing, { maxEvents }: Batching): number =>
  Buffer.byteLength(payload === undefined || maxEvents <= 1 ? json : JSON.stringify(payload))

/**
 * The record in flight outlives the body: it stays until its rows are durable. A separate function creates it, since a
 * closure keeps everything that any closure of the same scope uses. In `consume` that would be the record with its body
 * and texts.
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

/** The gate's result for an event. An event that is held because it blocked a thread has failed. */
const gateOf = (ready: Ready, record: DeliveryRecord, index: number, now: number, named: Named): GateResult => {
  try {
    noteWork('delivery.check', named.workspaceId, deliveryItem(named.id, named.eventId))
    return ready.gate(record, index, now)
  } catch (error) {
    if (error instanceof WorkHeld) return { kind: 'failed', reason: error.message }
    throw error
  }
}

type Named = { workspaceId: string; id: string; eventId: string }

type Consumption = {
  inFlight: InFlightRecord
  indexes: readonly number[]
  next: number
  /** By index, the open change of an event that is ordered among the changes of its record. */
  opens: readonly Open[] | undefined
}

/**
 * Changes that are not queued: the number of changes that are held in memory, and the changes to park behind other
 * changes.
 */
type Ordered = { held: number; behind: { item: Item; nextTime: number }[] }

/**
 * Takes the events of a record out of the log; for a parked row, the events that it names. The current gate checks each
 * event. Those that pass are queued in the form in which they will be sent; for the others, the reason is written.
 * Calls `finish` when everything taken is durable.
 *
 * Filters and mappings are code of users. They run for a few ms in one turn, and the rest in the workspace's next turn.
 * Time beyond the usual amount is charged to the workspace. A worker whose workspace used more than its share takes
 * nothing more for a while: its records wait in the log and delay no other workspace.
 */
export const createRecordConsumer = (deps: {
  id: string
  lane: Lane
  context: Pick<WorkerContext, 'clock' | 'logger' | 'destinationCache' | 'workShare'>
  outcomes: Outcomes
  queue: BatchQueue
  order: KeyOrder
  ready: () => Ready | undefined
  /** Whether waiting events may be checked now. */
  sends: () => boolean
  /** Called when events were queued in a later turn. */
  wake: () => void
}): RecordConsumer => {
  const { outcomes, queue, order } = deps
  const { clock, logger, workShare } = deps.context
  const waiting = new Map<Consumption, DeliveryRecord>()
  // Thread time of live events is counted separately, so replays do not reduce their share.
  const suffix = deps.lane === 'bulk' ? ' bulk' : ''
  const workspaceId = (): string => deps.context.destinationCache.get(deps.id)?.workspaceId ?? ''
  const workspace = (): string => workspaceId() + suffix

  /** Queues, holds, or skips a change, depending on the other changes of its record. */
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

  /** Checks events until the time of the turn is used. */
  const slice = (consumption: Consumption, record: DeliveryRecord, ready: Ready): void => {
    const { inFlight, indexes, opens } = consumption
    const events = record.events() ?? []
    const now = clock()
    const items: Item[] = []
    const kept: SkippedEvent[] = []
    const ordered: Ordered = { held: 0, behind: [] }
    const piece = beginPiece()
    do {
      const open = opens?.[consumption.next]
      const index = indexes[consumption.next++]
      const event = index === undefined ? undefined : events[index]
      if (index === undefined || event === undefined) {
        if (open !== undefined) order.close(open, false)
        continue
      }
      const named = { workspaceId: workspaceId(), id: deps.id, eventId: event.eventId }
      const gateResult = gateOf(ready, record, index, now, named)
      if (gateResult.kind === 'pass') {
        const { action, payload, fixedLists, note, profile } = gateResult
        const outgoing = {
          ...event,
          action,
          ...(payload === undefined ? {} : { payload }),
          ...(fixedLists === undefined ? {} : { fixedLists }),
        }
        const bytes = bytesOf(outgoing, ready.batching)
        const item: Item = {
          inFlight,
          index,
          event: outgoing,
          bytes,
          since: now,
          entry: 0,
          open,
          ...(note === undefined ? {} : { note }),
          ...(profile === undefined ? {} : { profile }),
        }
        if (open === undefined) items.push(item)
        else lineUp(open, item, { items, kept, ordered })
      } else kept.push({ inFlight, index, event, gateResult, open })
    } while (consumption.next < indexes.length && !piece.isOver())
    inFlight.open += items.length + kept.length + ordered.held + ordered.behind.length
    if (kept.length > 0) outcomes.skip(kept, now)
    if (ordered.behind.length > 0) outcomes.waitBehind(ordered.behind, now)
    queue.add(items)
    if (consumption.next < indexes.length) waiting.set(consumption, record)
    else {
      waiting.delete(consumption)
      release(inFlight)
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
    release(inFlight)
  }

  /** Continues in the workspace's next turns until all events are checked. */
  const goOn = (consumption: Consumption, record: DeliveryRecord): void => {
    let checked = 0
    const job = (): void => {
      // The events were requeued before their turn.
      if (!waiting.has(consumption)) return
      const ready = deps.ready()
      if (ready === undefined || !deps.sends()) return requeueOne(consumption, record)
      const before = consumption.next
      try {
        slice(consumption, record, ready)
      } catch (error) {
        logger.error({ err: error, destination: deps.id }, 'events could not be checked; trying again')
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
      logger.error({ partition, offset }, 'record of the deliveries log is unreadable')
      if (row !== undefined) order.lost([row.id])
      outcomes.unreadable(inFlight, clock())
      return
    }
    // A worker takes nothing while it cannot send. If this happens nevertheless, the events stay in the log.
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
