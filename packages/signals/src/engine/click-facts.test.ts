import { expect, it } from 'vitest'
import { factsOf } from './click-facts.ts'

it.each<[string, object, string | undefined]>([
  ['of our tag', { context: { browserIds: { gaSession: '1700000000' }, sessionId: 5 } }, '1700000000'],
  ['of the properties', { properties: { ga_session_id: 1_700_000_000 }, context: { sessionId: 5 } }, '1700000000'],
  ['of the libraries of RudderStack', { context: { sessionId: 1_700_000_000 } }, '1700000000'],
  ['that is absent', { context: {} }, undefined],
])('the session of Google Analytics %s is a fact of an event', (_, event, session) => {
  expect(factsOf({ ...event }, Date.UTC(2026, 10, 29)).ga_session_id?.value).toBe(session)
})
