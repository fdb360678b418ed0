import { expect, it } from 'vitest'
import type { EventOutcome } from '../definition/definition.ts'
import { ConfigurationError } from '../errors.ts'
import { createHeldGroups } from './held-groups.ts'
import { createRefusedInRow } from './refused-in-row.ts'

const delivered: EventOutcome = { kind: 'delivered' }
const wrong = (name: string): ConfigurationError => new ConfigurationError(`${name} is wrong`)
const waiting = (name: string) => ({ kind: 'retry', reason: `${name} is wrong`, misconfigured: true }) as const

it('a group with the key of one that waits also waits, whether its answer threw or not', () => {
  const held = createHeldGroups<string>()
  held.hold('a', wrong('a'))
  held.answered('b', waiting('b'))
  held.answered('c', delivered)
  expect(['a', 'b', 'c', 'd'].map(held.heldOutcome)).toEqual([waiting('a'), waiting('b'), undefined, undefined])
})

it('behind 20 groups that wait, others wait with their own reason, until a group is sent', () => {
  const held = createHeldGroups<number>()
  for (let at = 0; at < 19; at++) held.answered(at, waiting(`${at}`))
  expect(held.heldOutcome(30)).toBeUndefined()
  held.hold(19, wrong('19'))
  const reason = 'Not sent, because 20 before it wait: 19 is wrong'
  expect(held.heldOutcome(30)).toEqual({ kind: 'retry', misconfigured: true, reason })
  held.answered(31, delivered)
  expect(held.heldOutcome(30)).toBeUndefined()
})

it('a batch fails as a whole only if no request was answered, or if all events wait', () => {
  const held = createHeldGroups<string>()
  const outcome = held.hold('a', wrong('a'))
  expect(() => held.settled([outcome, { kind: 'rejected', reason: 'too large' }])).toThrow('a is wrong')
  held.answered('a', delivered)
  expect(held.settled([delivered, outcome])).toEqual([delivered, { ...waiting('a'), ofEvent: true }])
  expect(() => held.settled([outcome, outcome])).toThrow('a is wrong')
})

it('20 refusals in a row for one reason end a batch, and others do not', () => {
  const refused = createRefusedInRow()
  const no = (reason: string): EventOutcome => ({ kind: 'rejected', reason })
  for (let at = 0; at < 60; at++) expect(refused.note(no(at % 2 === 0 ? 'x' : 'y'))).toBeUndefined()
  for (let at = 0; at < 19; at++) expect(refused.note(no('z'))).toBeUndefined()
  expect(refused.note(delivered)).toBeUndefined()
  for (let at = 0; at < 19; at++) expect(refused.note(no('z'))).toBeUndefined()
  expect(refused.note(no('z'))).toEqual({ kind: 'retry', reason: 'Not sent, because 20 in a row were refused: z' })
})
