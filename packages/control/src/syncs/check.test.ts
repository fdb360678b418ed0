import { webhook } from '@tributary/connectors/destinations/webhook'
import { expect, test } from 'vitest'
import { checkSync } from './check.ts'

test('a sync to a webhook cannot be named as rows of deleted users are, so that no row of it looks like a deletion', () => {
  const given = {
    mode: 'FULL_SYNC' as const,
    identifier: 'id',
    fields: [{ column: 'id', target: 'id' }],
    to_destinations: false,
  }
  const model = { columns: [{ name: 'id', type: 'bigint' }] }
  const check = (object_name: string) => checkSync(webhook.rowObjects?.[0], model, { ...given, object_name })
  expect(() => check('users')).toThrow('for deleted users')
  check('customers')
})
