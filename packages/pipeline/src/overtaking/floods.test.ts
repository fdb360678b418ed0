import { expect, it } from 'vitest'
import { createFloods } from './floods.ts'

const bytes = (of: Record<string, number>) => new Map(Object.entries(of))

it('names the workspaces that leave less than a quarter of what was processed to the others, once something waited for so long', () => {
  const floods = createFloods({ afterMs: 1000, minBytes: 10 })
  expect(floods.note(1, { bytes: bytes({ a: 50, b: 30, c: 20 }), at: 10, end: 500, now: 0 })).toEqual([])
  expect(floods.note(1, { bytes: bytes({ a: 50, b: 30, c: 20 }), at: 20, end: 900, now: 999 })).toEqual([])
  expect(floods.note(1, { bytes: bytes({ a: 50, b: 30, c: 20 }), at: 30, end: 900, now: 1000 })).toEqual(['a', 'b'])
  expect(floods.note(1, { bytes: bytes({ a: 100 }), at: 40, end: 900, now: 1001 })).toEqual(['a', 'b'])
  floods.forget(1)
  expect(floods.note(1, { bytes: bytes({ a: 100 }), at: 50, end: 900, now: 1500 })).toEqual([])
})

it('names no workspace of a partition with many bytes whose every request is processed in time', () => {
  const floods = createFloods({ afterMs: 1000, minBytes: 10 })
  for (let now = 0; now < 5000; now += 500)
    expect(floods.note(1, { bytes: bytes({ a: 1 }), at: now + 500, end: now + 900, now })).toEqual([])
})

it('names no workspace of a partition that is done, or of another one', () => {
  const floods = createFloods({ afterMs: 1000, minBytes: 10 })
  floods.note(1, { bytes: bytes({ a: 1 }), at: 10, end: 500, now: 0 })
  expect(floods.note(2, { bytes: bytes({ b: 1 }), at: 10, end: 500, now: 2000 })).toEqual([])
  expect(floods.note(1, { bytes: bytes({ a: 1 }), at: 500, end: 500, now: 2000 })).toEqual([])
})

it('names the largest first, also where none has a quarter, and none with few bytes, whatever its part', () => {
  const floods = createFloods({ afterMs: 0, minBytes: 10 })
  const five = { a: 18, b: 19, c: 20, d: 21, e: 22 }
  expect(floods.note(1, { bytes: bytes(five), at: 1, end: 9, now: 0 })).toEqual(['e', 'd', 'c', 'b'])
  expect(floods.note(2, { bytes: bytes({ quiet: 9 }), at: 1, end: 9, now: 0 })).toEqual([])
})
