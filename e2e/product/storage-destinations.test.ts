import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  adminCredentials,
  createPostgresPeer,
  createSource,
  createWorkspace,
  eventually,
  hasMariaDb,
  type MariaDbPeer,
  type PostgresPeer,
  type Product,
  startMariaDb,
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
/** The objects that were written to the storage, by their path. */
const objects = new Map<string, Buffer>()
let endpoint: string

/** Returns an object, or the list of objects in a bucket (ListObjectsV2). */
const readStorage = (url: string): Buffer | string => {
  const { pathname, searchParams } = new URL(url, 'http://storage')
  const prefix = searchParams.get('prefix')
  if (prefix === null) return objects.get(decodeURIComponent(pathname)) ?? ''
  const found = [...objects].filter(([path]) => path.startsWith(pathname + prefix))
  const contents = found.map(
    ([path, { length }]) =>
      `<Contents><Key>${encodeURIComponent(path.slice(pathname.length))}</Key><Size>${length}</Size></Contents>`,
  )
  return `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tributary-storage-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  peer = stack.use(await createPostgresPeer(stack.use(await startSharedPostgres()).url))
  const storage = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.method === 'GET') return response.end(readStorage(request.url ?? ''))
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

let mariaDb: Promise<MariaDbPeer> | undefined
/** Returns the MariaDB of the tests of this file. */
const openMariaDb = (): Promise<MariaDbPeer> => {
  mariaDb ??= startMariaDb().then((started) => stack.use(started))
  return mariaDb
}

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

test("events arrive in a database's tables and a storage's objects, each exactly once even if the product is killed", async () => {
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
  for (const table of ['order_completed', 'tracks']) {
    await eventually('all rows are there', async () => (await rowsOf(table)).length >= 600, 60_000)
    expect((await rowsOf(table)).map(({ id }) => id).toSorted()).toEqual(ids)
  }
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

const make = async (kind: string, body: Record<string, unknown>): Promise<string> =>
  String((await product.api.ok('POST', `/${workspace}/${kind}`, body)).name)

const runSync = async (sync: string) => {
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

test('a sync copies the rows of a table to another one, and then added, changed, and removed rows', async () => {
  await peer.query(`create schema shop authorization ${peer.access.user}`)
  await peer.query('create table shop.people as select n as id, md5(n::text) as token from generate_series(1, 2500) n')
  await peer.query(`grant select on shop.people to ${peer.access.user}`)
  const settings = { ...peer.access, tls: 'off' }
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
  expect(await runSync(sync)).toMatchObject({ state: 'succeeded', counts: { read: 2500, added: 2500, waiting: 0 } })
  await peer.query("update shop.people set token = 'new' where id <= 10")
  await peer.query('delete from shop.people where id > 2490')
  await peer.query("insert into shop.people values (3000, 'late')")
  expect(await runSync(sync)).toMatchObject({
    state: 'succeeded',
    counts: { read: 2491, added: 1, changed: 10, unchanged: 2480, removed: 10 },
  })
  const [different] = await peer.query(`select count(*)::int as rows from
    (select id::numeric, token from shop.people) a full join synced.people b on a.id = b.id and a.token = b.token
    where a.id is null or b.id is null`)
  expect(different).toEqual({ rows: 0 })
})

test("a sync to a webhook sends each row with its operation, and counts rows by the endpoint's response", async () => {
  await peer.query('create table shop.plans as select n as id, n::text as name from generate_series(1, 40) n')
  await peer.query(`grant select on shop.plans to ${peer.access.user}`)
  const records = new Map<string, { name: string }>()
  type Received = { recordId: string; operation: string; object: string; key: string; payload: { name: string } }
  const ids = new Set<string>()
  let sent = 0
  const answerTo = (body: string): string => {
    const results = (JSON.parse(body) as Received[]).flatMap(({ recordId, operation, object, key, payload }) => {
      sent++
      ids.add(recordId)
      if (object !== 'plans' || key === '13') return { recordId, status: 'rejected', reason: 'Unlucky' }
      if (operation === 'delete') records.delete(key)
      else records.set(key, payload)
      return []
    })
    return JSON.stringify({ results })
  }
  const server = createServer((request, response) => {
    void text(request).then((body) => response.end(answerTo(body)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const dataSource = await make('dataSources', {
    title: 'Plans',
    app: { name: 'catalogDataSources/postgresql' },
    settings: { ...peer.access, tls: 'off' },
  })
  const query = { schema: 'shop', table: 'plans' }
  const sync = await make('syncs', {
    title: 'Plans',
    model: await make('models', { title: 'Plans', data_source: dataSource, query, primary_key: ['id'] }),
    destination: await make('destinations', {
      title: 'Endpoint',
      app: { name: 'catalogDestinations/webhook' },
      settings: { url, batching: true },
    }),
    object: 'records',
    object_name: 'plans',
    mode: 'FULL_SYNC',
    identifier: 'id',
    guard_percent: 100,
    fields: ['id', 'name'].map((name) => ({ column: name, target: name })),
  })
  expect(await runSync(sync)).toMatchObject({
    state: 'partial',
    counts: { read: 40, added: 39, rejected: 1, waiting: 0 },
  })
  expect([records.size, ids.size, sent]).toEqual([39, 40, 40])
  await peer.query("update shop.plans set name = 'new' where id = 1")
  await peer.query('delete from shop.plans where id > 38')
  await peer.query('delete from shop.plans where id = 13')
  expect(await runSync(sync)).toMatchObject({
    state: 'succeeded',
    counts: { read: 37, changed: 1, unchanged: 36, removed: 2, waiting: 0 },
  })
  expect([records.size, records.get('1')?.name, records.has('40'), sent]).toEqual([37, 'new', false, 43])
})

test('a sync copies the rows of an uploaded file to a table, and then those of the file that replaces it', async () => {
  const dataSource = await make('dataSources', { title: 'List', app: { name: 'catalogDataSources/file' } })
  const upload = async (text: string, parts: number): Promise<unknown> => {
    const bytes = Buffer.from(text)
    const size = Math.ceil(bytes.length / parts)
    const upload_id = randomUUID()
    let answer: unknown
    for (let offset = 0; offset < bytes.length; offset += size)
      answer = await product.api.ok('POST', `/${dataSource}/uploads`, {
        upload_id,
        file_name: 'people.csv',
        offset,
        content: bytes.subarray(offset, offset + size).toString('base64'),
        last: offset + size >= bytes.length,
      })
    return answer
  }
  const rows = (from: number, to: number, note: string): string =>
    Array.from({ length: to - from }, (_, at) => `${from + at};"${note} ""ö""\n";1.50;`).join('\r\n')
  const head = 'id;note;price;none\r\n'
  expect(await upload(head + rows(0, 3000, 'first'), 3)).toMatchObject({ upload: { rows: 3000, current: true } })
  const model = await make('models', {
    title: 'List',
    data_source: dataSource,
    query: { schema: 'file', table: 'rows' },
    primary_key: ['id'],
  })
  const destination = await make('destinations', {
    title: 'For a list',
    app: { name: 'catalogDestinations/postgresql' },
    settings: { ...peer.access, tls: 'off', schema: 'listed' },
  })
  const sync = await make('syncs', {
    title: 'List',
    model,
    destination,
    object: 'table',
    object_name: 'people',
    mode: 'FULL_SYNC',
    identifier: 'id',
    fields: ['id', 'note', 'price', 'none'].map((name) => ({ column: name, target: name })),
  })
  expect(await runSync(sync)).toMatchObject({ state: 'succeeded', counts: { read: 3000, added: 3000, waiting: 0 } })
  await upload(`${head}${rows(0, 2900, 'first')}\r\n${rows(2900, 2950, 'second')}\r\n${rows(5000, 5010, 'late')}`, 2)
  expect(await runSync(sync)).toMatchObject({
    state: 'succeeded',
    counts: { read: 2960, added: 10, changed: 50, unchanged: 2900, removed: 50 },
  })
  const there = await peer.query('select note, price, count(*)::int rows from listed.people group by 1, 2 order by 3')
  expect(there.map(({ note, price, rows: count }) => [note, Number(price), count])).toEqual([
    ['late "ö"\n', 1.5, 10],
    ['second "ö"\n', 1.5, 50],
    ['first "ö"\n', 1.5, 2900],
  ])
})

test('a sync copies the rows of all objects of a bucket to a table, and sends nothing while there are none', async () => {
  objects.set('/exports/people/1.csv.gz', gzipSync('id,name\n1,Ada\n2,Bob\n'))
  objects.set('/exports/people/2.ndjson', Buffer.from('{"id":3,"plan":"pro"}\n'))
  const settings = { bucket: 'exports', access_key_id: 'AKID', secret_access_key: 'a-secret-access-key' }
  const dataSource = await make('dataSources', {
    title: 'Exports',
    app: { name: 'catalogDataSources/s3' },
    settings: { ...settings, objects: 'people/*', endpoint, path_style: true },
  })
  expect(await product.api.ok('POST', `/${dataSource}:testConnection`, {})).toMatchObject({
    ok: true,
    message: '2 objects, 1 kB: people/1.csv.gz, people/2.ndjson.',
  })
  const query = { schema: 'file', table: 'rows' }
  const sync = await make('syncs', {
    title: 'Exports',
    model: await make('models', { title: 'Exports', data_source: dataSource, query, primary_key: ['id'] }),
    destination: await make('destinations', {
      title: 'For exports',
      app: { name: 'catalogDestinations/postgresql' },
      settings: { ...peer.access, tls: 'off', schema: 'exported' },
    }),
    object: 'table',
    object_name: 'people',
    mode: 'FULL_SYNC',
    identifier: 'id',
    fields: ['id', 'name', 'plan'].map((name) => ({ column: name, target: name })),
  })
  expect(await runSync(sync)).toMatchObject({ state: 'succeeded', counts: { read: 3, added: 3, waiting: 0 } })
  const rows = (): Promise<unknown[]> => peer.query('select id::int, name, plan from exported.people order by id')
  const there = [
    { id: 1, name: 'Ada', plan: null },
    { id: 2, name: 'Bob', plan: null },
    { id: 3, name: null, plan: 'pro' },
  ]
  expect(await rows()).toEqual(there)
  for (const path of objects.keys()) if (path.startsWith('/exports/')) objects.delete(path)
  expect(await runSync(sync)).toMatchObject({ state: 'failed' })
  expect(await rows()).toEqual(there)
})

test.skipIf(!hasMariaDb)(
  'syncs from MariaDB to PostgreSQL and back leave exactly the rows that each mode promises, over three runs',
  async () => {
    const maria = await openMariaDb()
    const open = async (app: string, access: object, schema: object = {}) => ({
      dataSource: await make('dataSources', {
        title: `Read ${app}`,
        app: { name: `catalogDataSources/${app}` },
        settings: { ...access, tls: 'off' },
      }),
      destination: await make('destinations', {
        title: `Write ${app}`,
        app: { name: `catalogDestinations/${app}` },
        settings: { ...access, tls: 'off', ...schema },
      }),
    })
    const here = await open('mysql', maria.access)
    const there = await open('postgresql', peer.access, { schema: 'trip' })
    await peer.query(`create schema trip authorization ${peer.access.user}`)
    const columns = ['email', 'plan', 'seen', 'spent']
    const openSync = async (
      mode: string,
      from: string,
      schema: string,
      table: string,
      destination: string,
      to: string,
    ) =>
      make('syncs', {
        title: `${mode} to ${to}`,
        model: await make('models', {
          title: `${mode} to ${to}`,
          data_source: from,
          query: { schema, table },
          primary_key: ['email'],
        }),
        destination,
        object: 'table',
        object_name: to,
        mode,
        identifier: 'email',
        guard_percent: 100,
        fields: columns.map((name) => ({ column: name, target: name })),
      })
    const run = async (sync: string): Promise<void> => {
      const { name } = await product.api.ok('POST', `/${sync}:run`, {})
      const ended = async () => {
        const found = await product.api.ok('GET', `/${String(name)}`)
        return found.finish_time !== null && found
      }
      expect(await eventually('the run has ended', ended, 60_000)).toMatchObject({ state: 'succeeded' })
    }
    const rounds = [
      { ada: 'pro', bob: 'free', cyd: 'free' },
      { ada: 'pro', bob: 'pro', dee: 'free', eve: 'pro' },
      { ada: 'pro', bob: 'pro', eve: 'free', fay: 'new' },
    ]
    const promised: Record<string, string> = {
      FULL_SYNC: 'ada pro, bob pro, eve free, fay new',
      UPSERT_ONLY: 'ada pro, bob pro, cyd free, dee free, eve free, fay new',
      INSERT_ONLY: 'ada pro, bob free, cyd free, dee free, eve theirs, fay new',
      UPDATE_ONLY: 'eve free',
    }
    const modes = Object.keys(promised)
    const syncs = new Map<string, string[]>()
    for (const mode of modes) {
      const table = mode.toLowerCase()
      const types = 'plan varchar(20), seen timestamp(3) null, spent decimal(30, 10)'
      for (const name of [table, `${table}_back`])
        await maria.query(`create table ${name} (email varchar(100) primary key, ${types})`)
      await maria.query(`insert into ${table}_back (email, plan) values ('eve', 'theirs')`)
      await peer.query(
        `create table trip.${table} (email text primary key, plan text, seen timestamptz, spent numeric)`,
      )
      await peer.query(`insert into trip.${table} (email, plan) values ('eve', 'theirs')`)
      await peer.query(`alter table trip.${table} owner to ${peer.access.user}`)
      syncs.set(mode, [
        await openSync(mode, here.dataSource, maria.access.database, table, there.destination, table),
        await openSync(mode, there.dataSource, 'trip', table, here.destination, `${table}_back`),
      ])
    }
    const texts = (rows: { email: string; plan: string }[]): string =>
      rows.map(({ email, plan }) => `${email} ${plan}`).join(', ')
    for (const people of rounds) {
      const rows = Object.entries(people).map(
        ([email, plan]) => `('${email}', '${plan}', '2026-01-02 03:04:05.678', 12345678901234567890.0123456789)`,
      )
      for (const mode of modes) {
        await maria.query(`delete from ${mode.toLowerCase()}`)
        await maria.query(`insert into ${mode.toLowerCase()} values ${rows.join(', ')}`)
      }
      for (const step of [0, 1]) await Promise.all(modes.map((mode) => run(syncs.get(mode)?.[step] ?? '')))
    }
    for (const mode of modes) {
      const table = mode.toLowerCase()
      expect([mode, texts(await peer.query(`select email, plan from trip.${table} order by email`))]).toEqual([
        mode,
        promised[mode],
      ])
      expect([mode, texts(await maria.query(`select email, plan from ${table}_back order by email`))]).toEqual([
        mode,
        promised[mode],
      ])
    }
    expect(
      await maria.query(`select cast(spent as char) spent, b.seen = a.seen as seen from full_sync_back b
        join full_sync a using (email, spent) where email = 'ada'`),
    ).toEqual([{ spent: '12345678901234567890.0123456789', seen: 1 }])
  },
)

test('MAP-09: a query that the database rejects is not saved, and one that it accepts is saved', async () => {
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

test.each([
  ['PostgreSQL', 'postgresql'],
  ['MariaDB', 'mysql'],
])(
  "a sync that owns its table of %s shows rows to remove, asks for approval, and leaves exactly the model's rows",
  async (_, app) => {
    if (app === 'mysql' && !hasMariaDb) return
    const maria = app === 'mysql' ? await openMariaDb() : undefined
    const schema = `owned_${app}`
    await peer.query(`create schema ${schema} authorization ${peer.access.user}`)
    await peer.query(
      `create table ${schema}.people as select n as id, md5(n::text) as token from generate_series(1, 300) n`,
    )
    await peer.query(`grant select on ${schema}.people to ${peer.access.user}`)
    const there = maria === undefined ? `${schema}.kept` : 'kept'
    const ask = (sql: string) => (maria === undefined ? peer.query(sql) : maria.query(sql)) as Promise<{ id: number }[]>
    await ask(`create table ${there} (id bigint primary key, token varchar(40))`)
    await ask(`insert into ${there} values (1, 'theirs'), (900, 'theirs'), (901, 'theirs')`)
    if (maria === undefined) await peer.query(`alter table ${there} owner to ${peer.access.user}`)
    const access = maria === undefined ? { ...peer.access, schema } : maria.access
    const definition = {
      model: await make('models', {
        title: `Owned ${app}`,
        data_source: await make('dataSources', {
          title: `Owned ${app}`,
          app: { name: 'catalogDataSources/postgresql' },
          settings: { ...peer.access, tls: 'off' },
        }),
        query: { schema, table: 'people' },
        primary_key: ['id'],
      }),
      destination: await make('destinations', {
        title: `Owned ${app}`,
        app: { name: `catalogDestinations/${app}` },
        settings: { ...access, tls: 'off' },
      }),
      object: 'table',
      object_name: 'kept',
      mode: 'FULL_SYNC',
      identifier: 'id',
      owns_object: true,
      fields: ['id', 'token'].map((name) => ({ column: name, target: name })),
    }
    const ended = (name: unknown, ends: (found: Record<string, unknown>) => boolean) =>
      eventually(
        'it has ended',
        async () => {
          const found = await product.api.ok('GET', `/${String(name)}`)
          return ends(found) && found
        },
        60_000,
      )
    const { name: dryRun } = await product.api.ok('POST', `/${workspace}/syncDryRuns`, definition)
    const shown = await ended(dryRun, ({ finish_time }) => finish_time !== null)
    expect(shown).toMatchObject({ state: 'done', counts: { read: 300, added: 299, changed: 1, removed: 2 } })
    expect(shown['asks']).toContain('change 1 and remove 2 of 3 rows')
    const samples = shown['samples'] as { group: string; key: string }[]
    expect(samples.filter(({ group }) => group === 'removed').map(({ key }) => key)).toEqual(['900', '901'])
    const sync = await make('syncs', { title: `Owned ${app}`, ...definition })
    const { name: run } = await product.api.ok('POST', `/${sync}:run`, {})
    await ended(run, ({ state }) => state === 'needs_approval')
    expect((await ask(`select id from ${there}`)).length).toBe(3)
    await product.api.ok('POST', `/${String(run)}:approve`, {})
    expect(await ended(run, ({ finish_time }) => finish_time !== null)).toMatchObject({
      state: 'succeeded',
      counts: { read: 300, added: 299, changed: 1, removed: 2 },
    })
    await ask(`insert into ${there} values (902, 'theirs')`)
    expect(await runSync(sync)).toMatchObject({ state: 'succeeded', counts: { unchanged: 300, removed: 1 } })
    const ids = (await ask(`select id from ${there} order by id`)).map(({ id }) => Number(id))
    expect(ids).toEqual(Array.from({ length: 300 }, (_, at) => at + 1))
  },
)
