import type { PipelineEvent } from '@tributary/contract'
import type { DeliverContext, EventOutcome } from '../definition/definition.ts'
import { ConfigurationError, DeliveryError, RetryableError } from '../errors.ts'
import { revokedText } from '../http/oauth2.ts'
import type { VectorEvent } from './format/vectors.ts'
import { putAt } from './requests/open-request.ts'

/** The time at which vectors run, a moment after that of their events. */
export const vectorNow = Date.parse('2026-01-02T03:05:00.000Z')

/** Returns an event of a vector: the members of the sample, its own ones, and its pad. */
export const vectorEventOf = (sample: VectorEvent, { pad, ...own }: VectorEvent, at: number): PipelineEvent => {
  const { userId, ...others } = { ...sample, ...own }
  const event = {
    eventId: `0-00000000000000000001-0000${at}`,
    messageId: `message-${at + 1}`,
    type: 'track',
    event: '',
    context: {},
    test: false,
    receivedAt: '2026-01-02T03:04:05.678Z',
    timestamp: '2026-01-02T03:04:05.678Z',
    ...others,
    ...(typeof userId === 'string' ? { userId } : {}),
  }
  const path = pad === undefined ? '' : 'path' in pad ? pad.path : `properties.${pad.property}`
  return (pad === undefined ? event : putAt(event, path, 'x'.repeat(pad.bytes))) as PipelineEvent
}

/** Returns the outcome of the events of a delivery that threw. Rethrows an error that no delivery should throw. */
export const vectorOutcomeOf = (error: unknown): EventOutcome => {
  if (error instanceof ConfigurationError) return { kind: 'retry', reason: error.message, misconfigured: true }
  if (error instanceof RetryableError) {
    const { message, retryAfterMs } = error
    return { kind: 'retry', reason: message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  }
  if (error instanceof DeliveryError) return { kind: 'rejected', reason: error.message }
  throw error
}

/** The access tokens that vectors see. */
export const vectorTokens = { first: 'access-token-1', renewed: 'access-token-2' }

/** The tokens of a destination with a grant: a refused one is renewed once, and then the grant has ended. */
export const vectorGrant: Required<Pick<DeliverContext, 'accessToken'>> = {
  accessToken: async (refused, again) => {
    if (again === true) throw new ConfigurationError(revokedText)
    return refused === undefined ? vectorTokens.first : vectorTokens.renewed
  },
}
