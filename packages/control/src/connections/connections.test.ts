import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const make = () => makeResources(organization.workspaceId, organization.administrator)
const path = () => `/workspaces/${organization.workspaceId}/connections`

test('a connection names its source and destination, and is listed by either of them', async () => {
  const { administrator, workspaceId } = organization
  const made = await make()
  await make()
  expect(made.connection).toMatchObject({
    source: made.source.name,
    destination: made.destination.name,
    enabled: true,
    extra: {
      source: { title: 'Shop', display_name: 'HTTP API', enabled: true },
      destination: { title: 'Receiver', display_name: 'Webhook', enabled: true },
    },
  })
  const list = (query: { source?: string; destination?: string }) =>
    administrator.ok(methods.connections.list, { workspace: workspaceId }, { query })
  expect((await list({ source: made.source.name })).connections).toEqual([made.connection])
  expect((await list({ destination: made.destination.name })).connections).toEqual([made.connection])
  expect((await list({})).connections.length).toBeGreaterThan(1)
})

test('a source and a destination are connected once, even with repeated or concurrent requests', async () => {
  const { administrator } = organization
  const made = await make()
  await administrator.call('DELETE', `/${made.connection.name}`)
  const body = { source: made.source.name, destination: made.destination.name }
  const replies = await Promise.all([1, 2, 3, 4].map(() => administrator.call('POST', path(), body)))
  expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
})

test('a connection to a deleted, unknown, or foreign source or destination is refused', async () => {
  const { administrator, outsider, workspaceId, otherWorkspaceId } = organization
  const own = await make()
  const gone = await make()
  await administrator.call('DELETE', `/${gone.source.name}`)
  const foreign = await makeResources(otherWorkspaceId, outsider)
  const here = `workspaces/${workspaceId}`
  for (const body of [
    { source: gone.source.name, destination: own.destination.name },
    { source: foreign.source.name, destination: own.destination.name },
    { source: own.source.name, destination: foreign.destination.name },
    { source: `${here}/sources/${idIn(foreign.source.name)}`, destination: own.destination.name },
    { source: own.source.name, destination: `${here}/destinations/${idIn(foreign.destination.name)}` },
    { source: own.source.name, destination: `${here}/destinations/${newId()}` },
  ])
    expect(await administrator.call('POST', path(), body)).toMatchObject({ status: 404 })
  for (const [field, body] of [
    ['source', { source: 'x', destination: own.destination.name }],
    ['destination', { source: own.source.name, destination: own.source.name }],
    ['destination', { source: own.source.name }],
  ] as const)
    expect(await administrator.call('POST', path(), body)).toMatchObject({
      status: 400,
      body: { metadata: { [field]: expect.any(String) } },
    })
})

test('a connection of another workspace can neither be changed nor deleted', async () => {
  const { administrator, outsider, workspaceId, otherWorkspaceId } = organization
  const foreign = await makeResources(otherWorkspaceId, outsider)
  const id = idIn(foreign.connection.name)
  for (const name of [foreign.connection.name, `workspaces/${workspaceId}/connections/${id}`]) {
    expect((await administrator.call('PATCH', `/${name}`, { enabled: false })).status).toBe(404)
    expect((await administrator.call('DELETE', `/${name}`)).status).toBe(404)
  }
  const row = await harness.db.selectFrom('connections').select('enabled').where('id', '=', id).executeTakeFirst()
  expect(row).toEqual({ enabled: true })
})

test('a connection can be disabled and enabled, and created again after its deletion', async () => {
  const { administrator, workspaceId } = organization
  const made = await make()
  const params = { workspace: workspaceId, connection: idIn(made.connection.name) }
  expect(await administrator.ok(methods.connections.update, params, { body: { enabled: false } })).toMatchObject({
    enabled: false,
  })
  expect(await administrator.ok(methods.connections.update, params, { body: {} })).toMatchObject({ enabled: false })
  await administrator.ok(methods.connections.delete, params)
  expect((await administrator.call('DELETE', `/${made.connection.name}`)).status).toBe(404)
  const body = { source: made.source.name, destination: made.destination.name }
  expect((await administrator.call('POST', path(), body)).status).toBe(200)
})

test('the events of each connection in the last 24 hours are counted, of this workspace only', async () => {
  const { guest, workspaceId, otherWorkspaceId } = organization
  const { source, destination } = await make()
  const ends = { source_id: idIn(source.name), destination_id: idIn(destination.name) }
  const now = harness.now()
  const row = (status: string, time: number, more: object = {}) =>
    JSON.stringify({ workspace_id: workspaceId, ...ends, event_id: newId(), status, time, attempt: 1, ...more })
  await harness.eventStore.insert(
    'deliveries',
    [
      row('delivered', now - 1000),
      row('delivered', now - 23 * 3_600_000),
      row('dead', now - 1000),
      row('retry', now - 1000),
      row('filtered', now - 1000),
      row('delivered', now - 25 * 3_600_000),
      row('delivered', now - 1000, { workspace_id: otherWorkspaceId }),
    ],
    { token: newId() },
  )
  const { activities } = await guest.ok(methods.connections.getActivity, { workspace: workspaceId })
  expect(activities.filter((each) => each.destination === destination.name)).toEqual([
    {
      source: source.name,
      destination: destination.name,
      received: 5,
      filtered: 1,
      pending: 1,
      delivered: 2,
      failed: 1,
    },
  ])
  expect(await organization.outsider.call('GET', `/workspaces/${workspaceId}/connectionActivity`)).toMatchObject({
    status: 404,
  })
})

test.each([
  ['start_date.seconds=5', 'end_date.seconds'],
  ['end_date.seconds=5', 'start_date.seconds'],
  ['start_date.seconds=5&end_date.seconds=5', 'end_date.seconds'],
  [`start_date.seconds=0&end_date.seconds=${93 * 86_400}`, 'end_date.seconds'],
  ['start_date.seconds=x&end_date.seconds=5', 'start_date.seconds'],
])(
  'a request for connection activity with %s is refused with 400, and the response names the field',
  async (text, field) => {
    const reply = await organization.guest.call(
      'GET',
      `/workspaces/${organization.workspaceId}/connectionActivity?${text}`,
    )
    expect([reply.status, Object.keys(reply.body['metadata'] ?? {})]).toEqual([400, [field]])
  },
)

test('the filter of a connection can be changed alone, and an invalid filter is refused', async () => {
  const { administrator } = organization
  const { connection } = await make()
  const change = (filter: object) =>
    administrator.call('PATCH', `/${connection.name}?update_mask=filter`, { enabled: false, filter })
  const filter = {
    match: 'any',
    conditions: [{ id: 'a1b2', field: 'properties.total', operator: 'greater_than', value: '100' }],
  }
  expect(await change(filter)).toMatchObject({ status: 200, body: { enabled: true, filter } })
  expect(await change({ conditions: [{ ...filter.conditions[0], operator: 'roughly' }] })).toMatchObject({
    status: 400,
  })
  expect(await change({ conditions: [{ ...filter.conditions[0], value: '' }] })).toMatchObject({ status: 400 })
  expect(await change({ conditions: [{ ...filter.conditions[0], field: 'profile.traits.plan' }] })).toMatchObject({
    status: 400,
    body: { metadata: { 'filter.conditions.0.field': expect.stringContaining('no values of the profile') } },
  })
})
