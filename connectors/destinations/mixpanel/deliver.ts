import {
  type ConnectionTest,
  type DeliverResult,
  type EventOutcome,
  type Exchange,
  type OutgoingEvent,
  testOf,
} from '@tributary/connector-kit'
import { aliasOperations } from './actions/alias.ts'
import { groupOperations } from './actions/group.ts'
import { identifyOperations } from './actions/identify.ts'
import { trackOperations } from './actions/track.ts'
import { type Endpoint, endpoints, type Made } from './operation.ts'
import { type Context, outcomesOf, post, setUpProblem } from './request.ts'
import type { MixpanelSettings } from './settings.ts'

const operationsOf = (event: OutgoingEvent, settings: MixpanelSettings): Made => {
  switch (event.action) {
    case 'identify':
      return identifyOperations(event, settings)
    case 'group':
      return groupOperations(event, settings)
    case 'alias':
      return aliasOperations(event, settings)
    default:
      return trackOperations(event, settings)
  }
}

/**
 * Returns the outcome of an event with records at two endpoints: a retry if one record needs a retry, otherwise
 * rejected if one is rejected.
 */
const worst = (one: EventOutcome, other: EventOutcome): EventOutcome => {
  if (one.kind === 'retry' || other.kind === 'delivered') return one
  return other.kind === 'retry' || one.kind === 'delivered' ? other : one
}

const recordsFor = (endpoint: Endpoint, made: readonly Made[]): { index: number; body: unknown }[] =>
  made.flatMap((each, index) =>
    'problem' in each
      ? []
      : each.operations.filter((one) => one.endpoint === endpoint).map(({ body }) => ({ index, body })),
  )

const nothing: Exchange = { httpStatus: 0, latencyMs: 0, request: '', response: '' }

/**
 * Sends a batch: one request for events, one for user profiles and one for group profiles. Mixpanel names the refused
 * records; an event is delivered if all of its records are. An event that is sent again counts once, by its insert ID,
 * and setting a profile again changes nothing.
 */
export const deliver = async (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const made = batch.map((event) => operationsOf(event, context.settings))
  const outcomes = made.map(
    (each): EventOutcome => ('problem' in each ? { kind: 'rejected', reason: each.problem } : { kind: 'delivered' }),
  )
  let shown = nothing
  let latencyMs = 0
  for (const endpoint of endpoints) {
    const records = recordsFor(endpoint, made)
    if (records.length === 0) continue
    const bodies = records.map(({ body }) => body)
    const call = await post(context, endpoint, bodies)
    const found = outcomesOf(call, records.length, context.clock())
    latencyMs += call.answer.latencyMs
    if ('kind' in found) return { outcomes: found, ...call.exchange() }
    for (const [at, { index }] of records.entries())
      outcomes[index] = worst(outcomes[index] ?? { kind: 'delivered' }, found[at] ?? { kind: 'delivered' })
    const failed = found.some(({ kind }) => kind !== 'delivered')
    if (shown.request === '') shown = failed ? call.exchange() : { ...nothing, httpStatus: call.answer.status }
  }
  const { httpStatus, request, response } = shown
  if (outcomes.every(({ kind }) => kind === 'delivered')) return { outcomes, httpStatus, latencyMs }
  return { outcomes, httpStatus, latencyMs, request, response }
}

/** Sends an empty list, because Mixpanel checks the token before the list. */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const call = await post(context, 'import', [])
    const problem = setUpProblem(call)
    if (problem !== undefined) return { ok: false, message: problem }
    const { status } = call.answer
    if (status === 429 || status >= 500)
      return { ok: false, message: `Mixpanel cannot accept events right now (HTTP ${status})` }
    return { ok: true, message: 'Mixpanel accepts this project token.' }
  })
