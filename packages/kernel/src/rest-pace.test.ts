import { expect, test } from 'vitest'
import { createRestPace } from './rest-pace.ts'

test('rests are short after work, and grow to their most while there is none', () => {
  const pace = createRestPace({ leastMs: 250, mostMs: 1500 })
  expect([true, false, false, false, false, true, false].map((found) => pace.after(found))).toEqual([
    250, 500, 1000, 1500, 1500, 250, 500,
  ])
})
