import type { SyncSample } from '@tributary/contract'
import { expect, test } from 'vitest'
import { changedFields } from './sample-words.ts'

const sample: SyncSample = {
  group: 'changed',
  key: '1',
  source_key: '1',
  change: 'changed',
  operation: 'upsert',
  reason: '',
  rows: 1,
  fields: [
    { name: 'id', before: '1', after: '1' },
    { name: 'plan', before: '"free"', after: '"team"' },
  ],
  before_known: true,
}
const names = (of: SyncSample): string[] => changedFields(of).map(({ name }) => name)

test('a changed row shows only the differences, and a new or unknown row all fields', () => {
  expect(names(sample)).toEqual(['plan'])
  expect(names({ ...sample, group: 'added' })).toEqual(['id', 'plan'])
  expect(names({ ...sample, before_known: false })).toEqual(['id', 'plan'])
})
