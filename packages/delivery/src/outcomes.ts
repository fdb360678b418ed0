import type { DeliverResult } from '@tributary/connector-kit'
import type { DeliveryStatus } from '@tributary/contract'
import type { Verdict } from './gate.ts'
import { type Fate, type Item, type Part, releasePart } from './parts.ts'
import type { LaneContext } from './ports.ts'
import type { Recorded } from './record.ts'
import type { RetryQueue } from './retry-queue.ts'
import { decide, outcomeAt } from './retry-rules.ts'

/** An event that is not sent, and why. */
export type KeptBack = Pick<Item, 'part' | 'index'> & {
  event: Recorded
  verdict: Exclude<Verdict, { kind: 'pass' }>
}

export type Outcomes = {
  /** Writes down what became of a batch: delivery log rows for all, parked rows for what failed. */
  settle(batch: readonly Item[], result: DeliverResult, now: number): void
  /** Writes down what is not sent at all: a row in the delivery log for each, a dead letter for what cannot be sent. */
  keepBack(items: readonly KeptBack[], now: number): void
  /** Parks events that were not tried, due at once. */
  giveBack(items: readonly Item[], now: number): void
  /**
   * Parks events that are queued or under way for long: their record leaves the shared stream, and what becomes of them
   * is written to their row.
   */
  adopt(items: readonly Item[], now: number): void
  /** Closes a part whose record cannot be read. */
  unreadable(part: Part, now: number): void
}

const groupByPart = <T>(pairs: readonly { part: Part; value: T }[]): Map<Part, T[]> => {
  const groups = new Map<Part, T[]>()
  for (const { part, value } of pairs) {
    const group = groups.get(part)
    if (group === undefined) groups.set(part, [value])
    else group.push(value)
  }
  return groups
}

const untried: Omit<DeliverResult, 'outcomes'> = { httpStatus: 0, latencyMs: 0 }

const factOf = (fate: Fate | undefined): { status: DeliveryStatus; reason: string } => {
  const decision = fate?.decision
  if (decision === undefined) return { status: 'delivered', reason: '' }
  return { status: decision.kind === 'dead' ? 'dead' : 'retry', reason: 'reason' in decision ? decision.reason : '' }
}

/** The bookkeeping of one lane's outcomes: nothing is let go before it is durable where it belongs. */
export const createOutcomes = (destinationId: string, context: LaneContext, retries: RetryQueue): Outcomes => {
  const { attempts, settings, metrics } = context

  /** Writes a row of the delivery log; a hold of the part ends when it is durable. */
  const log = (
    { part, event }: Omit<KeptBack, 'verdict'>,
    fact: { status: DeliveryStatus; reason: string },
    result: Omit<DeliverResult, 'outcomes'>,
    now: number,
  ): void => {
    const failed = fact.status !== 'delivered'
    const producer = part.record.meta.b
    const row = event.row
    if (producer !== undefined) {
      part.open++
      const outcome = { recordId: event.eventId, destinationId, ...fact, time: now }
      context.outcomes.push(producer.n, outcome, () => releasePart(part))
    }
    attempts.push(
      {
        workspaceId: part.record.meta.w,
        sourceId: part.record.meta.s,
        destinationId,
        eventId: event.eventId,
        messageId: event.messageId,
        eventType: event.type,
        event: event.event,
        time: now,
        attempt: (part.row?.attempts ?? 0) + 1,
        ...fact,
        httpStatus: result.httpStatus,
        latencyMs: result.latencyMs,
        request: failed ? (result.request ?? '') : '',
        response: failed ? (result.response ?? '') : '',
        replayId: part.row?.replayId ?? part.record.meta.p ?? '',
        producer: producer?.k ?? '',
        operation: row?.operation ?? '',
        object: row?.object ?? '',
        key: row?.key ?? '',
      },
      part,
    )
  }

  const fateOf = (item: Item, index: number, result: DeliverResult, now: number): Fate | undefined => {
    const { row } = item.part
    const facts = {
      attempt: (row?.attempts ?? 0) + 1,
      firstTime: row !== undefined && row.attempts > 0 ? row.firstTime : now,
      now,
    }
    const decision = decide(outcomeAt(result, index), facts, settings.retry, settings.retryAfterCapMs)
    return decision.kind === 'delivered'
      ? undefined
      : { index: item.index, eventId: item.event.eventId, decision, result }
  }

  /** Failed events of a row are replaced when all of the row is known, others parked now. */
  const parkFailed = (failed: readonly { part: Part; value: Fate }[], now: number): void => {
    for (const [part, fates] of groupByPart(failed)) {
      part.fates.push(...fates)
      if (part.row !== undefined) continue
      part.open++
      retries.park(part, fates, 1, now)
    }
  }

  return {
    settle: (batch, result, now) => {
      const failed: { part: Part; value: Fate }[] = []
      for (const [index, item] of batch.entries()) {
        const fate = fateOf(item, index, result, now)
        if (fate !== undefined) failed.push({ part: item.part, value: fate })
        log(item, factOf(fate), result, now)
      }
      metrics.count('delivery_attempts', batch.length - failed.length, { outcome: 'delivered' })
      if (failed.length === 0) return
      metrics.count('delivery_attempts', failed.length, { outcome: 'failed' })
      parkFailed(failed, now)
    },
    keepBack: (items, now) => {
      const failed: { part: Part; value: Fate }[] = []
      for (const item of items) {
        const { part, index, verdict } = item
        const { reason } = verdict
        if (verdict.kind === 'failed') {
          const decision = { kind: 'dead' as const, reason }
          failed.push({ part, value: { index, eventId: item.event.eventId, decision, result: undefined } })
          log(item, { status: 'dead', reason }, untried, now)
        } else log(item, { status: 'filtered', reason }, untried, now)
      }
      metrics.count('delivery_events_filtered', items.length - failed.length)
      if (failed.length > 0) parkFailed(failed, now)
    },
    giveBack: (items, now) => {
      const pairs = items.map((item) => ({
        part: item.part,
        value: {
          index: item.index,
          eventId: item.event.eventId,
          decision: { kind: 'returned' as const },
          result: undefined,
        },
      }))
      for (const [part, fates] of groupByPart(pairs)) {
        if (part.row === undefined) retries.park(part, fates, fates.length, now)
        else {
          part.fates.push(...fates)
          releasePart(part, fates.length)
        }
      }
    },
    adopt: (items, now) => {
      const free = items.filter((item) => item.part.row === undefined).map((item) => ({ part: item.part, value: item }))
      for (const [part, group] of groupByPart(free)) retries.adopt(part, group, now)
    },
    unreadable: (part, now) => {
      const decision = { kind: 'dead' as const, reason: "The record in the log can't be read" }
      const indexes = part.row?.indexes ?? Array.from({ length: part.record.meta.n }, (_, index) => index)
      const fates = indexes.map((index, place) => ({
        index,
        eventId: part.row?.eventIds[place] ?? '',
        decision,
        result: undefined,
      }))
      if (part.row === undefined) return retries.park(part, fates, 1, now)
      part.fates.push(...fates)
      releasePart(part)
    },
  }
}
