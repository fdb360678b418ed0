import { methods } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
let dataSource: string
const makeDataSource = async ({ administrator, workspaceId: workspace }: Organization, host: string) => {
  const body = {
    title: 'Warehouse',
    app: { name: 'catalogDataSources/database' },
    settings: { host, user: 'reader', password: 'secret' },
  }
  return (await administrator.ok(methods.dataSources.create, { workspace }, { body })).name
}
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
  dataSource = await makeDataSource(organization, 'db.example')
})
afterAll(() => harness[Symbol.asyncDispose]())

const given = (more: Record<string, unknown> = {}) => ({
  title: 'Customers',
  data_source: dataSource,
  query: { sql: 'select id, email from customers' },
  primary_key: ['id'],
  ...more,
})
const create = () =>
  organization.administrator.ok(methods.models.create, { workspace: organization.workspaceId }, { body: given() })
const idsOf = (name: string) => ({ workspace: organization.workspaceId, model: idIn(name) })

test('a model stores its query, key, and the columns that the database returned, and is listed with its data source', async () => {
  const made = await create()
  expect(made).toMatchObject({
    title: 'Customers',
    data_source: { name: dataSource, title: 'Warehouse' },
    query: { sql: 'select id, email from customers' },
    primary_key: ['id'],
    columns: [
      { name: 'id', type: 'bigint' },
      { name: 'email', type: 'text' },
    ],
  })
  const { guest, workspaceId: workspace } = organization
  const other = await makeDataSource(organization, 'other.example')
  const listed = async (data_source: string) =>
    (await guest.ok(methods.models.list, { workspace }, { query: { data_source } })).models.map(({ name }) => name)
  expect(await listed(dataSource)).toContain(made.name)
  expect(await listed(other)).toEqual([])
  const counted = await guest.ok(methods.dataSources.get, { workspace, data_source: idIn(dataSource) })
  expect(counted.model_count).toBeGreaterThan(0)
})

test('MAP-09, OPEN-57: a query that the database refuses is not saved', async () => {
  const { administrator, workspaceId } = organization
  const refused = { status: 400, body: { metadata: { query: 'Please verify that the SQL Query is valid.' } } }
  const wrong = { query: { sql: 'wrong' } }
  expect(await administrator.call('POST', `/workspaces/${workspaceId}/models`, given(wrong))).toMatchObject(refused)
  const made = await create()
  expect(await administrator.call('PATCH', `/${made.name}?update_mask=query`, wrong)).toMatchObject(refused)
  expect(await administrator.ok(methods.models.get, idsOf(made.name))).toEqual(made)
})

test('ERR-04: a model of an unreachable database is not saved', async () => {
  const { administrator, workspaceId } = organization
  const data_source = await makeDataSource(organization, 'away')
  const reply = await administrator.call('POST', `/workspaces/${workspaceId}/models`, given({ data_source }))
  expect(reply).toMatchObject({ status: 412, body: { reason: 'DATA_SOURCE_UNREACHABLE' } })
})

test.each([
  [{ title: 'x' }, 'title'],
  [{ primary_key: [] }, 'primary_key'],
  [{ primary_key: ['id', 'id'] }, 'primary_key'],
  [{ primary_key: ['nothing'] }, 'primary_key'],
  [{ data_source: 'sources/1' }, 'data_source'],
])('a model with %j is refused', async (more, field) => {
  const { administrator, workspaceId } = organization
  const reply = await administrator.call('POST', `/workspaces/${workspaceId}/models`, given(more))
  expect(reply).toMatchObject({ status: 400, body: { metadata: { [field]: expect.any(String) } } })
})

test("a model cannot use another workspace's data source, and other workspaces cannot find the model", async () => {
  const other = await startOrganization(harness)
  const made = await create()
  const { platformAdmin, workspaceId } = other
  expect(await platformAdmin.call('POST', `/workspaces/${workspaceId}/models`, given())).toMatchObject({ status: 404 })
  const path = `/workspaces/${workspaceId}/models/${idIn(made.name)}`
  expect(await platformAdmin.call('GET', path)).toMatchObject({ status: 404 })
  expect(await platformAdmin.call('PATCH', `${path}?update_mask=title`, { title: 'Mine' })).toMatchObject({
    status: 404,
  })
  expect(await platformAdmin.call('DELETE', path)).toMatchObject({ status: 404 })
  const filtered = `/workspaces/${workspaceId}/models?data_source=${encodeURIComponent(dataSource)}`
  expect(await platformAdmin.call('GET', filtered)).toMatchObject({ status: 404 })
})

test("changing a model's title needs no database; changing its key checks it against the columns", async () => {
  const { administrator } = organization
  const made = await create()
  const renamed = await administrator.ok(methods.models.update, idsOf(made.name), { body: { title: 'People' } })
  expect(renamed).toMatchObject({ title: 'People', primary_key: ['id'] })
  const moved = await administrator.ok(methods.models.update, idsOf(made.name), {
    body: { primary_key: ['email', 'id'] },
  })
  expect(moved).toMatchObject({ title: 'People', primary_key: ['email', 'id'], query: made.query })
})

test('deleting a data source deletes its models, and nothing of its password remains', async () => {
  const { administrator, workspaceId: workspace } = organization
  const name = await makeDataSource(organization, 'gone.example')
  const body = given({ data_source: name })
  const made = await administrator.ok(methods.models.create, { workspace }, { body })
  await administrator.ok(methods.dataSources.delete, { workspace, data_source: idIn(name) })
  expect(await administrator.call('GET', `/${made.name}`)).toMatchObject({ status: 404 })
  expect(await harness.db.selectFrom('data_sources').select('id').where('id', '=', idIn(name)).execute()).toEqual([])
})
