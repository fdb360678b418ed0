import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  adminCredentials,
  createPostgresPeer,
  createSource,
  createWorkspace,
  eventually,
  type PostgresPeer,
  type Product,
  startProduct,
  startSharedPostgres,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post, track } from './calls.ts'

const stack = new AsyncDisposableStack()
let peer: PostgresPeer
let product: Product
let dataDir: string
let workspace: string
/** What was written to the storage, by the path of the object. */
const objects = new Map<string, Buffer>()
let endpoint: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tributary-storage-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  peer = stack.use(await createPostgresPeer(stack.use(await startSharedPostgres()).url))
  const storage = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      objects.set(decodeURIComponent(request.url ?? ''), Buffer.concat(chunks))
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(storage, 'listening')
  stack.defer(() => void storage.close())
  endpoint = `http://127.0.0.1:${(storage.address() as AddressInfo).port}`
  product = await startProduct({ dataDir })
  stack.defer(async () => void (await product.stop()))
  await product.api.login(adminCredentials)
  workspace = (await createWorkspace(product.api)).workspace
})
afterAll(() => stack.disposeAsync())

const connect = async (source: string, app: string, settings: Record<string, unknown>): Promise<string> => {
  const { name } = await product.api.ok('POST', `/${workspace}/destinations`, {
    title: `My ${app}`,
    app: { name: `catalogDestinations/${app}` },
    settings,
  })
  await product.api.ok('POST', `/${workspace}/connections`, { source, destination: name })
  return String(name)
}
const linesOf = (path: RegExp): { messageId: string }[] =>
  [...objects]
    .filter(([key]) => path.test(key))
    .flatMap(([, object]) => gunzipSync(object).toString().trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as { messageId: string })

test('events arrive in the tables of a database and in the objects of a storage, each exactly once though the product is killed', async () => {
  const { source, key } = await createSource(product.api, workspace)
  const database = await connect(source, 'postgresql', { ...peer.access, tls: 'off' })
  await connect(source, 's3', {
    bucket: 'my-events',
    access_key_id: 'AKID',
    secret_access_key: 'a-secret-access-key',
    endpoint,
    path_style: true,
    wait_seconds: 10,
  })
  expect(await product.api.ok('POST', `/${database}:testConnection`, {})).toMatchObject({
    ok: true,
    message: expect.stringMatching(/^Connected to PostgreSQL/),
  })
  const send = async (from: number, to: number): Promise<void> => {
    const batch = Array.from({ length: to - from }, (_, at) => {
      const properties = { number: from + at, note: "it's ü" }
      return track(`m-${from + at}`, { event: 'Order Completed', properties })
    })
    expect((await post(product, '/v1/batch', key, { batch })).status).toBe(200)
  }
  const ids = Array.from({ length: 600 }, (_, at) => `m-${at}`).toSorted()
  await send(0, 200)
  await eventually('the first rows are there', async () => {
    const rows = await peer.query('select 1 from tributary.order_completed')
    return rows.length > 0
  })
  await send(200, 400)
  await product.kill()
  product = await startProduct({ dataDir })
  await product.api.login(adminCredentials)
  await send(400, 600)

  const rowsOf = (table: string) => peer.query<{ id: string }>(`select * from tributary.${table} order by id`)
  await eventually('all rows are there', async () => (await rowsOf('order_completed')).length >= 600, 60_000)
  for (const table of ['order_completed', 'tracks'])
    expect((await rowsOf(table)).map(({ id }) => id).toSorted()).toEqual(ids)
  const [first] = await peer.query("select number, note from tributary.order_completed where id = 'm-0'")
  expect(first).toEqual({ number: '0', note: "it's ü" })

  const path = /^\/my-events\/events\/dt=\d{4}-\d\d-\d\d\/hr=\d\d\/.+\.json\.gz$/
  await eventually(
    'all lines are there',
    () => new Set(linesOf(path).map((line) => line.messageId)).size === 600,
    60_000,
  )
  expect(
    linesOf(path)
      .map(({ messageId }) => messageId)
      .toSorted(),
  ).toEqual(ids)
})

test('a sync brings the rows of a table to another one: what changes, comes and goes there does so here', async () => {
  await peer.query(`create schema shop authorization ${peer.access.user}`)
  await peer.query('create table shop.people as select n as id, md5(n::text) as token from generate_series(1, 2500) n')
  await peer.query(`grant select on shop.people to ${peer.access.user}`)
  const settings = { ...peer.access, tls: 'off' }
  const make = async (kind: string, body: Record<string, unknown>): Promise<string> =>
    String((await product.api.ok('POST', `/${workspace}/${kind}`, body)).name)
  const dataSource = await make('dataSources', {
    title: 'Shop',
    app: { name: 'catalogDataSources/postgresql' },
    settings,
  })
  const model = await make('models', {
    title: 'People',
    data_source: dataSource,
    query: { schema: 'shop', table: 'people' },
    primary_key: ['id'],
  })
  const destination = await make('destinations', {
    title: 'Other',
    app: { name: 'catalogDestinations/postgresql' },
    settings: { ...settings, schema: 'synced' },
  })
  const sync = await make('syncs', {
    title: 'People',
    model,
    destination,
    object: 'table',
    object_name: 'people',
    mode: 'FULL_SYNC',
    identifier: 'id',
    fields: ['id', 'token'].map((name) => ({ column: name, target: name })),
  })
  const run = async () => {
    const { name } = await product.api.ok('POST', `/${sync}:run`, {})
    return await eventually(
      'the run has ended',
      async () => {
        const found = await product.api.ok('GET', `/${String(name)}`)
        return found.finish_time !== null && found
      },
      60_000,
    )
  }
  expect(await run()).toMatchObject({ state: 'succeeded', counts: { read: 2500, added: 2500, waiting: 0 } })
  await peer.query("update shop.people set token = 'new' where id <= 10")
  await peer.query('delete from shop.people where id > 2490')
  await peer.query("insert into shop.people values (3000, 'late')")
  expect(await run()).toMatchObject({
    state: 'succeeded',
    counts: { read: 2491, added: 1, changed: 10, unchanged: 2480, removed: 10 },
  })
  const [different] = await peer.query(`select count(*)::int as rows from
    (select id::numeric, token from shop.people) a full join synced.people b on a.id = b.id and a.token = b.token
    where a.id is null or b.id is null`)
  expect(different).toEqual({ rows: 0 })
})

test('MAP-09: a query that the database does not understand is not saved, and one that it does is', async () => {
  const { source } = await createSource(product.api, workspace, 'Queries')
  const destination = await connect(source, 'postgresql', { ...peer.access, tls: 'off' })
  const save = (value: string) =>
    product.api.call('POST', `/${destination}/app:updateSetting`, { name: 'statement', value })
  const refused = await save('insert into nowhere values (:user_id)')
  expect(refused).toMatchObject({
    status: 400,
    body: {
      metadata: {
        value: 'Please verify that the SQL Query is valid.',
        detail: expect.stringContaining('relation "nowhere" does not exist'),
      },
    },
  })
  expect((await save('select :user_id')).status).toBe(200)
})
