import {
  ConfigurationError,
  type DeliverResult,
  EgressRefusedError,
  type OutgoingEvent,
  RejectedError,
  RetryableError,
} from '@tributary/connector-kit'
import { outgoingEvent } from '@tributary/connector-kit/testing'
import { expect, test } from 'vitest'
import { inGroups } from './by-test-code.ts'

const eventsOf = (...ids: string[]): OutgoingEvent[] =>
  ids.map((messageId) => outgoingEvent({ messageId }, { action: 'send', payload: {} }))
const delivered: DeliverResult = { outcomes: { kind: 'delivered' }, httpStatus: 200, latencyMs: 1 }
const wrong = new ConfigurationError('The event set does not exist')

/** Sends events in groups by the first letter of their message IDs; the groups in `failing` reject. */
const send = (ids: readonly string[], failing: readonly string[], error: Error = wrong) =>
  inGroups(
    eventsOf(...ids),
    ({ messageId }) => messageId[0],
    async (_, key) => {
      if (failing.includes(String(key))) throw error
      return delivered
    },
  )

test.each([
  ['first', ['b1', 'a1', 'a2']],
  ['last', ['a1', 'a2', 'b1']],
  ['between others', ['a1', 'b1', 'a2']],
])('if the request of one group fails, and the group is %s, only its events are sent again', async (_, ids) => {
  const { outcomes } = await send(ids, ['b'])
  expect(outcomes).toEqual(
    ids.map((id) =>
      id.startsWith('a')
        ? { kind: 'delivered' }
        : { kind: 'retry', reason: wrong.message, misconfigured: true, ofEvent: true },
    ),
  )
})

test.each([
  [new EgressRefusedError('blocked'), { kind: 'retry', reason: 'blocked', misconfigured: true, ofEvent: true }],
  [new RejectedError('never'), { kind: 'rejected', reason: 'never' }],
  [new RetryableError('later', { retryAfterMs: 5000 }), { kind: 'retry', reason: 'later', retryAfterMs: 5000 }],
])('the class of the error decides the outcome of its group: %s', async (error, outcome) => {
  expect((await send(['a1', 'b1'], ['b'], error)).outcomes).toEqual([{ kind: 'delivered' }, outcome])
})

test('if all requests fail, the batch fails with the first error', async () => {
  await expect(send(['a1', 'b1'], ['a', 'b'])).rejects.toBe(wrong)
  await expect(send(['a1', 'a2'], ['a'])).rejects.toBe(wrong)
})

test('an error of the connector itself fails the batch', async () => {
  await expect(send(['a1', 'b1'], ['b'], new TypeError('bug'))).rejects.toThrow('bug')
})
