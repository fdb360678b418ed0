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

test.each([
  ['as it is written', outcomesBody(mixed)],
  ['as it was written before outcomes stood together', JSON.stringify(mixed)],
])(
  'a record of outcomes %s tells each in its order, by versions that rise beyond those of the record before',
  (_, body) => {
    const told = outcomesOf({ offset: 7, body: Buffer.from(body) })
    expect(told.map(({ version: _version, ...rest }) => rest)).toEqual(mixed)
    const versions = told.map(({ version }) => version)
    expect(versions).toEqual(mixed.map((_outcome, at) => 7 * outcomesOfRecord + at))
  },
)

test('outcomes of one batch take hardly more than the names of their rows', () => {
  const batch = Array.from({ length: 100 }, (_, at) => outcome(`run.${at}`))
  expect(outcomesBody(batch).length).toBeLessThan(100 * '"run.10",'.length + 100)
})
