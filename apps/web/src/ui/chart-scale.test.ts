import { expect, test } from 'vitest'
import { namedPlaces, scaleTop } from './chart-scale.ts'

test.each([
  [0, 2],
  [1, 2],
  [2, 2],
  [3, 4],
  [7, 8],
  [9, 10],
  [10, 10],
  [11, 20],
  [21, 40],
  [99, 100],
  [100, 100],
  [101, 200],
  [81_000, 100_000],
])('a scale for %d ends at %d', (max, top) => {
  expect(scaleTop(max)).toBe(top)
})

test.each([
  [7, [0, 1, 2, 3, 4, 5, 6]],
  [24, [0, 4, 8, 12, 16, 20]],
  [30, [0, 5, 10, 15, 20, 25]],
  [90, [0, 15, 30, 45, 60, 75]],
])('of %d places these are named', (count, places) => {
  expect(namedPlaces(count)).toEqual(places)
})
