import { methods } from '@tributary/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const schemaOf = (index: number) =>
  JSON.stringify({
    events: {
      Bought: {
        properties: Object.fromEntries(Array.from({ length: index }, (_, n) => [`p${n}`, { type: 'string' }])),
      },
    },
  })

/** Makes a source and saves its schema `saves` times. Resolves to its parameters and name. */
const start = async (saves: number) => {
  const { administrator, workspaceId } = organization
  const { name } = await administrator.ok(
    methods.sources.create,
    { workspace: workspaceId },
    { body: { title: 'Shop', app: { name: 'catalogSources/http' } } },
  )
  const params = { workspace: workspaceId, source: idIn(name) }
  for (let index = 1; index <= saves; index++)
    await administrator.ok(methods.sources.update, params, { body: { schema: schemaOf(index) } })
  return { name, params }
}

test('every schema version is kept with its author, time, and content, newest first', async () => {
  const { administrator, guest, collaborator } = organization
  const { name, params } = await start(1)
  await collaborator.ok(methods.sources.update, params, { body: { schema: schemaOf(3), schema_change: 'imported' } })
  const { schema_versions, next_page_token } = await guest.ok(methods.schemaVersions.list, params)
  const author = ({ userId, email }: typeof guest) => ({ name: `users/${userId}`, display_name: email })
  const create_time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
  expect(next_page_token).toBe('')
  expect(schema_versions).toEqual([
    {
      name: `${name}/schemaVersions/3`,
      version: 3,
      create_time,
      author: author(collaborator),
      change: 'imported',
      event_count: 1,
      property_count: 3,
    },
    {
      name: `${name}/schemaVersions/2`,
      version: 2,
      create_time,
      author: author(administrator),
      change: 'edited',
      event_count: 1,
      property_count: 1,
    },
    {
      name: `${name}/schemaVersions/1`,
      version: 1,
      create_time,
      author: author(administrator),
      change: 'created',
      event_count: 0,
      property_count: 0,
    },
  ])
  const second = await guest.ok(methods.schemaVersions.get, { ...params, version: '2' })
  expect(second).toMatchObject({ ...schema_versions[1] })
  expect(JSON.parse(second.schema).events).toHaveProperty('Bought.properties.p0')
})

test('versions of the largest schema take only a fraction of their text size on disk', async () => {
  const { params } = await start(0)
  const types = ['string', 'number', 'boolean', 'object']
  const properties = (event: number) =>
    Object.fromEntries(
      Array.from({ length: 70 }, (_, index) => [`property_${event}_${index}`, { type: types[(event * index) % 4] }]),
    )
  const events = Object.fromEntries(
    Array.from({ length: 160 }, (_, event) => [`Event number ${event}`, { properties: properties(event) }]),
  )
  await organization.administrator.ok(methods.sources.update, params, { body: { schema: JSON.stringify({ events }) } })
  const { rows } = await sql<{ length: number; size: number }>`
    select length(schema) as length, pg_column_size(schema) as size from source_schemas
    where source_id = ${params.source} and version = 2`.execute(harness.db)
  expect(rows[0]?.length).toBeGreaterThan(400_000)
  expect(rows[0]?.size).toBeLessThan(150_000)
})

test('a version whose author was deleted stays, without an author', async () => {
  const { organizationId, administrator } = organization
  const leaving = await harness.person({ [organizationId]: 'ORG_COLLABORATOR' })
  const { params } = await start(0)
  await leaving.ok(methods.sources.update, params, { body: { schema: schemaOf(1) } })
  await harness.db
    .updateTable('source_schemas')
    .set({ author_id: null })
    .where('author_id', '=', leaving.userId)
    .execute()
  expect((await administrator.ok(methods.schemaVersions.list, params)).schema_versions[0]).toMatchObject({
    version: 2,
    author: null,
  })
  expect(
    await administrator.call('PATCH', `/workspaces/${params.workspace}/sources/${params.source}`, {
      schema: schemaOf(2),
      schema_version: 1,
    }),
  ).toMatchObject({ status: 409, body: { metadata: { version: '2', author: '' } } })
})

test('pages show every version once, even if versions are saved meanwhile', async () => {
  const { administrator } = organization
  const { params } = await start(6)
  const seen: number[] = []
  let page_token = ''
  let saves = 6
  do {
    const page = await administrator.ok(methods.schemaVersions.list, params, { query: { page_size: 3, page_token } })
    seen.push(...page.schema_versions.map(({ version }) => version))
    page_token = page.next_page_token
    await administrator.ok(methods.sources.update, params, { body: { schema: schemaOf(++saves) } })
  } while (page_token !== '')
  expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1])
})

test('a page token of another source is refused', async () => {
  const { administrator } = organization
  const [a, b] = [await start(1), await start(1)]
  const { next_page_token } = await administrator.ok(methods.schemaVersions.list, a.params, { query: { page_size: 1 } })
  expect(await administrator.call('GET', `/${b.name}/schemaVersions?page_token=${next_page_token}`)).toMatchObject({
    status: 400,
    body: { reason: 'INVALID_PAGE_TOKEN' },
  })
  expect((await administrator.call('GET', `/${a.name}/schemaVersions?page_size=-1`)).status).toBe(400)
})

test('versions that are unknown, foreign, or of a deleted source are not found', async () => {
  const { administrator, outsider, otherWorkspaceId } = organization
  const { name, params } = await start(0)
  for (const version of ['0', '2', '-1', '1.0', '01', 'x', '99999999999', '2147483648'])
    expect([version, (await administrator.call('GET', `/${name}/schemaVersions/${version}`)).status]).toEqual([
      version,
      404,
    ])
  for (const path of [`/${name}/schemaVersions`, `/${name}/schemaVersions/1`]) {
    expect((await outsider.call('GET', path)).status).toBe(404)
    expect((await outsider.call('GET', path.replace(params.workspace, otherWorkspaceId))).status).toBe(404)
    expect((await harness.call('', 'GET', path)).status).toBe(401)
  }
  await administrator.call('DELETE', `/${name}`)
  for (const path of [`/${name}/schemaVersions`, `/${name}/schemaVersions/1`])
    expect((await administrator.call('GET', path)).status).toBe(404)
  // Its events stay until they age out, and say which version validated them.
  expect(
    await harness.db.selectFrom('source_schemas').select('version').where('source_id', '=', params.source).execute(),
  ).toEqual([{ version: 1 }])
})
