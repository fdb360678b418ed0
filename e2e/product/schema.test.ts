import {
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  startWebhookReceiver,
  type TestSource,
} from '@tributary/test-kit'
import { beforeAll, expect, test } from 'vitest'
import { post, type StoredEvent, storedEvents, track } from './calls.ts'
import { listen } from './live-channel.ts'
import { joinProduct, type SharedProduct } from './shared-product.ts'

let product: SharedProduct
let workspace: string
beforeAll(async () => {
  product = await joinProduct()
  workspace = (await createWorkspace(product.api)).workspace
})

/** Whether an event was sent only to find out whether a listener is registered. */
const isSign = (messageId: string): boolean => messageId.startsWith('sign-')

type Validated = StoredEvent & { compatibility: string; schema_version: number }

const typed = (total: string) => ({
  events: { Ordered: { properties: { total: { type: total } }, required: ['total'] } },
})
const change = (source: TestSource, body: object) => product.api.ok('PATCH', `/${source.source}`, body)
const setSchema = (source: TestSource, schema: object) => change(source, { schema: JSON.stringify(schema) })

/** Returns the stored events of a source by message ID, when there are `count`. */
const validated = async (source: TestSource, count: number): Promise<Validated[]> =>
  eventually(`${count} stored`, async () => {
    const found = ((await storedEvents(product, source.source)) as Validated[]).filter(
      (each) => !isSign(each.message_id),
    )
    return found.length >= count && found
  })

test('a schema change applies to the next event, and each stored event shows which version validated it', async () => {
  const source = await createSource(product.api, workspace, 'Changing')
  const began = Number((await product.api.ok('GET', `/${source.source}`)).schema_version)
  const expected: [string, string, number][] = []
  for (let n = 0; n < 6; n++) {
    const changed = await setSchema(source, typed(n % 2 === 0 ? 'number' : 'string'))
    expect(changed.schema_version).toBe(began + n + 1)
    // The next event is sent without a pause.
    expect((await post(product, '/v1/track', source.key, track(`c-${n}`, { properties: { total: 1 } }))).status).toBe(
      200,
    )
    expected.push([`c-${n}`, n % 2 === 0 ? 'compatible' : 'needsAttention', began + n + 1])
  }
  const stored = await validated(source, 6)
  const reported = stored.map((event) => [event.message_id, event.compatibility, event.schema_version])
  expect(reported.toSorted()).toEqual(expected.toSorted())
})

test('a blocked event is stored and shown live, and delivered once after the schema is fixed and it is replayed', async () => {
  await using receiver = await startWebhookReceiver()
  const source = await createSource(product.api, workspace, 'Blocking')
  await createWebhook(product.api, workspace, source.source, { url: receiver.url })
  await change(source, { schema: JSON.stringify(typed('string')), enforcement: 'block' })
  const channel = await listen(product, product.api.token ?? '', `private-sources-${source.sourceId}`)
  type Live = { events: { messageId: string; status: string; compatibility?: string; schemaVersion?: number }[] }
  const heard = () =>
    channel.heard.flatMap(({ data }) => (data as Live).events).filter(({ messageId }) => !isSign(messageId))
  // The pipeline is notified a moment later that there is a listener.
  let signs = 0
  await eventually('listening', async () => {
    await post(product, '/v1/page', source.key, { userId: 'u', messageId: `sign-${signs++}` })
    return channel.heard.length > 0
  })
  const timestamp = '2026-01-02T03:04:05.678Z'
  const bad = track('bad', { properties: { total: 5 }, timestamp, context: { page: { path: '/a' } } })
  const batch = [bad, track('good', { properties: { total: '5' } }), track('new', { event: 'Unheard of' })]
  const body = { batch, context: { ip: '198.51.100.7' }, sentAt: timestamp }
  expect((await post(product, '/v1/batch', source.key, body)).status).toBe(200)
  await eventually('the one that fits delivered', () => receiver.messageIds().has('good'))
  const stored = await validated(source, 3)
  expect(stored.map((event) => [event.message_id, event.status, event.compatibility]).toSorted()).toEqual([
    ['bad', 'blocked', 'needsAttention'],
    ['good', 'accepted', 'compatible'],
    ['new', 'blocked', 'incompatible'],
  ])
  expect(await storedEvents(product, source.source, '&status=blocked')).toHaveLength(2)
  const live = await eventually('shown live', () => heard().length >= 3 && heard())
  channel.close()
  expect(live.map((event) => [event.messageId, event.status, event.compatibility, event.schemaVersion])).toEqual([
    ['bad', 'blocked', 'needsAttention', 2],
    ['good', 'accepted', 'compatible', 2],
    ['new', 'blocked', 'incompatible', 2],
  ])

  const replay = () => product.api.ok('POST', `/${source.source}:replayBlockedEvents`, {})
  expect(await replay()).toEqual({ replayed: 0, still_blocked: 2 })
  await setSchema(source, typed('number'))
  expect(await replay()).toEqual({ replayed: 1, still_blocked: 1 })
  await eventually('delivered', () => receiver.messageIds().has('bad'))
  // Another replay has nothing to send. The next event is delivered after everything that the replay might have sent.
  expect(await replay()).toEqual({ replayed: 0, still_blocked: 1 })
  await post(product, '/v1/track', source.key, track('last', { properties: { total: 1 } }))
  await eventually('what follows', () => receiver.messageIds().has('last'))
  expect([...receiver.messageIds()].filter(([id]) => !isSign(id)).toSorted()).toEqual([
    ['bad', 1],
    ['good', 1],
    ['last', 1],
  ])
  const delivered = receiver.calls.map((call) => JSON.parse(call.body)).find(({ messageId }) => messageId === 'bad')
  const first = stored.find((event) => event.message_id === 'bad')
  const before = await product.api.ok('GET', `/${first?.name}`)
  expect(delivered).toMatchObject({
    event: 'Ordered',
    userId: 'u-1',
    properties: { total: 5 },
    context: { page: { path: '/a' }, ip: '198.51.100.7' },
    timestamp: before.timestamp,
    originalTimestamp: timestamp,
  })
  // The stored event stays, and a new event is stored in addition.
  expect(before).toMatchObject({ status: 'blocked', replay_time: expect.any(String), deliveries: [] })
  const both = (await validated(source, 5)).filter((event) => event.message_id === 'bad')
  expect(both.map((event) => [event.status, event.compatibility, event.schema_version]).toSorted()).toEqual([
    ['accepted', 'compatible', 3],
    ['blocked', 'needsAttention', 2],
  ])
})

test('large or deep events and events with hostile names are validated like others', async () => {
  const source = await createSource(product.api, workspace, 'Hostile')
  const items = {
    properties: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`n${n}`, { type: 'string' }])),
    required: Array.from({ length: 40 }, (_, n) => `n${n}`),
  }
  const properties = { list: { type: 'array', items }, total: { type: 'number' } }
  const schema = `{"events":{"Ordered":{"properties":${JSON.stringify(properties).slice(0, -1)},"__proto__":{"type":"object"},"constructor":{"type":"string"}},"required":["__proto__"]}}}`
  await change(source, { schema, enforcement: 'block' })
  const event = (id: string, given: string) =>
    `{"type":"track","event":"Ordered","userId":"u","messageId":"${id}","properties":${given}}`
  const deep = 150
  const hostile: [id: string, properties: string, status: string, problems: [string, string][] | undefined][] = [
    ['proto', '{"__proto__":{"total":"x"},"constructor":"c"}', 'accepted', []],
    ['no-proto', '{"constructor":"c"}', 'blocked', [['__proto__', 'missing']]],
    ['proto-type', '{"__proto__":5,"total":1}', 'blocked', [['__proto__', 'type']]],
    ['deep', `{"__proto__":{"a":${'['.repeat(deep)}${']'.repeat(deep)}}}`, 'accepted', []],
    ['deeper', `{"__proto__":{},"x":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`, 'blocked', [['x', 'unknown']]],
    ['surrogate', '{"__proto__":{},"\\ud800":1}', 'blocked', [['\ufffd', 'unknown']]],
    ['numbers', '{"__proto__":{},"total":1e999}', 'accepted', []],
    ['items', `{"__proto__":{},"list":[${'{},'.repeat(9000)}{}]}`, 'blocked', undefined],
    ['wide', `{"__proto__":{},${Array.from({ length: 2500 }, (_, n) => `"p${n}":1`).join(',')}}`, 'blocked', undefined],
  ]
  const body = `{"batch":[${hostile.map(([id, given]) => event(id, given)).join(',')}]}`
  expect((await post(product, '/v1/batch', source.key, body)).status).toBe(200)
  const stored = await validated(source, hostile.length)
  for (const [id, , status, problems] of hostile) {
    const found = stored.find((each) => each.message_id === id)
    expect([id, found?.status, found?.schema_version]).toEqual([id, status, 2])
    const detail = await product.api.ok('GET', `/${found?.name}`)
    const reported = detail.problems as { property: string; kind: string }[]
    if (problems !== undefined) expect(reported.map(({ property, kind }) => [property, kind])).toEqual(problems)
    else expect(reported.length).toBeGreaterThanOrEqual(40)
    expect(reported.length).toBeLessThanOrEqual(50)
  }
  // The maximum number of such events in a body does not delay others. An event after them is stored as soon as usual.
  const flood = `{"batch":[${Array.from({ length: 20 }, (_, n) => event(`f-${n}`, hostile[7]?.[1] ?? '')).join(',')}]}`
  const began = performance.now()
  expect((await post(product, '/v1/batch', source.key, flood)).status).toBe(200)
  const quiet = await createSource(product.api, workspace, 'Quiet')
  await post(product, '/v1/track', quiet.key, track('behind'))
  await validated(quiet, 1)
  expect(performance.now() - began).toBeLessThan(30_000)
})
