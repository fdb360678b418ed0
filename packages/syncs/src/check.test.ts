import { postgresql } from '@tributary/connectors/destinations/postgresql'
import { webhook } from '@tributary/connectors/destinations/webhook'
import { expect, test } from 'vitest'
import { checkSync } from './check.ts'

const given = {
  mode: 'FULL_SYNC' as const,
  identifier: 'id',
  fields: [{ column: 'id', target: 'id' }],
  to_destinations: false,
  owns_object: false,
}
const model = { columns: [{ name: 'id', type: 'bigint' }] }

test('a sync to a webhook cannot use the object name of deleted users, so its rows never look like deletions', () => {
  const check = (object_name: string) => checkSync(webhook.rowObjects?.[0], model, { ...given, object_name })
  expect(() => check('users')).toThrow('for deleted users')
  check('customers')
})

test('a sync can own an object only if it mirrors and the object can be listed', () => {
  const [table] = postgresql.rowObjects ?? []
  const [records] = webhook.rowObjects ?? []
  const owning = { ...given, owns_object: true }
  checkSync(table, model, owning)
  expect(() => checkSync(table, model, { ...owning, mode: 'UPSERT_ONLY' })).toThrow('can own its object')
  expect(() => checkSync(records, model, owning)).toThrow("can't be listed")
})
