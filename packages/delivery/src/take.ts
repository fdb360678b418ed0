import type { Batching } from '@tributary/connector-kit'
import type { LaneQueue } from './lane-queue.ts'
import type { KeptBack, Outcomes } from './outcomes.ts'
import type { ParkedRow } from './parking.ts'
import { type Item, type Part, releasePart } from './parts.ts'
import type { LaneContext } from './ports.ts'
import type { Ready } from './readiness.ts'
import type { DeliveryRecord, Outgoing, RecordReference } from './record.ts'

export type Take = {
  (record: DeliveryRecord, row: ParkedRow | undefined, finish: (part: Part) => void): void
  /** Events that are taken and wait for their turn to be judged. */
  pending(): number
  /** False while something waits for its turn, or the workspace has taken more than its share of the thread. */
  free(): boolean
  /** True when something of these partitions waits for its turn. */
  has(partitions: ReadonlySet<number>): boolean
  /** Parks what waits for its turn, due at once: what is queued is given back as well. */
  giveBack(): void
}

/** Longest that events are judged at a stretch, ms: then others have their turn. */
const sliceMs = 5

/** Bytes of what goes out. They bound batches: one by one the event's own say enough. */
const bytesOf = ({ payload, json }: Outgoing, { maxEvents }: Batching): number =>
  Buffer.byteLength(payload === undefined || maxEvents <= 1 ? json : JSON.stringify(payload))

/**
 * The part outlives the body: it stays until its rows are durable. Made by a function of its own, since a closure keeps
 * all that any closure beside it asks for, which in `take` is the record with its body and texts.
 */
const newPart = (record: RecordReference, row: ParkedRow | undefined, finish: (part: Part) => void): Part => {
  const part: Part = { record, row, open: 1, fates: [], finish: () => finish(part) }
  return part
}

type Taking = { part: Part; indexes: readonly number[]; next: number }

/**
 * Takes the events of a record (of a parked row: those that it names) out of the log. Each is judged by the gate as it
 * stands now: what passes is queued as it will go out, of the rest is written why it does not. `finish` is called when
 * all that was taken is durable where it belongs.
 *
 * Filters and mappings are people's own code. They are run for a few ms at a stretch, the rest at the workspace's next
 * turn, and what they take beyond the common is counted: a lane whose workspace took more than its share takes nothing
 * more for a while, so that what it has to wait for waits in the log and delays nobody else.
 */
export const createTake = (deps: {
  id: string
  context: Pick<LaneContext, 'clock' | 'logger' | 'directory' | 'workShare'>
  outcomes: Outcomes
  queue: LaneQueue
  ready: () => Ready | undefined
  /** What waits for its turn may be judged now. */
  sends: () => boolean
  /** Something was queued at a later turn. */
  wake: () => void
}): Take => {
  const { outcomes, queue } = deps
  const { clock, logger, workShare } = deps.context
  const waiting = new Map<Taking, DeliveryRecord>()
  const workspace = (): string => deps.context.directory.get(deps.id)?.workspaceId ?? ''

  /** Judges what fits in a stretch. */
  const slice = (taking: Taking, record: DeliveryRecord, ready: Ready): void => {
    const { part, indexes } = taking
    const events = record.events() ?? []
    const now = clock()
    const items: Item[] = []
    const kept: KeptBack[] = []
    const until = performance.now() + sliceMs
    do {
      const index = indexes[taking.next++]
      const event = index === undefined ? undefined : events[index]
      if (index === undefined || event === undefined) continue
      const verdict = ready.gate(record, index, now)
      if (verdict.kind === 'pass') {
        const { action, payload } = verdict
        const outgoing = { ...event, action, ...(payload === undefined ? {} : { payload }) }
        items.push({ part, index, event: outgoing, bytes: bytesOf(outgoing, ready.batching), since: now, entry: 0 })
      } else kept.push({ part, index, event, verdict })
    } while (taking.next < indexes.length && performance.now() < until)
    part.open += items.length + kept.length
    if (kept.length > 0) outcomes.keepBack(kept, now)
    queue.add(items)
    if (taking.next < indexes.length) waiting.set(taking, record)
    else {
      waiting.delete(taking)
      releasePart(part)
    }
  }

  const giveBackOne = (taking: Taking, record: DeliveryRecord): void => {
    waiting.delete(taking)
    const { part, indexes } = taking
    const events = record.events() ?? []
    const now = clock()
    const rest = indexes.slice(taking.next).flatMap((index) => {
      const event = events[index]
      return event === undefined
        ? []
        : [{ part, index, event: { ...event, action: '' }, bytes: 0, since: now, entry: 0 }]
    })
    part.open += rest.length
    outcomes.giveBack(rest, now)
    releasePart(part)
  }

  /** Goes on at the workspace's turn, and again until all is judged. */
  const goOn = (taking: Taking, record: DeliveryRecord): void => {
    let judged = 0
    const job = (): void => {
      // Given back meanwhile.
      if (!waiting.has(taking)) return
      const ready = deps.ready()
      if (ready === undefined || !deps.sends()) return giveBackOne(taking, record)
      const before = taking.next
      try {
        slice(taking, record, ready)
      } catch (error) {
        logger.error({ err: error, destination: deps.id }, 'Events could not be judged; they are tried again')
        return giveBackOne(taking, record)
      }
      judged = taking.next - before
      if (waiting.has(taking)) goOn(taking, record)
      deps.wake()
    }
    if (!workShare.later(workspace(), job, () => judged)) giveBackOne(taking, record)
  }

  const take = (record: DeliveryRecord, row: ParkedRow | undefined, finish: (part: Part) => void): void => {
    const { reference } = record
    const part = newPart(reference, row, finish)
    const events = record.events()
    const ready = deps.ready()
    if (events === undefined) {
      const { partition, offset } = reference
      logger.error({ partition, offset }, 'A record of the deliveries log is unreadable')
      outcomes.unreadable(part, clock())
      return
    }
    // A lane takes nothing while it cannot send. What a fault leaves open stays in the log.
    if (ready === undefined) throw new Error('Events were taken for a destination that cannot send')
    const taking: Taking = { part, indexes: row?.indexes ?? [...events.keys()], next: 0 }
    workShare.run(
      workspace(),
      () => slice(taking, record, ready),
      () => taking.next,
    )
    if (waiting.has(taking)) goOn(taking, record)
  }

  return Object.assign(take, {
    pending: () => waiting.size,
    has: (partitions: ReadonlySet<number>) =>
      [...waiting.keys()].some(({ part }) => partitions.has(part.record.partition)),
    free: () => waiting.size === 0 && workShare.wait(workspace()) === 0,
    giveBack: () => {
      for (const [taking, record] of waiting) giveBackOne(taking, record)
    },
  })
}
