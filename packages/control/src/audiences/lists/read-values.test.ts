import type { ListKind } from '@tributary/contract'
import { expect, test } from 'vitest'
import { readValues } from './read-values.ts'

test('an ID in a list keeps its exact letters', () => {
  expect(readValues('user_id', ['Ada', 'ada', ' ada']).values).toEqual([
    { place: 0, identifier: 'Ada', traits: [] },
    { place: 1, identifier: 'ada', traits: [] },
    { place: 2, identifier: ' ada', traits: [] },
  ])
})

test.each<[ListKind, string, string | null, string[]]>([
  ['email', ' Ada@Example.com ', 'ada@example.com', ['Ada@Example.com', 'ada@example.com']],
  ['phone', '+44 20 7946-0958', '+442079460958', ['+44 20 7946-0958', '+442079460958']],
  ['phone', '020 7946 0958', null, ['020 7946 0958']],
])(
  'a value of the kind %s, %j, is looked up in its normalized form and as written',
  (kind, text, identifier, traits) => {
    expect(readValues(kind, [text]).values).toEqual([{ place: 0, identifier, traits }])
  },
)

test.each<[ListKind, string]>([
  ['user_id', ''],
  ['user_id', 'a\0b'],
  ['user_id', '\ud800'],
  ['user_id', 'é'.repeat(257)],
  ['email', 'ada'],
  ['phone', 'no number'],
])('an invalid value of the kind %s, %j, is reported, and the other values keep their positions', (kind, text) => {
  const good = kind === 'email' ? 'a@b.example' : '+442079460958'
  const { values, invalid } = readValues(kind, [text, good])
  expect(invalid).toEqual([0])
  expect(values.map(({ place }) => place)).toEqual([1])
})

test('the same person in different letter case is a duplicate', () => {
  expect(readValues('email', ['a@b.example', 'A@B.example', 'c@d.example', 'a@b.example']).duplicates).toEqual([1, 3])
})
