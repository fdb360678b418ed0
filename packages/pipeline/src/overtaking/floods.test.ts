import { expect, it } from 'vitest'
import { createFloods } from './floods.ts'

const bytes = (of: Record<string, number>) => new Map(Object.entries(of))

it('names the workspaces with a quarter of what was processed while something waited for so long, and nobody before', () => {
  const floods = createFloods({ afterMs: 1000 })
  expect(floods.note(1, { bytes: bytes({ a: 50, b: 30, c: 20 }), at: 10, end: 500, now: 0 })).toEqual([])
  expect(floods.note(1, { bytes: bytes({ a: 50, b: 30, c: 20 }), at: 20, end: 900, now: 999 })).toEqual([])
  expect(floods.note(1, { bytes: bytes({ a: 50, b: 30, c: 20 }), at: 30, end: 900, now: 1000 })).toEqual(['a', 'b'])
  expect(floods.note(1, { bytes: bytes({ a: 100 }), at: 40, end: 900, now: 1001 })).toEqual(['a'])
  floods.forget(1)
  expect(floods.note(1, { bytes: bytes({ a: 100 }), at: 50, end: 900, now: 1500 })).toEqual([])
})

it('names nobody of a partition with much in it whose every request is processed in time', () => {
  const floods = createFloods({ afterMs: 1000 })
  for (let now = 0; now < 5000; now += 500)
    expect(floods.note(1, { bytes: bytes({ a: 1 }), at: now + 500, end: now + 900, now })).toEqual([])
})

it('names nobody of a partition that is done, or of another one', () => {
  const floods = createFloods({ afterMs: 1000 })
  floods.note(1, { bytes: bytes({ a: 1 }), at: 10, end: 500, now: 0 })
  expect(floods.note(2, { bytes: bytes({ b: 1 }), at: 10, end: 500, now: 2000 })).toEqual([])
  expect(floods.note(1, { bytes: bytes({ a: 1 }), at: 500, end: 500, now: 2000 })).toEqual([])
})
