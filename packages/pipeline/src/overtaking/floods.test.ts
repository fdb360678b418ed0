import { expect, it } from 'vitest'
import { createFloods } from './floods.ts'

const bytes = (of: Record<string, number>) => new Map(Object.entries(of))

it('floods are the workspaces that leave the others less than a quarter of the processed bytes while a request waits too long', () => {
  const floods = createFloods({ afterMs: 1000, minBytes: 10 })
  expect(floods.note(1, { bytes: bytes({ a: 50, b: 30, c: 20 }), at: 10, end: 500, now: 0 })).toEqual([])
  expect(floods.note(1, { bytes: bytes({ a: 50, b: 30, c: 20 }), at: 20, end: 900, now: 999 })).toEqual([])
  expect(floods.note(1, { bytes: bytes({ a: 50, b: 30, c: 20 }), at: 30, end: 900, now: 1000 })).toEqual(['a', 'b'])
  expect(floods.note(1, { bytes: bytes({ a: 100 }), at: 40, end: 900, now: 1001 })).toEqual(['a', 'b'])
  floods.forget(1)
  expect(floods.note(1, { bytes: bytes({ a: 100 }), at: 50, end: 900, now: 1500 })).toEqual([])
})

it('no workspace is a flood if all requests of a busy partition are processed in time', () => {
  const floods = createFloods({ afterMs: 1000, minBytes: 10 })
  for (let now = 0; now < 5000; now += 500)
    expect(floods.note(1, { bytes: bytes({ a: 1 }), at: now + 500, end: now + 900, now })).toEqual([])
})

it('a partition without a backlog has no floods, and a backlog of another partition does not count', () => {
  const floods = createFloods({ afterMs: 1000, minBytes: 10 })
  floods.note(1, { bytes: bytes({ a: 1 }), at: 10, end: 500, now: 0 })
  expect(floods.note(2, { bytes: bytes({ b: 1 }), at: 10, end: 500, now: 2000 })).toEqual([])
  expect(floods.note(1, { bytes: bytes({ a: 1 }), at: 500, end: 500, now: 2000 })).toEqual([])
})

it('the largest workspaces are floods even if none has a quarter of the bytes, and a workspace with few bytes is no flood', () => {
  const floods = createFloods({ afterMs: 0, minBytes: 10 })
  const five = { a: 18, b: 19, c: 20, d: 21, e: 22 }
  expect(floods.note(1, { bytes: bytes(five), at: 1, end: 9, now: 0 })).toEqual(['e', 'd', 'c', 'b'])
  expect(floods.note(2, { bytes: bytes({ quiet: 9 }), at: 1, end: 9, now: 0 })).toEqual([])
})
