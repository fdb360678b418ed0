import type { NormalEvent, ParsedEvent, RawEvent } from './event-types.ts'
import type { Outcome, Step } from './outcome.ts'

/** What the steps said of an event, and as much of it as they could read. */
export type StepsResult = {
  readonly event: NormalEvent | undefined
  readonly outcome: Outcome<NormalEvent | ParsedEvent | RawEvent>
}

/**
 * Puts steps one behind the other; the first that does not let an event go on decides. Without promises and lists per
 * event: this runs for every event of every tenant.
 */
export const sequence =
  (
    limits: Step<RawEvent, RawEvent>,
    parse: Step<RawEvent, ParsedEvent>,
    shape: Step<ParsedEvent, NormalEvent>,
    ...rules: readonly Step<NormalEvent, NormalEvent>[]
  ): ((raw: RawEvent) => StepsResult) =>
  (raw) => {
    const limited = limits(raw)
    if (limited.kind !== 'ok') return { event: undefined, outcome: limited }
    const parsed = parse(limited.event)
    if (parsed.kind !== 'ok') return { event: undefined, outcome: parsed }
    let outcome = shape(parsed.event)
    if (outcome.kind !== 'ok') return { event: undefined, outcome }
    let { event } = outcome
    for (const rule of rules) {
      outcome = rule(event)
      if (outcome.kind !== 'ok') return { event, outcome }
      event = outcome.event
    }
    return { event, outcome }
  }
