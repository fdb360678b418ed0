import type { DeliverResult } from '@tributary/connector-kit'
import type { DeliveryStatus } from '@tributary/contract'
import type { Verdict } from './gate.ts'
import type { NewParkedRow, ParkedRow } from './parking.ts'
import { type Fate, type Item, type Part, releasePart, replaceRow, rowsOf } from './parts.ts'
import type { LaneContext } from './ports.ts'
import type { RecordedEvent } from './record.ts'
import { decide, outcomeAt } from './retry-rules.ts'

/** What a lane knows of its rows in the relational store. */
export type LaneRows = {
  /** Waiting rows, those in memory included. */
  waiting: number
  /** Epoch ms when the next one is due; Infinity when none waits. */
  nextDue: number
  /** Rows whose events are queued or under way. */
  readonly taken: Set<string>
  /** Changes that are not durable yet. */
  unparked: number
  /** Grows whenever a row may wait that did not before: what was looked up earlier is out of date then. */
  version: number
}

/** An event that is not sent, and why. */
export type KeptBack = Pick<Item, 'part' | 'index'> & {
  event: RecordedEvent
  verdict: Exclude<Verdict, { kind: 'pass' }>
}

export type Outcomes = {
  readonly rows: LaneRows
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
  /** Closes a row whose record is no longer in the log. */
  lost(row: ParkedRow, now: number): void
  /** Called as `finish` of a part that came from a row, when the fates of all its events are known. */
  closeRow(part: Part, row: ParkedRow): void
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
export const createOutcomes = (destinationId: string, context: LaneContext): Outcomes => {
  const { attempts, parking, settings, metrics, clock } = context
  const rows: LaneRows = { waiting: 0, nextDue: Number.POSITIVE_INFINITY, taken: new Set(), unparked: 0, version: 0 }

  const noteDurable = (written: readonly NewParkedRow[]): void => {
    for (const row of written) {
      if (row.state === 'dead') {
        metrics.count('delivery_events_dead', row.events, { reason: 'refused' })
        continue
      }
      rows.waiting++
      rows.version++
      rows.nextDue = Math.min(rows.nextDue, row.nextTime)
    }
  }

  /** Parks fates of a part straight from the log; `holds` of the part end when they are durable. */
  const park = (part: Part, fates: readonly Fate[], holds: number, now: number): void => {
    const written = rowsOf(destinationId, part, fates, now)
    rows.unparked++
    parking.push({ deletes: [], rows: written }, () => {
      rows.unparked--
      noteDurable(written)
      releasePart(part, holds)
    })
  }

  /** Writes a row of the delivery log; a hold of the part ends when it is durable. */
  const log = (
    { part, event }: Omit<KeptBack, 'verdict'>,
    fact: { status: DeliveryStatus; reason: string },
    result: Omit<DeliverResult, 'outcomes'>,
    now: number,
  ): void => {
    const failed = fact.status !== 'delivered'
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
      park(part, fates, 1, now)
    }
  }

  const closeRow = (part: Part, row: ParkedRow): void => {
    const change = replaceRow(destinationId, part, row, clock())
    if (change === undefined) {
      rows.taken.delete(row.id)
      rows.version++
      rows.nextDue = Math.min(rows.nextDue, row.nextTime)
      return
    }
    rows.unparked++
    parking.push(change, () => {
      rows.unparked--
      rows.taken.delete(row.id)
      rows.waiting = Math.max(0, rows.waiting - 1)
      noteDurable(change.rows)
    })
  }

  const adoptPart = (part: Part, items: readonly Item[], now: number): void => {
    const fates = items.map(({ index, event }) => ({
      index,
      eventId: event.eventId,
      decision: { kind: 'returned' as const },
      result: undefined,
    }))
    for (const row of rowsOf(destinationId, part, fates, now)) {
      const adopted: Part = {
        record: part.record,
        row,
        open: items.length,
        fates: [],
        finish: () => closeRow(adopted, row),
      }
      for (const item of items) item.part = adopted
      rows.taken.add(row.id)
      rows.unparked++
      parking.push({ deletes: [], rows: [row] }, () => {
        rows.unparked--
        noteDurable([row])
        releasePart(part, items.length)
      })
    }
  }

  return {
    rows,
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
        if (part.row === undefined) park(part, fates, fates.length, now)
        else {
          part.fates.push(...fates)
          releasePart(part, fates.length)
        }
      }
    },
    adopt: (items, now) => {
      const free = items.filter((item) => item.part.row === undefined).map((item) => ({ part: item.part, value: item }))
      for (const [part, group] of groupByPart(free)) adoptPart(part, group, now)
    },
    unreadable: (part, now) => {
      const decision = { kind: 'dead' as const, reason: 'The record in the log is unreadable' }
      const indexes = part.row?.indexes ?? Array.from({ length: part.record.meta.n }, (_, index) => index)
      const fates = indexes.map((index, place) => ({
        index,
        eventId: part.row?.eventIds[place] ?? '',
        decision,
        result: undefined,
      }))
      if (part.row === undefined) return park(part, fates, 1, now)
      part.fates.push(...fates)
      releasePart(part)
    },
    lost: (row, now) => {
      rows.taken.add(row.id)
      const dead: NewParkedRow = {
        ...row,
        nextTime: now,
        events: row.indexes.length,
        bytes: 0,
        state: 'dead',
        lastStatus: undefined,
        reason: 'The log no longer holds it',
        request: '',
        response: '',
      }
      parking.push({ deletes: [row.id], rows: [dead] }, () => {
        rows.taken.delete(row.id)
        rows.waiting = Math.max(0, rows.waiting - 1)
        noteDurable([dead])
      })
    },
    closeRow,
  }
}
