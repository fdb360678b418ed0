import type { Batching, OutgoingEvent } from '@tributary/connector-kit'
import type { LaneQueue } from './lane-queue.ts'
import type { KeptBack, Outcomes } from './outcomes.ts'
import type { ParkedRow } from './parking.ts'
import { type Item, type Part, releasePart } from './parts.ts'
import type { LaneContext } from './ports.ts'
import type { Ready } from './readiness.ts'
import type { DeliveryRecord } from './record.ts'

export type Take = (record: DeliveryRecord, row: ParkedRow | undefined, finish: (part: Part) => void) => void

/** Bytes of what goes out. They bound batches: one by one the event's own say enough. */
const bytesOf = ({ payload, json }: OutgoingEvent, { maxEvents }: Batching): number =>
  Buffer.byteLength(payload === undefined || maxEvents <= 1 ? json : JSON.stringify(payload))

/**
 * Takes the events of a record (of a parked row: those that it names) out of the log. Each is judged by the gate as it
 * stands now: what passes is queued as it will go out, of the rest is written why it does not. `finish` is called when
 * all that was taken is durable where it belongs.
 */
export const createTake = (deps: {
  context: Pick<LaneContext, 'clock' | 'logger'>
  outcomes: Outcomes
  queue: LaneQueue
  ready: () => Ready | undefined
}): Take => {
  const { outcomes, queue } = deps
  const { clock, logger } = deps.context
  return (record, row, finish) => {
    const { reference } = record
    // The part outlives the body: it stays until its rows are durable.
    const part: Part = { record: reference, row, open: 1, fates: [], finish: () => finish(part) }
    const events = record.events()
    const now = clock()
    const ready = deps.ready()
    if (events === undefined) {
      const { partition, offset } = reference
      logger.error({ partition, offset }, 'A record of the deliveries log is unreadable')
      outcomes.unreadable(part, now)
      return
    }
    // A lane takes nothing while it cannot send. What a fault leaves open stays in the log.
    if (ready === undefined) throw new Error('Events were taken for a destination that cannot send')
    const items: Item[] = []
    const kept: KeptBack[] = []
    for (const index of row?.indexes ?? events.keys()) {
      const event = events[index]
      if (event === undefined) continue
      const verdict = ready.gate(record, index, now)
      if (verdict.kind === 'pass') {
        const { action, payload } = verdict
        const outgoing = { ...event, action, ...(payload === undefined ? {} : { payload }) }
        items.push({ part, index, event: outgoing, bytes: bytesOf(outgoing, ready.batching), since: now, entry: 0 })
      } else kept.push({ part, index, event, verdict })
    }
    part.open += items.length + kept.length
    if (kept.length > 0) outcomes.keepBack(kept, now)
    queue.add(items)
    releasePart(part)
  }
}
