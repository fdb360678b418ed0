import { expect, test } from 'vitest'
import { type OutboundOutcome, outcomesBody, outcomesOf, outcomesOfRecord } from './outbound.ts'

const outcome = (recordId: string, more: Partial<OutboundOutcome> = {}): OutboundOutcome => ({
  recordId,
  destinationId: 'd',
  status: 'delivered',
  reason: '',
  time: 1,
  ...more,
})
const mixed = [
  outcome('a'),
  outcome('b'),
  outcome('a', { status: 'retry', reason: 'HTTP 500' }),
  outcome('c', { time: 2 }),
  outcome('c', { time: 2, destinationId: 'e' }),
  outcome('b', { time: 2, destinationId: 'e' }),
]

/** Rows whose IDs end with numbers, and rows whose IDs only look as if they did. */
const numbered = [
  ...['r.7', 'r.8', 'r.9', 'r.3', 'r.4', 'q.5', 'q.6'].map((id) => outcome(id)),
  ...['r.010', 'r.', '.', 'r.1x', 'r.-1', '11', 'r.1234567890123456', 'r.0', 'r.1'].map((id) => outcome(id)),
  outcome('r.2', { status: 'dead', reason: 'no' }),
  outcome('r.3', { status: 'dead', reason: 'no' }),
]

test('a record of outcomes of numbered rows restores the ID of each row, in the same order', () => {
  const body = outcomesBody(numbered)
  const outcomes = outcomesOf({ offset: 7, body: Buffer.from(body) })
  expect(outcomes.map(({ version: _version, ...rest }) => rest)).toEqual(numbered)
  expect(outcomes.map(({ version }) => version)).toEqual(numbered.map((_outcome, at) => 7 * outcomesOfRecord + at))
  expect(outcomesBody(numbered.slice(0, 3))).toContain('[[7,3]]')
})

const before = mixed.map(({ recordId, ...same }) => ({ ...same, recordIds: [recordId] }))

test.each([
  ['as it is written', outcomesBody(mixed)],
  ['as it was written before rows were numbered', JSON.stringify(before)],
  ['as it was written before outcomes stood together', JSON.stringify(mixed)],
])('outcomes in a record %s keep their order, and get higher versions than those of earlier records', (_, body) => {
  const outcomes = outcomesOf({ offset: 7, body: Buffer.from(body) })
  expect(outcomes.map(({ version: _version, ...rest }) => rest)).toEqual(mixed)
  const versions = outcomes.map(({ version }) => version)
  expect(versions).toEqual(mixed.map((_outcome, at) => 7 * outcomesOfRecord + at))
})

test('outcomes of consecutive rows of one batch take hardly more bytes than a single outcome', () => {
  const batch = Array.from({ length: 100 }, (_, at) => outcome(`run.${at}`))
  expect(outcomesBody(batch).length).toBeLessThan(150)
})
