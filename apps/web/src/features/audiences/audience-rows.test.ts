import { expect, test } from 'vitest'
import { audienceRows } from './audience-rows.ts'

const audiences = [
  { title: 'Lapsed customers', state: 'live' },
  { title: 'New customers', state: 'failed' },
  { title: 'Invited', state: 'live' },
] as const

test.each([
  [{ search: ' CUSTOMERS ', state: '' }, ['Lapsed customers', 'New customers']],
  [{ search: '', state: 'live' }, ['Lapsed customers', 'Invited']],
  [{ search: 'customers', state: 'failed' }, ['New customers']],
  [{ search: 'invited', state: 'failed' }, []],
])('audiences are found by a part of their title and by their state (%#)', (filters, titles) => {
  expect(audienceRows(audiences, filters).map(({ title }) => title)).toEqual(titles)
})
