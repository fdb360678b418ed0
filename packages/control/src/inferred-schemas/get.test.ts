import { methods, parseSourceSchema } from '@tributary/contract'
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

const dayMs = 86_400_000

const start = async () => {
  const { administrator, workspaceId } = organization
  const { source } = await makeResources(workspaceId, administrator)
  const params = { workspace: workspaceId, source: idIn(source.name) }
  let index = 0
  const event = (name: string, properties: unknown, more: object = {}) => ({
    workspace_id: workspaceId,
    source_id: params.source,
    event_id: `${index++}`,
    type: 'track',
    event: name,
    status: 'accepted',
    receive_time: harness.now() - 1000 - index,
    timestamp: 0,
    original: JSON.stringify({ event: name, properties }),
    ...more,
  })
  return {
    params,
    event,
    store: (rows: object[]): Promise<void> =>
      harness.eventStore.insert('events', rows.map((row) => JSON.stringify(row)).join('\n'), { token: newId() }),
    infer: async (query: object = {}) => {
      const { schema, ...rest } = await organization.guest.ok(methods.inferredSchemas.get, params, { query })
      parseSourceSchema(schema)
      return { schema: JSON.parse(schema) as { events: Record<string, unknown>; user?: unknown }, ...rest }
    },
  }
}

test('a schema is proposed from the events of the last days, with traits of identify calls as its user', async () => {
  const { event, store, infer } = await start()
  const identify = { type: 'identify', event: '' }
  await store([
    ...Array.from({ length: 25 }, (_, index) =>
      event('Order', { total: index === 3 ? 'three' : index, ...(index === 0 ? {} : { coupon: 'x' }) }),
    ),
    event('Blocked', { a: true }, { status: 'blocked' }),
    event('', {}, { ...identify, original: '{"traits":{"email":"a@example.com"}}' }),
    event('', {}, { ...identify, original: '{"context":{"traits":{"plan":"pro"}}}' }),
    event('Home', { url: '/' }, { type: 'page' }),
    event('Rejected', { a: 1 }, { status: 'rejected' }),
    event('Broken', {}, { original: '{"properties":{"a"' }),
    event('Without', undefined, { original: '{"properties":"none"}' }),
    event('Old', { a: 1 }, { receive_time: harness.now() - 8 * dayMs }),
    event('Of another source', { a: 1 }, { source_id: newId() }),
    event('Of another workspace', { a: 1 }, { workspace_id: organization.otherWorkspaceId }),
  ])
  const object = (properties: object, required: string[] = [], recommended: string[] = []) => ({
    type: 'object',
    properties,
    required,
    recommended,
  })
  const { schema, events, mixed } = await infer()
  expect(schema).toEqual({
    events: {
      Order: object({ total: { type: 'number' }, coupon: { type: 'string' } }, ['total'], ['coupon']),
      Blocked: object({ a: { type: 'boolean' } }, [], ['a']),
      Without: object({}),
    },
    user: object({ email: { type: 'string' }, plan: { type: 'string' } }),
  })
  expect(events.toSorted((a, b) => b.count - a.count || (a.title < b.title ? -1 : 1))).toEqual([
    { title: 'Order', count: 25 },
    { title: '', count: 2 },
    { title: 'Blocked', count: 1 },
    { title: 'Without', count: 1 },
  ])
  expect(mixed).toEqual([
    {
      id: '/events/Order/properties/total',
      types: [
        { type: 'number', count: 24 },
        { type: 'string', count: 1 },
      ],
    },
  ])
  expect(Object.keys((await infer({ days: 30 })).schema.events)).toContain('Old')
})

test('only the newest events of a frequent name are read, and rare names are still found', async () => {
  const { event, store, infer } = await start()
  await store([
    ...Array.from({ length: 500 }, (_, index) => event('Frequent', index < 200 ? { newer: 1 } : { older: 1 })),
    event('Rare', { a: 1 }),
  ])
  const { schema, events } = await infer()
  expect(events).toEqual([
    { title: 'Frequent', count: 200 },
    { title: 'Rare', count: 1 },
  ])
  expect(schema.events['Frequent']).toMatchObject({ properties: { newer: { type: 'number' } }, required: ['newer'] })
})

test('a source without events has an empty proposal', async () => {
  const { infer } = await start()
  expect(await infer()).toEqual({ schema: { events: {} }, events: [], mixed: [] })
})

test('only members of the organization see a proposed schema, for existing sources and valid time ranges', async () => {
  const { params } = await start()
  const { administrator, outsider, otherWorkspaceId } = organization
  const of = (workspace: string, source: string): string => `/workspaces/${workspace}/sources/${source}/inferredSchema`
  const path = of(params.workspace, params.source)
  expect(await harness.call('', 'GET', path)).toMatchObject({ status: 401 })
  expect(await outsider.call('GET', path)).toMatchObject({ status: 404 })
  expect(await outsider.call('GET', of(otherWorkspaceId, params.source))).toMatchObject({ status: 404 })
  expect(await administrator.call('GET', of(params.workspace, newId()))).toMatchObject({ status: 404 })
  for (const days of ['0', '91', '-1', 'x', '1.5']) {
    const reply = await administrator.call('GET', `${path}?days=${days}`)
    expect([reply.status, Object.keys(reply.body['metadata'] ?? {})]).toEqual([400, ['days']])
  }
})

test('many large events with unique names cost no more reading than a few', async () => {
  const { event, store, infer } = await start()
  const long = 'x'.repeat(30_000)
  for (let part = 0; part < 7; part++)
    await store(Array.from({ length: 100 }, (_, index) => event(`E${part * 100 + index}`, { long })))
  const { events } = await infer()
  const bytes = events.length * 30_000
  expect(bytes).toBeGreaterThan(10 * 1024 * 1024)
  expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024)
})
