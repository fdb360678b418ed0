import { expect, it } from 'vitest'
import { lookedTogether } from './profile-look.ts'

it.each<[readonly number[], number]>([
  [[], 0],
  [[100, 100, 1], 2],
  [[500, 1], 1],
  [[1, 500], 1],
])('of records with %j events, the first are looked up together, with 200 events at most', (eventsOf, count) => {
  expect(lookedTogether(eventsOf)).toBe(count)
})
