import {
  createEgressPolicy,
  createLifetime,
  createRequestClient,
  type DeliverContext,
  type OutgoingRow,
  validateSettings,
} from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { createPostgresPeer, type PostgresPeer } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
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
const write = async (rows: readonly OutgoingRow[]) => (await postgresql.deliverRows?.(rows, context))?.outcomes
const read = (table: string) => peer.query(`select * from synced."${table}" order by 1`)
const delivered = { kind: 'delivered' }
const skipped = { kind: 'skipped', reason: expect.any(String) }

test('upserts make a table and write over rows; deletes remove them, also what is not there', async () => {
  const ada = row('people', 'upsert', 'a', ',"plan":"pro","spent":12345678901234567890.50')
  expect(await write([ada, row('people', 'upsert', 'b', ',"plan":"free","spent":null')])).toEqual([
    delivered,
    delivered,
  ])
  expect(await read('people')).toEqual([
    { id: 'a', plan: 'pro', spent: '12345678901234567890.50' },
    { id: 'b', plan: 'free', spent: null },
  ])
  const changed = row('people', 'upsert', 'b', ',"plan":"pro","spent":1')
  expect(await write([changed, row('people', 'delete', 'a'), row('people', 'delete', 'z')])).toEqual([
    delivered,
    delivered,
    delivered,
  ])
  expect(await read('people')).toEqual([{ id: 'b', plan: 'pro', spent: '1' }])
})

test('an insert leaves the row that is there, and an update makes none: both are skipped', async () => {
  await write([row('kept', 'insert', 'a', ',"plan":"pro"')])
  expect(await write([row('kept', 'insert', 'a', ',"plan":"x"'), row('kept', 'insert', 'b', ',"plan":"y"')])).toEqual([
    skipped,
    delivered,
  ])
  expect(await write([row('kept', 'update', 'c', ',"plan":"z"'), row('kept', 'update', 'b', ',"plan":null')])).toEqual([
    skipped,
    delivered,
  ])
  expect(await read('kept')).toEqual([
    { id: 'a', plan: 'pro' },
    { id: 'b', plan: null },
  ])
})

test('rows of one batch take effect in their order', async () => {
  const rows = [
    row('ordered', 'upsert', 'a', ',"n":1'),
    row('ordered', 'delete', 'a'),
    row('ordered', 'insert', 'a', ',"n":2'),
  ]
  expect(await write(rows)).toEqual([delivered, delivered, delivered])
  expect(await read('ordered')).toEqual([{ id: 'a', n: '2' }])
})

test('a row that the database refuses is rejected by itself', async () => {
  await write([row('typed', 'upsert', 'a', ',"n":1')])
  await peer.query('alter table synced.typed add check (n < 10)')
  const outcomes = await write([
    row('typed', 'upsert', 'b', ',"n":2'),
    row('typed', 'upsert', 'c', ',"n":99'),
    row('typed', 'upsert', 'd', ',"n":"many"'),
  ])
  expect(outcomes).toEqual([
    delivered,
    { kind: 'rejected', reason: expect.stringContaining('check constraint') },
    { kind: 'rejected', reason: expect.stringContaining('does not match its type') },
  ])
  expect(await read('typed')).toEqual([
    { id: 'a', n: '1' },
    { id: 'b', n: '2' },
  ])
})

test('where there is no table, an update is skipped and a delete is done', async () => {
  expect(await write([row('nowhere', 'update', 'a', ',"n":1'), row('nowhere', 'delete', 'a')])).toEqual([
    skipped,
    delivered,
  ])
})

test('a table that was dropped since is made again', async () => {
  await write([row('dropped', 'upsert', 'a', ',"n":1')])
  await peer.query('drop table synced.dropped')
  expect(await write([row('dropped', 'upsert', 'b', ',"n":1')])).toEqual([delivered])
})

test('any name of a table and a key column is told by the object, and other objects are none', async () => {
  const odd = { table: 'a/b "c"\'%', key: 'Größe, m²' }
  expect(tableOf(tableObject(odd))).toEqual(odd)
  expect(await write([row(odd.table, 'upsert', 'k', '', odd.key)])).toEqual([delivered])
  expect(await peer.query(`select * from synced."a/b ""c""'%"`)).toEqual([{ [odd.key]: 'k' }])
  for (const object of ['users', 'table', 'table/a', 'table/a/b/c', 'table/%/b'])
    expect(tableOf(object)).toBeUndefined()
})
