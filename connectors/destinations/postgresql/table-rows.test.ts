import {
  createEgressPolicy,
  createLifetime,
  createRequestClient,
  type DeliverContext,
  type EventOutcome,
  type OutgoingRow,
  validateSettings,
} from '@tributary/connector-kit'
import { testRowObject } from '@tributary/connector-kit/testing-rows'
import { silentLogger } from '@tributary/kernel'
import { createPostgresPeer, type PostgresPeer } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { tableObject, tableOf } from '../../wire/access/table-object.ts'
import { postgresql } from './definition.ts'

let peer: PostgresPeer
const stack = new AsyncDisposableStack()
let context: DeliverContext
beforeAll(async () => {
  peer = stack.use(await createPostgresPeer(inject('postgresUrl')))
  const checked = validateSettings(postgresql, { ...peer.access, tls: 'off', schema: 'synced' })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
  stack.defer(() => client.close())
  const lifetime = createLifetime()
  stack.defer(() => lifetime.end())
  context = {
    settings: checked.settings,
    request: client.request,
    connect: client.connect,
    lifetime,
    clock: Date.now,
    logger: silentLogger,
    signal: new AbortController().signal,
  }
})
afterAll(() => stack.disposeAsync())

const row = (table: string, operation: OutgoingRow['operation'], key: string, more = '', name = 'id'): OutgoingRow => ({
  recordId: `r.${key}`,
  operation,
  object: tableObject({ table, key: name }),
  key,
  json: `{${JSON.stringify(name)}:${JSON.stringify(key)}${more}}`,
})
const write = async (rows: readonly OutgoingRow[]): Promise<readonly EventOutcome[]> => {
  const { outcomes = [] } = (await postgresql.deliverRows?.(rows, context)) ?? {}
  if ('kind' in outcomes) throw new Error('One outcome for all rows')
  return outcomes
}
const read = (table: string) => peer.query(`select * from synced."${table}" order by 1`)
const delivered = { kind: 'delivered' }

describe('a table for rows', () => {
  testRowObject({
    address: (table) => tableObject({ table, key: 'id' }),
    write,
    read: (table) => peer.query(`select id, plan from synced."${table}" order by 1`),
    refuseBad: async (table) => {
      await peer.query(`alter table synced."${table}" add check (plan <> 'bad')`)
    },
  })
})

test('numbers keep their digits, and only a row with a value that does not fit its column is rejected', async () => {
  expect(await write([row('typed_numbers', 'upsert', 'a', ',"spent":12345678901234567890.50')])).toEqual([delivered])
  expect(await read('typed_numbers')).toMatchObject([{ spent: '12345678901234567890.50' }])
  expect(
    await write([
      row('typed_numbers', 'upsert', 'b', ',"spent":2'),
      row('typed_numbers', 'upsert', 'c', ',"spent":"much"'),
    ]),
  ).toEqual([delivered, { kind: 'rejected', reason: expect.stringContaining('does not match its type') }])
})

test('a table that was dropped meanwhile is created again', async () => {
  await write([row('dropped', 'upsert', 'a', ',"n":1')])
  await peer.query('drop table synced.dropped')
  expect(await write([row('dropped', 'upsert', 'b', ',"n":1')])).toEqual([delivered])
})

test('an object names any table and key column, and other objects are not tables', async () => {
  const odd = { table: 'a/b "c"\'%', key: 'Größe, m²' }
  expect(tableOf(tableObject(odd))).toEqual(odd)
  expect(await write([row(odd.table, 'upsert', 'k', '', odd.key)])).toEqual([delivered])
  expect(await peer.query(`select * from synced."a/b ""c""'%"`)).toEqual([{ [odd.key]: 'k' }])
  for (const object of ['users', 'table', 'table/a', 'table/a/b/c', 'table/%/b'])
    expect(tableOf(object)).toBeUndefined()
})
