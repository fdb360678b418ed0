import type { Source } from '@tributary/contract'
import { expect, test } from 'vitest'
import { sourceRows, sourceState } from './source-rows.ts'

const source = (title: string, type: string, enabled: boolean, has_received: boolean) =>
  ({ title, app: { display_name: type }, enabled, has_received }) as Source

test('a disabled source shows that it is disabled, even if it has received events', () => {
  expect(
    [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ].map(([enabled, received]) => sourceState(source('', '', enabled === true, received === true))),
  ).toEqual(['receiving', 'waiting', 'disabled', 'disabled'])
})

test('a search text, a type and a state narrow the list together: a source must match all three', () => {
  const sources = [
    source('Shop', 'Web', true, true),
    source('Web shop', 'iOS', true, false),
    source('Till', 'HTTP API', false, true),
  ]
  const titles = (filters: object) =>
    sourceRows(sources, { search: '', type: '', state: '', ...filters }).map(({ title }) => title)
  expect(titles({})).toEqual(['Shop', 'Web shop', 'Till'])
  // The title or the type contains the text.
  expect(titles({ search: ' web ' })).toEqual(['Shop', 'Web shop'])
  expect(titles({ search: 'shop', state: 'waiting' })).toEqual(['Web shop'])
  expect(titles({ type: 'Web', state: 'waiting' })).toEqual([])
  expect(titles({ state: 'disabled' })).toEqual(['Till'])
})
