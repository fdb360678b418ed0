import {
  type DeliverResult,
  type EventOutcome,
  failedOutcome,
  type OutgoingEvent,
  type SplitOutcome,
  waitingAlone,
} from '@tributary/connector-kit'

const each = (outcomes: EventOutcome | readonly EventOutcome[], count: number): readonly EventOutcome[] =>
  'kind' in outcomes ? Array.from({ length: count }, () => outcomes) : outcomes

const isSplit = (outcomes: DeliverResult['outcomes']): outcomes is SplitOutcome =>
  'kind' in outcomes && outcomes.kind === 'split'

/** Returns the code of the platform's test screen to which an event is sent; '' for an event that counts. */
export const testCodeOf = ({ payload }: OutgoingEvent, ofSettings: string | undefined): string => {
  const own = payload?.['test_event_code']
  return (typeof own === 'string' ? own.trim() : '') || (ofSettings?.trim() ?? '')
}

/**
 * Sends events of the same group together, because they share a request. A split part is sent again as a whole; events
 * that have arrived count once. If the request of a group fails, only its events are sent again.
 */
export const inGroups = async <Key>(
  batch: readonly OutgoingEvent[],
  groupOf: (event: OutgoingEvent) => Key,
  send: (events: readonly OutgoingEvent[], key: Key) => Promise<DeliverResult>,
): Promise<DeliverResult> => {
  const groups = [...Map.groupBy(batch, groupOf)]
  const found = new Map<OutgoingEvent, EventOutcome>()
  let isAnySent = false
  let result: DeliverResult = { outcomes: [], httpStatus: 0, latencyMs: 0 }
  const [first] = groups
  if (first !== undefined && groups.length === 1) return await send(first[1], first[0])
  let firstError: unknown
  for (const [key, events] of groups) {
    let sent: DeliverResult
    try {
      sent = await send(events, key)
    } catch (error) {
      firstError ??= error
      for (const event of events) found.set(event, failedOutcome(error))
      continue
    }
    isAnySent = true
    if (isSplit(sent.outcomes)) {
      if (events.length > 1) return sent
      found.set(events[0] as OutgoingEvent, { kind: 'rejected', reason: sent.outcomes.reason })
    } else
      for (const [index, outcome] of each(sent.outcomes, events.length).entries())
        found.set(events[index] as OutgoingEvent, outcome)
    result = { ...result, ...sent }
  }
  if (!isAnySent && firstError !== undefined) throw firstError
  return { ...result, outcomes: waitingAlone(batch.map((event) => found.get(event) as EventOutcome)) }
}

/** Sends events with one code of the test screen together, because a request has one code. */
export const byTestCode = (
  batch: readonly OutgoingEvent[],
  ofSettings: string | undefined,
  send: (events: readonly OutgoingEvent[], code: string) => Promise<DeliverResult>,
): Promise<DeliverResult> => inGroups(batch, (event) => testCodeOf(event, ofSettings), send)
