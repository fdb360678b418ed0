import { eventObjects } from '@tributary/contract'
import { expect, test } from 'vitest'
import { eventMappingProblems, suggestedEventRows } from './event-mapping.ts'

const [events, profiles] = eventObjects
const columnsOf = (...names: string[]) => ({ columns: names.map((name) => ({ name, type: 'text' })) })
const targetsOf = (...names: string[]) => {
  if (events === undefined) throw new Error('There are no events')
  return suggestedEventRows(columnsOf(...names), events).map(({ target }) => target)
}

test('columns with usual names are mapped to event fields, the most likely column for each, and all other columns to properties', () => {
  expect(targetsOf('id', 'Customer_ID', 'user', 'created_at', 'order.total')).toEqual([
    'properties.id',
    'userId',
    'properties.user',
    'timestamp',
    'properties.order_total',
  ])
  expect(targetsOf('event', 'anonymousId', 'message_id')).toEqual(['event', 'anonymousId', 'messageId'])
})

test('a mapping that includes a user can be saved, and one without a user cannot', () => {
  if (profiles === undefined) throw new Error('There are no profiles')
  const rows = suggestedEventRows(columnsOf('user_id', 'plan'), profiles)
  expect(rows.map(({ target }) => target)).toEqual(['userId', 'traits.plan'])
  expect(eventMappingProblems(rows, profiles)).toBeUndefined()
  expect(eventMappingProblems(rows.slice(1), profiles)?.all).toMatch(/userId or anonymousId/)
  expect(eventMappingProblems([], profiles)?.all).toBe('Include at least one column')
})
