import { expect, test } from 'vitest'
import { createRestPace } from './rest-pace.ts'

test('pauses are short after work was found, and grow to the maximum while no work is found', () => {
  const pace = createRestPace({ minMs: 250, maxMs: 1500 })
  expect([true, false, false, false, false, true, false].map((found) => pace.after(found))).toEqual([
    250, 500, 1000, 1500, 1500, 250, 500,
  ])
})
