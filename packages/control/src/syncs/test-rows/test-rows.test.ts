import type { DataRow } from '@tributary/connector-kit'
import { type Peer, type PeerAnswer, startPeer } from '@tributary/connector-kit/testing'
import { webhook } from '@tributary/connectors/destinations/webhook'
import { type MethodRequest, methods } from '@tributary/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type Harness,
  listed,
  listedDataSources,
  type Organization,
  startControl,
  startOrganization,
  testCatalog,
} from '../../testing/control-harness.ts'
import { scriptedDataSource } from '../../testing/data-source.ts'

const rows: DataRow[] = [
  ['1', 'ada@example.com'],
  ['2', null],
  ['12345678901234567890', 'cyd@example.com'],
]
const secret = 'hush-hush-secret'
const shopDatabase = {
  title: 'Shop',
  app: { name: 'catalogDataSources/database' },
  settings: { host: 'db.example', user: 'reader', password: 'secret' },
}

let harness: Harness
let organization: Organization
let model = ''
let source = ''
let peer: Peer | undefined
beforeAll(async () => {
  harness = await startControl({
    catalog: {
      ...testCatalog,
      destinations: listed(webhook),
      dataSources: listedDataSources(scriptedDataSource({ rows })),
    },
  })
  organization = await startOrganization(harness)
  const { administrator, workspaceId: workspace } = organization
  const made = await administrator.ok(methods.dataSources.create, { workspace }, { body: shopDatabase })
  const query = { schema: 'public', table: 'customers' }
  const body = { title: 'Customers', data_source: made.name, query, primary_key: ['id'] }
  model = (await administrator.ok(methods.models.create, { workspace }, { body })).name
  const shop = { title: 'Shop', app: { name: 'catalogSources/http' } }
  source = (await administrator.ok(methods.sources.create, { workspace }, { body: shop })).name
})
afterAll(() => harness[Symbol.asyncDispose]())
afterEach(async () => {
  await peer?.close()
  peer = undefined
})

const start = async (answer: PeerAnswer = { status: 200, body: 'taken' }) => {
  peer = await startPeer(() => answer)
  const { administrator, collaborator, workspaceId: workspace } = organization
  const { name: destination } = await administrator.ok(
    methods.destinations.create,
    { workspace },
    {
      body: {
        title: 'Receiver',
        app: { name: 'catalogDestinations/webhook' },
        settings: { url: peer.url, headers: { authorization: `Bearer ${secret}` } },
      },
    },
  )
  type Body = MethodRequest<typeof methods.syncTestRows.preview>
  const trial: Body = {
    model,
    destination,
    object: 'records',
    object_name: 'customers',
    mode: 'UPDATE_ONLY',
    identifier: 'email',
    fields: [
      { column: 'id', target: 'number' },
      { column: 'email', target: 'email' },
    ],
  }
  return {
    trial,
    requests: peer.requests,
    preview: (more: Partial<Body> = {}) =>
      collaborator.ok(methods.syncTestRows.preview, { workspace }, { body: { ...trial, ...more } }),
    send: (more: Partial<Body> = {}) =>
      collaborator.ok(methods.syncTestRows.send, { workspace }, { body: { ...trial, ...more } }),
  }
}

const none = { outcome: 'none', http_status: 0, request: '', response: '' }

test('a preview shows the exact payload of the first row or of the row with a key, and sends nothing', async () => {
  const { preview, requests } = await start()
  expect(await preview()).toEqual({
    found: true,
    source_key: '1',
    key: 'ada@example.com',
    operation: 'update',
    payload: '{"email":"ada@example.com","number":1}',
    reason: '',
  })
  expect(await preview({ key: ['12345678901234567890'], mode: 'FULL_SYNC' })).toMatchObject({
    operation: 'upsert',
    payload: '{"email":"cyd@example.com","number":12345678901234567890}',
  })
  expect(await preview({ key: ['2'] })).toMatchObject({ found: true, payload: '', reason: 'email is null' })
  expect(await preview({ key: ['3'] })).toMatchObject({
    found: false,
    payload: '',
    reason: 'No row of the model has this primary key',
  })
  expect(requests).toEqual([])
})

test('a preview of a row that becomes an event shows the event', async () => {
  const { preview } = await start()
  const fields = [
    { column: 'id', target: 'userId' },
    { column: 'email', target: 'properties.email' },
  ]
  const events = { destination: source, object: 'events', object_name: 'Signed Up', identifier: 'messageId' }
  const shown = await preview({ ...events, mode: 'INSERT_ONLY', fields })
  expect(shown).toMatchObject({ operation: 'event', reason: '' })
  expect(JSON.parse(shown.payload)).toMatchObject({ type: 'track', event: 'Signed Up', userId: '1' })
})

describe('a test row', () => {
  test('a test row is written like a delivery, and its request and response are shown without secrets', async () => {
    const { send, trial, requests } = await start({ status: 200, body: `taken, ${secret}` })
    const sent = await send({ key: ['1'] })
    expect(sent).toMatchObject({ outcome: 'delivered', reason: '', http_status: 200, key: 'ada@example.com' })
    expect(requests).toHaveLength(1)
    expect(requests[0]?.headers['authorization']).toBe(`Bearer ${secret}`)
    const [body] = [JSON.parse(requests[0]?.body ?? '')].flat()
    expect(body).toMatchObject({
      operation: 'update',
      object: 'customers',
      key: 'ada@example.com',
      payload: JSON.parse(sent.payload),
    })
    expect(sent.request).toContain('ada@example.com')
    expect(JSON.stringify(sent)).not.toContain(secret)
    expect((await harness.audits()).at(-1)).toMatchObject({
      action: 'syncTestRows.send',
      resource: trial.destination,
      detail: { model, object: 'customers', operation: 'update', sent: true },
    })
    expect(await harness.eventStore.query('select event_id from deliveries')).toEqual([])
    expect(await harness.db.selectFrom('sync_runs').select('id').execute()).toEqual([])
  })

  test.each<[PeerAnswer, object]>([
    [
      { status: 503, body: 'busy' },
      { outcome: 'retry', http_status: 503 },
    ],
    [
      { status: 422, body: 'no such field' },
      { outcome: 'rejected', http_status: 422 },
    ],
    ['reset', { outcome: 'retry', http_status: 0 }],
  ])('a test row with the response %j shows it', async (answer, wanted) => {
    const { send } = await start(answer)
    const sent = await send()
    expect(sent).toMatchObject(wanted)
    expect(sent.reason).not.toBe('')
    expect(sent.request).toContain('POST http://127.0.0.1')
  })

  test('a test row is not sent if the row is invalid or missing', async () => {
    const { send, requests } = await start()
    expect(await send({ key: ['2'] })).toMatchObject({ ...none, found: true, reason: 'email is null' })
    expect(await send({ key: ['3'] })).toMatchObject({ ...none, found: false })
    expect(requests).toEqual([])
    expect((await harness.audits()).at(-1)).toMatchObject({ detail: { sent: false } })
  })

  test('a test row is refused for an invalid sync, for guests, and for resources of another organization', async () => {
    const { trial, requests } = await start()
    const { administrator, guest, outsider, workspaceId, otherWorkspaceId } = organization
    const asked = async (verb: string, more: object, caller = administrator, of = workspaceId) => {
      const { status, body } = await caller.call('POST', `/workspaces/${of}/syncs:${verb}`, { ...trial, ...more })
      return [status, Object.keys((body.metadata ?? {}) as object)]
    }
    for (const verb of ['previewRow', 'sendTestRow']) {
      expect(await asked(verb, { key: ['1', '2'] })).toEqual([400, ['key']])
      expect(await asked(verb, { identifier: 'id' })).toEqual([400, ['identifier']])
      expect(await asked(verb, { object: 'nothing' })).toEqual([400, ['object']])
      const fields = [...trial.fields, { column: 'gone', target: 'gone' }]
      expect(await asked(verb, { fields })).toEqual([400, ['fields']])
      expect((await asked(verb, {}, guest))[0]).toBe(403)
      expect((await asked(verb, {}, outsider))[0]).toBe(404)
      // The named resources are in another workspace than the call.
      expect((await asked(verb, {}, outsider, otherWorkspaceId))[0]).toBe(404)
    }
    const events = { destination: source, object: 'profiles', object_name: 'profiles', identifier: 'messageId' }
    const fields = [{ column: 'id', target: 'userId' }]
    const event = { ...events, mode: 'INSERT_ONLY', fields }
    expect(await asked('sendTestRow', event)).toEqual([400, ['destination']])
    expect(requests).toEqual([])
  })

  test('a test row can be sent only a limited number of times in 15 minutes', async () => {
    const { trial, requests } = await start()
    const { administrator, workspaceId } = organization
    const send = () => administrator.call('POST', `/workspaces/${workspaceId}/syncs:sendTestRow`, trial)
    let last = await send()
    for (let sent = 1; last.status === 200 && sent < 100; sent++) last = await send()
    expect(last).toMatchObject({ status: 429, body: { reason: 'RATE_LIMITED' } })
    expect(requests.length).toBeLessThanOrEqual(60)
  })
})
