import type { DeliverContext } from '../definition/definition.ts'
import { ConfigurationError } from '../errors.ts'
import type { Call } from '../http/send-request.ts'
import { hasStatus, parsedAnswer, valueInAnswer } from './answer-value.ts'
import { bodyWith, type Described, type Envelope, transmit } from './open-request.ts'
import { type Reading, readAnswer, type SentItem } from './read-answer.ts'

/** A request with its answer, and what the answer says. */
export type Sent = { call: Call; reading: Exclude<Reading, { kind: 'misconfigured' }> }

/** Sends a request and reads its answer. Throws ConfigurationError if a user has to change the settings. */
export const sendRead = async (
  described: Described,
  envelope: Envelope,
  items: readonly SentItem[],
  context: DeliverContext,
): Promise<Sent> => {
  const { call, secrets } = await transmit(described, envelope, bodyWith(envelope, items), context)
  const answers = envelope.request.answers ?? described.answers
  const { title } = described
  const reading = readAnswer({ answer: call.answer, answers, items, title, secrets, now: context.clock() })
  if (reading.kind === 'misconfigured') throw new ConfigurationError(reading.message, call.exchange())
  return { call, reading }
}

/**
 * Looks a record up, and returns the value at a path of the answer; undefined if there is none. An answer 404 means that
 * there is none, unless a rule says otherwise. If the lookup fails, returns what its answer says.
 */
export const lookUp = async (
  described: Described,
  envelope: Envelope,
  path: string,
  context: DeliverContext,
): Promise<{ found: unknown } | Sent> => {
  const sent = await sendRead(described, envelope, [], context)
  const { answer } = sent.call
  const { reading } = sent
  const isThere = reading.kind === 'all' && reading.outcome.kind === 'delivered'
  if (!isThere && !hasStatus(answer.status, [404])) return sent
  return { found: isThere ? (valueInAnswer(parsedAnswer(answer.body), path) ?? undefined) : undefined }
}
