import { expect, test } from 'vitest'
import { compileStatement } from './statement.ts'

test.each([
  ['insert into t values (:user_id, :event)', 'insert into t values ($1::text, $2::text)', ['user_id', 'event']],
  ['select :user_id, :user_id', 'select $1::text, $1::text', ['user_id']],
  [`select :properties->>'total';`, `select $1::jsonb->>'total'`, ['properties']],
  ['select :timestamp::date', 'select $1::timestamptz::date', ['timestamp']],
  [`select ':user_id', E'it\\':event', "a:event"`, `select ':user_id', E'it\\':event', "a:event"`, []],
  ['select $$ :event $$, $a$ :event $a$', 'select $$ :event $$, $a$ :event $a$', []],
  ['select 1 -- :event\n, :event', 'select 1 -- :event\n, $1::text', ['event']],
  ['select 1 /* :event */', 'select 1 /* :event */', []],
  ['select a[1:2], b::text', 'select a[1:2], b::text', []],
])('%s', (statement, text, names) => {
  expect(compileStatement(statement)).toEqual({ text, names })
})

test('a statement with an unknown parameter is refused', () => {
  expect(compileStatement('select :email')).toBeUndefined()
  expect(compileStatement('select :constructor')).toBeUndefined()
})
