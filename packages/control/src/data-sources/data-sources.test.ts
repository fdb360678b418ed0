import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  listedDataSources,
  type Organization,
  startControl,
  startOrganization,
  testCatalog,
} from '../testing/control-harness.ts'
import { type Opened, scriptedDataSource } from '../testing/data-source.ts'

const opened: Opened[] = []
const release = Promise.withResolvers<void>()
const rows = Array.from({ length: 150 }, (_, at) => [String(at), at === 0 ? 'x'.repeat(5000) : null])

let harness: Harness
let organization: Organization
beforeAll(async () => {
  const catalog = {
    ...testCatalog,
    dataSources: listedDataSources(scriptedDataSource({ rows, opened, release: release.promise })),
  }
  harness = await startControl({ catalog })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const given = (settings: Record<string, string> = {}) => ({
  title: 'Warehouse',
  app: { name: 'catalogDataSources/database' },
  settings: { host: 'db.example', user: 'reader', password: 's3cret-word', ...settings },
})

const create = (settings: Record<string, string> = {}, { administrator, workspaceId } = organization) =>
  administrator.ok(methods.dataSources.create, { workspace: workspaceId }, { body: given(settings) })

const idsOf = (name: string) => ({ workspace: name.split('/')[1] ?? '', data_source: idIn(name) })

const sql = { sql: 'select id, email from customers' }

describe('a data source', () => {
  test('a data source is created with its settings, and its password is encrypted and never shown', async () => {
    const made = await create()
    expect(made).toMatchObject({ title: 'Warehouse', app: { title: 'Database' }, model_count: 0 })
    expect(made.settings.map(({ name, value, is_set }) => [name, value, is_set])).toEqual([
      ['host', 'db.example', true],
      ['user', 'reader', true],
      ['password', null, true],
    ])
    const row = await harness.db
      .selectFrom('data_sources')
      .selectAll()
      .where('id', '=', idIn(made.name))
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain('s3cret')
    expect(Buffer.from(row.secrets_encrypted ?? []).includes('s3cret')).toBe(false)
    const { guest, workspaceId: workspace } = organization
    const listed = await guest.ok(methods.dataSources.list, { workspace })
    expect(listed.data_sources[0]?.name).toBe(made.name)
  })

  test.each([
    [{ ...given(), title: 'x' }, 'title'],
    [{ ...given(), app: { name: 'catalogDataSources/nothing' } }, 'app.name'],
    [{ ...given(), settings: { host: 'db.example' } }, 'settings.user'],
    [{ ...given(), settings: { ...given().settings, port: '1' } }, 'settings.port'],
  ])('an incomplete data source is refused with the name of the wrong field: %#', async (body, field) => {
    const { administrator, workspaceId } = organization
    const reply = await administrator.call('POST', `/workspaces/${workspaceId}/dataSources`, body)
    expect(reply).toMatchObject({ status: 400, body: { metadata: { [field]: expect.any(String) } } })
  })

  test('a data source whose creation request is repeated is created once', async () => {
    const { administrator, workspaceId: workspace } = organization
    const body = { ...given(), request_id: newId() }
    const [one, other] = await Promise.all([
      administrator.ok(methods.dataSources.create, { workspace }, { body }),
      administrator.ok(methods.dataSources.create, { workspace }, { body }),
    ])
    expect(one.name).toBe(other.name)
  })

  test('a data source does not send its password to another host before the password is entered again', async () => {
    const { administrator } = organization
    const made = await create()
    const path = `/${made.name}:updateSetting`
    expect(await administrator.call('POST', path, { name: 'host', value: 'evil.example' })).toMatchObject({
      status: 400,
      body: { metadata: { 'secrets.password': expect.any(String) } },
    })
    const params = idsOf(made.name)
    expect((await administrator.ok(methods.dataSources.get, params)).settings[0]?.value).toBe('db.example')
    await administrator.ok(methods.dataSources.updateSetting, params, {
      body: { name: 'host', value: 'other.example', secrets: { password: 'again' } },
    })
    await administrator.ok(methods.dataSources.validate, params, { body: { query: sql } })
    expect(opened.at(-1)?.context.settings).toMatchObject({ host: 'other.example', password: 'again' })
  })

  test('a data source is found only in its own workspace, even by users with access to both', async () => {
    const other = await startOrganization(harness)
    const made = await create()
    const path = `/workspaces/${other.workspaceId}/dataSources/${idIn(made.name)}`
    for (const [verb, end, body] of [
      ['GET', '', undefined],
      ['DELETE', '', undefined],
      ['PATCH', '?update_mask=title', { title: 'Mine' }],
      ['POST', ':testConnection', {}],
      ['POST', ':preview', { query: sql }],
      ['POST', ':validate', { query: sql }],
      ['POST', ':checkKey', { query: sql, primary_key: ['id'] }],
      ['POST', ':updateSetting', { name: 'user', value: 'me' }],
      ['GET', '/tables', undefined],
      ['GET', '/table?schema=public&table=customers', undefined],
    ] as const)
      expect(await other.platformAdmin.call(verb, path + end, body)).toMatchObject({ status: 404 })
  })
})

describe('a database behind a data source', () => {
  test('a database is connected to with the entered settings, and the connection is closed after the response', async () => {
    const { administrator } = organization
    const made = await create()
    const answer = await administrator.ok(methods.dataSources.testConnection, idsOf(made.name), { body: {} })
    expect(answer).toMatchObject({ ok: true, message: 'Connected.' })
    expect(opened.at(-1)).toMatchObject({ closed: true, context: { settings: { password: 's3cret-word' } } })
  })

  test('ERR-04: an unreachable database gives 412 with a message and a reason without secrets', async () => {
    const { administrator } = organization
    const made = await create({ host: 'away' })
    const answer = {
      status: 412,
      body: {
        code: 412,
        reason: 'DATA_SOURCE_UNREACHABLE',
        message:
          "We couldn't establish a connection to your data warehouse; access is either currently in progress or has been revoked.",
      },
    }
    for (const [verb, end, body] of [
      ['GET', '/tables', undefined],
      ['GET', '/table?schema=public&table=customers', undefined],
      ['POST', ':preview', { query: sql }],
      ['POST', ':validate', { query: sql }],
      ['POST', ':checkKey', { query: sql, primary_key: ['id'] }],
    ] as const) {
      const reply = await administrator.call(verb, `/${made.name}${end}`, body)
      expect(reply).toMatchObject(answer)
      expect(reply.body.metadata).toEqual({ detail: expect.stringMatching(/^Connection refused for /) })
      expect(JSON.stringify(reply.body)).not.toContain('s3cret')
    }
    const tested = await administrator.ok(methods.dataSources.testConnection, idsOf(made.name), { body: {} })
    expect(tested).toMatchObject({ ok: false, message: expect.stringMatching(/^Connection refused for /) })
    expect(tested.message).not.toContain('s3cret')
  })

  test("MAP-09, OPEN-57: a query that the database rejects gives the product's message and the database's own", async () => {
    const { administrator } = organization
    const made = await create()
    const reply = await administrator.call('POST', `/${made.name}:validate`, { query: { sql: 'wrong' } })
    expect(reply).toMatchObject({
      status: 400,
      body: {
        reason: 'QUERY_REFUSED',
        metadata: {
          query: 'Please verify that the SQL Query is valid.',
          detail: 'Line 1: no such thing (42P01)',
        },
      },
    })
    expect(opened.at(-1)?.closed).toBe(true)
  })

  test.each([
    ['an empty query', { query: { sql: ' \n' } }],
    ['a query with a NUL', { query: { sql: 'select \0' } }],
    ['a query of 65,536 characters', { query: { sql: 'x'.repeat(65_536) } }],
    ['neither a table nor a query', { query: {} }],
    ['a table without a schema', { query: { table: 'customers' } }],
  ])('a preview of %s is refused without a query to the database', async (_, body) => {
    const made = await create()
    const before = opened.length
    expect(await organization.administrator.call('POST', `/${made.name}:preview`, body)).toMatchObject({ status: 400 })
    expect(opened).toHaveLength(before)
  })

  test('the tables of a database are listed in pages, and the columns of an existing table are shown', async () => {
    const { administrator } = organization
    const params = idsOf((await create()).name)
    const { tables } = await administrator.ok(methods.dataSources.listTables, params, { query: { search: 'cust' } })
    expect(tables).toEqual([{ schema: 'public', name: 'customers', kind: 'table', rows: 1 }])
    const none = await administrator.ok(methods.dataSources.listTables, params, { query: { search: 'x' } })
    expect(none).toEqual({ tables: [], next_page_token: '' })
    const query = { schema: 'public', table: 'customers' }
    expect((await administrator.ok(methods.dataSources.getTable, params, { query })).columns[0]).toMatchObject({
      name: 'id',
      in_key: true,
    })
    const missing = `/${(await create()).name}/table?schema=public&table=none`
    expect(await administrator.call('GET', missing)).toMatchObject({ status: 404 })
  })

  test('the first 100 rows of a query are shown with long values cut, and the audit log records the reader', async () => {
    const { administrator } = organization
    const params = idsOf((await create()).name)
    const preview = await administrator.ok(methods.dataSources.preview, params, { body: { query: sql } })
    expect(preview.columns.map(({ name }) => name)).toEqual(['id', 'email'])
    expect(preview.rows).toHaveLength(100)
    expect(preview.more).toBe(true)
    expect(preview.rows[0]?.[1]).toBe(`${'x'.repeat(1000)}…`)
    expect(preview.rows[1]).toEqual(['1', null])
    const [record] = (await harness.audits()).filter(({ action }) => action === 'dataSources.preview').toReversed()
    expect(record).toMatchObject({ actor_id: administrator.userId, detail: sql })
  })

  test.each([
    ['an emoji', `select 1 -- ${'x'.repeat(987)}🙂`],
    ['a sign of a rare alphabet', `select '${'x'.repeat(991)}𐐨'`],
    ['many characters of two units', `select 1 --${'𝄞'.repeat(600)}`],
  ])('a query to a database is recorded in the audit log, cut at %s', async (_, query) => {
    const params = idsOf((await create()).name)
    await organization.administrator.ok(methods.dataSources.preview, params, { body: { query: { sql: query } } })
    const [record] = (await harness.audits()).filter(({ action }) => action === 'dataSources.preview').toReversed()
    const kept = (record?.detail as { sql?: string } | undefined)?.sql ?? ''
    expect(query.startsWith(kept)).toBe(true)
    expect([kept.isWellFormed(), kept.length]).toEqual([true, 999])
  })

  test('a slow database delays only its own workspace, and a call beyond the full queue is refused', async () => {
    const slow = await create({ host: 'slow' })
    const other = await startOrganization(harness)
    const theirs = await create({}, other)
    const before = opened.length
    // One person can have at most eight of these calls running or waiting, so two people make them.
    const ask = (_: unknown, index: number) =>
      organization[index < 8 ? 'administrator' : 'collaborator'].call('POST', `/${slow.name}:validate`, { query: sql })
    // Two queries run, eight wait, and one more is refused.
    const asked = Array.from({ length: 11 }, ask)
    expect(await Promise.race(asked)).toMatchObject({ status: 429, body: { reason: 'WORKSPACE_BUSY' } })
    expect(opened.length).toBe(before + 2)
    await other.administrator.ok(methods.dataSources.validate, idsOf(theirs.name), { body: { query: sql } })
    expect(opened.length).toBe(before + 3)
    release.resolve()
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([...Array(10).fill(200), 429])
  })

  test('a data source whose secrets were encrypted with another key is not connected', async () => {
    const made = await create()
    const sealed = harness.secretBox.seal('{"password":"x"}', 'dataSources/another/secrets')
    await harness.db
      .updateTable('data_sources')
      .set({ secrets_encrypted: sealed })
      .where('id', '=', idIn(made.name))
      .execute()
    const before = opened.length
    const reply = await organization.administrator.call('POST', `/${made.name}:preview`, { query: sql })
    expect(reply).toMatchObject({ status: 409, body: { reason: 'SECRETS_UNREADABLE' } })
    expect(opened).toHaveLength(before)
  })
})
