import type { Source } from '@tributary/contract'
import { expect, test } from 'vitest'
import { sourceRows, sourceState } from './source-rows.ts'

const source = (title: string, type: string, enabled: boolean, has_received: boolean) =>
  ({ title, app: { display_name: type }, enabled, has_received }) as Source

test('a disabled source shows that state first, whatever it has received', () => {
  expect(
    [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ].map(([enabled, received]) => sourceState(source('', '', enabled === true, received === true))),
  ).toEqual(['receiving', 'waiting', 'disabled', 'disabled'])
})

test('the list is narrowed by text, type and state, all of which must fit', () => {
  const sources = [
    source('Shop', 'Web', true, true),
    source('Web shop', 'iOS', true, false),
    source('Till', 'HTTP API', false, true),
  ]
  const titles = (filters: object) =>
    sourceRows(sources, { search: '', type: '', state: '', ...filters }).map(({ title }) => title)
  expect(titles({})).toEqual(['Shop', 'Web shop', 'Till'])
  // The text can be in the title or the type.
  expect(titles({ search: ' web ' })).toEqual(['Shop', 'Web shop'])
  expect(titles({ search: 'shop', state: 'waiting' })).toEqual(['Web shop'])
  expect(titles({ type: 'Web', state: 'waiting' })).toEqual([])
  expect(titles({ state: 'disabled' })).toEqual(['Till'])
})
