import { offeredFilters } from '@tributary/contract'
import { expect, test } from 'vitest'
import { filterParts } from './template-parts.ts'

test('the offered filters are those in the list, and each inserts itself after a pipe', () => {
  expect(offeredFilters).toEqual([
    'append',
    'prepend',
    'capitalize',
    'downcase',
    'upcase',
    'ceil',
    'floor',
    'plus',
    'date',
  ])
  for (const { name, insert } of filterParts) expect(insert.startsWith(` | ${name}`)).toBe(true)
})
