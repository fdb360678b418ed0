import { expect, test, vi } from 'vitest'
import { nearestText } from './nearest.ts'

const known = ['timeframe', 'count', 'selectedEvent', 'selectedAttributes', 'Order Completed']

test.each([
  ['time_frame', 'timeframe'],
  ['TimeFrame', 'timeframe'],
  ['tiemframe', 'timeframe'],
  ['cuont', 'count'],
  ['counts', 'count'],
  ['selected_attribute', 'selectedAttributes'],
  ['order-completd', 'Order Completed'],
  ['zzz', 'count'],
])('the known text nearest to %j is %j', (text, expected) => {
  expect(nearestText(text, known)).toBe(expected)
})

test('without known texts, none is nearest; an identical text is always the nearest', () => {
  expect(nearestText('x', [])).toBeUndefined()
  expect(nearestText('', ['a'])).toBe('a')
  expect(nearestText('b', ['a', 'b', 'c'])).toBe('b')
})

test('the nearest text is found by the beginning of long texts only', () => {
  expect(nearestText('a'.repeat(1_000_000), ['b'.repeat(1_000_000), 'a'.repeat(200)])).toBe('a'.repeat(200))
})

test.each([
  ['of other letters', (index: number) => String.fromCharCode(0x61 + (index % 26)).repeat(100)],
  ['of the same letters in another order', (index: number) => `${'ab'.repeat(50).slice(index % 50)}${'ba'.repeat(50)}`],
  [
    'of long random words',
    (index: number) =>
      Array.from({ length: 100 }, (_, at) => ((index * 7919 + at * at * 31) % 36).toString(36)).join(''),
  ],
])('among 5,000 long names %s, the nearest is found without comparing all of them', (_title, nameOf) => {
  const names = Array.from({ length: 5000 }, (__, index) => nameOf(index))
  const wanted = `order completed ${'x'.repeat(80)}`
  let read = 0
  const spied = vi.spyOn(Math, 'min').mockImplementation((...values) => {
    read++
    let min = Number.POSITIVE_INFINITY
    for (const value of values) if (value < min) min = value
    return min
  })
  try {
    expect(nearestText(`${wanted}y`, [...names, wanted])).toBe(wanted)
  } finally {
    spied.mockRestore()
  }
  // Number of compared cells: at most forty tables of a hundred by a hundred.
  expect(read).toBeLessThanOrEqual(40 * 100 * 100)
})
