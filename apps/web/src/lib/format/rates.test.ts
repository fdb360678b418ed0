import { expect, test } from 'vitest'
import { percent, rateOf } from './rates.ts'

test.each([
  [0, 0, undefined],
  [1, 1, 1],
  [1, 4, 0.25],
  [0, 3, 0],
])('%i of %i gives the rate %s', (part, whole, rate) => {
  expect(rateOf(part, whole)).toBe(rate)
})

test.each([
  [1, '100%'],
  [0.99996, '99.99%'],
  [0.9876, '98.76%'],
  [0.5, '50%'],
  [0, '0%'],
  [0.00001, '0.01%'],
])('the rate %d is shown as %s, and never rounded to 0 or 100 %', (rate, text) => {
  expect(percent(rate, 'en')).toBe(text)
})
