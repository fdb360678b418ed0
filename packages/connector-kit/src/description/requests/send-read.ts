import type { DeliverContext } from '../../definition/definition.ts'
import { ConfigurationError } from '../../errors.ts'
import type { Call } from '../../http/send-request.ts'
import { hasStatus, parsedAnswer, valueInAnswer } from '../answers/answer-value.ts'
import { type Reading, readAnswer, ruleFor, type SentItem } from '../answers/read-answer.ts'
import { depthOf, descriptionLimits } from '../format/limits.ts'
import { bodyWith, type Described, type Envelope, listingBytes, transmit } from './open-request.ts'

/** A request with its answer, and what the answer says. */
export type Sent = { call: Call; reading: Exclude<Reading, { kind: 'misconfigured' }> }

/** Sends a request and reads `maxBytes` of its answer. Throws ConfigurationError if a user has to change the settings. */
export const sendRead = async (
  described: Described,
  envelope: Envelope,
  items: readonly SentItem[],
  context: DeliverContext,
  maxBytes?: number,
): Promise<Sent> => {
  const body = bodyWith(envelope, items)
  const { call, secrets } = await transmit(described, envelope, body, context, items.length, maxBytes)
  const answers = envelope.request.answers ?? described.answers
  const { title } = described
  const reading = readAnswer({ answer: call.answer, answers, items, title, secrets, now: context.clock() })
  if (reading.kind === 'misconfigured') throw new ConfigurationError(reading.message, call.exchange())
  return { call, reading }
}

/**
 * Looks a record up, and returns the value at a path of the answer; undefined if there is none. An answer 404 means that
 * there is none, unless a rule says otherwise. If the lookup fails, returns what its answer says. A success that cannot be
 * read is retried, because there can be a record.
 */
export const lookUp = async (
  described: Described,
  envelope: Envelope,
  path: string,
  context: DeliverContext,
): Promise<{ found: unknown } | Sent> => {
  const sent = await sendRead(described, envelope, [], context, listingBytes)
  const { call, reading } = sent
  const { status } = call.answer
  const body = parsedAnswer(call.answer.body)
  if (reading.kind === 'items' || reading.outcome.kind !== 'delivered') {
    const isRuled = ruleFor(envelope.request.answers ?? described.answers, call.answer, body) !== undefined
    return status === 404 && !isRuled ? { found: undefined } : sent
  }
  const found = valueInAnswer(body, path) ?? undefined
  const isTooDeep = depthOf(found, descriptionLimits.depth) > descriptionLimits.depth
  if ((hasStatus(status, ['2xx']) && body === undefined) || isTooDeep) {
    const reason = `The answer of ${described.title} cannot be read (HTTP ${status})`
    return { call, reading: { kind: 'all', outcome: { kind: 'retry', reason }, split: false } }
  }
  return { found }
}
