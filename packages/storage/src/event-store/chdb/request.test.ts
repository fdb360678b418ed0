import { expect, test } from 'vitest'
import { slotOf } from './request.ts'

test.each([
  ['insert into events format RowBinary', 'insert'],
  ['insert into events (a, b) format JSONEachRow {"a":"select"}', 'insert'],
  ["insert into events values ('select')", 'insert'],
  ['insert into sync_changes (run_id, key)\nselect key from sync_staged', 'heavy'],
  ['INSERT INTO events WITH 1 AS one SELECT one', 'heavy'],
  ['alter table events drop partition 1', 'heavy'],
  ['select 1', undefined],
] as const)(
  'the statement %j has the slot %s: an insert from a query never runs before inserts of received rows',
  (sql, slot) => {
    expect(slotOf(sql, false)).toBe(slot)
  },
)
