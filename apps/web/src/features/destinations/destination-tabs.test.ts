// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { testDestination } from '../../testing/destination.ts'
import { tabsOf } from './destination-tabs.tsx'

test('only a destination with tables for analysts has the tab of loads', () => {
  const tabs = (abilities: string[]) => tabsOf(testDestination({ app: { abilities } })).map(({ id }) => id)
  expect(tabs(['Deletion of users'])).toEqual([
    'overview',
    'failures',
    'deliveries',
    'mappings',
    'replay',
    'connections',
    'settings',
  ])
  expect(tabs(['Deletion of users', 'Tables for analysts'])).toContain('loads')
})
