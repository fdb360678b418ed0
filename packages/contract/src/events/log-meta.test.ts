import { NewerFormat } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { holdsRows, readRequestFacts, readStreamFacts } from './log-meta.ts'

test('the single letters of a stream record are read into named fields', () => {
  const meta = {
    w: 'w',
    s: 's',
    d: ['d'],
    n: 2,
    p: 'r',
    u: true,
    e: true,
    q: 7,
    b: { k: 'sync', n: 'sync 1' },
    h: true,
  }
  expect(readStreamFacts(JSON.stringify(meta))).toEqual({
    workspaceId: 'w',
    sourceId: 's',
    destinationIds: ['d'],
    count: 2,
    replayId: 'r',
    isWithoutProfile: true,
    isLossy: true,
    through: 7,
    producer: { kind: 'sync', name: 'sync 1', keys: undefined },
    isLater: true,
  })
})

test('the single letters of a request are read into named fields', () => {
  const rest = { t: 'track', ua: 'agent', d: true, f: true, p: ['e'], b: 'kept', u: true, h: true, i: true }
  expect(readRequestFacts(JSON.stringify({ w: 'w', s: 's', k: 'batch', r: 5, ip: '192.0.2.1', ...rest }))).toEqual({
    workspaceId: 'w',
    sourceId: 's',
    isBatch: true,
    type: 'track',
    receivedAt: 5,
    ip: '192.0.2.1',
    userAgent: 'agent',
    isDirect: true,
    isForwarded: true,
    storedIds: ['e'],
    takenBackAs: 'kept',
    isUndelivered: true,
    isLater: true,
    isImported: true,
  })
})

test.each(['', 'text', '{}', '[]', '{"w":1}'])('a text that is not valid metadata is not read: %s', (text) => {
  expect(readStreamFacts(text)).toBeUndefined()
  expect(readRequestFacts(text)).toBeUndefined()
})

test('metadata of a newer version is refused', () => {
  const text = JSON.stringify({ v: 2, w: 'w', s: 's', d: [], n: 0, k: 'single', r: 0, ip: '' })
  expect(() => readStreamFacts(text)).toThrow(NewerFormat)
  expect(() => readRequestFacts(text)).toThrow(NewerFormat)
})

test.each([
  [{}, false],
  [{ b: { k: 'sync', n: 'sync 1' } }, true],
  [{ b: { k: 'trait', n: 'trait 1', e: ['key'] } }, false],
])('a record contains rows if its producer makes no events: %j', (more, rows) => {
  const facts = readStreamFacts(JSON.stringify({ w: 'w', s: 's', d: [], n: 1, ...more }))
  expect(facts === undefined ? undefined : holdsRows(facts)).toBe(rows)
})
