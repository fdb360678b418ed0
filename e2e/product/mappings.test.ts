import {
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  startWebhookReceiver,
  type WebhookReceiver,
} from '@tributary/test-kit'
import { beforeAll, expect, test } from 'vitest'
import { post } from './calls.ts'
import { joinProduct, type SharedProduct } from './shared-product.ts'

let product: SharedProduct
let workspace: string
beforeAll(async () => {
  product = await joinProduct()
  workspace = (await createWorkspace(product.api)).workspace
})

type Preview = { event: { name: string; payload: string } | null; payload: string; reason: string; fits: boolean }

/** Events of every type, with values that clients write in different forms. */
const batch = {
  context: { library: { name: 'of the batch', size: 'SIZE' }, consent: { categoryPreferences: { ads: true } } },
  integrations: { Other: false },
  sentAt: new Date(Date.now() - 1000).toISOString(),
  batch: [
    { type: 'track', event: 'Order Completed', userId: 7, properties: { total: '12.50', none: null }, channel: 'web' },
    { type: 'page', name: 'Home', anonymousId: 'a1', properties: { name: 'Home', url: 'https://shop.example/' } },
    { type: 'screen', event: 'Basket', anonymousId: 'a1', name: 'Basket', timestamp: '2026-01-02T03:04:05Z' },
    { type: 'identify', userId: 'u1', context: { traits: { email: 'Ada@Example.com' } }, integrations: { All: true } },
    { type: 'identify', userId: 'u1', traits: { plan: 'pro', __proto__: { x: 1 } } },
    { type: 'group', userId: 'u1', groupId: 'g1', traits: { name: 'Acme' } },
    { type: 'alias', userId: 'u1', previousId: 'a1', originalTimestamp: '2026-01-02T03:04:05.678+02:00' },
    {
      type: 'track',
      event: 'ü€😀 "quoted"',
      anonymousId: 'a2',
      context: { test: true },
      properties: { a: [{ b: 1 }] },
    },
    { type: 'track', event: 'Odd', userId: 'ID', properties: 'ODD' },
    { type: 'track', event: 'Half \ud83d', userId: 'a\ud800', anonymousId: '\udc00', properties: { 'b\ud801': 1 } },
    { type: 'page', anonymousId: 'a3', properties: { name: 'Half \udfff' }, timestamp: 'yesterday' },
    { type: 'track', event: 'Doubled', userId: 'u2', properties: 'DOUBLED', timestamp: '2026-11-20 10:00:00+00' },
  ].map((event, index) => ({ messageId: `preview-${index}`, ...event })),
}

const odd = '{"b":1.0,"10":9223372036854775807,"2":[1e400,-0,null],"a":"\\ud800"}'
/** Text of the batch, with values that JSON.parse and JSON.stringify would change. */
const batchText = JSON.stringify(batch)
  .replace('"SIZE"', '2.50')
  .replace('"ID"', '12345678901234567890')
  .replace('"ODD"', odd)
  .replace('"DOUBLED"', '{"a":1.0,"b":{"c":1,"c":2.0},"a":2.50}')
/** An event in which only repeated names and invalid text would change. */
const plainText =
  '{"messageId":"plain","event":"Plain \\ud83d","userId":"\\udc00","timestamp":"soon","properties":{"a":1,"b":{"c":1,"c":2},"a":3}}'

const bodies = async (receiver: WebhookReceiver, wanted: number): Promise<string[]> =>
  eventually('all received', () => receiver.calls.length >= wanted && receiver.calls.map(({ body }) => body))

test("the preview of a stored event, and the API's record of it, equal the request to the destination byte for byte", async () => {
  await using receiver = await startWebhookReceiver()
  const { source, key } = await createSource(product.api, workspace, 'Previewed')
  const whole = await createWebhook(product.api, workspace, source, { url: receiver.url })
  await using mappedReceiver = await startWebhookReceiver()
  const mapped = await createWebhook(product.api, workspace, source, { url: mappedReceiver.url })
  const sources: Record<string, object> = {
    id: { type: 'VARIABLE', name: 'message_id' },
    who: { type: 'VARIABLE', name: 'user_key' },
    at: { type: 'VARIABLE', name: 'timestamp_milliseconds' },
    'about.properties': { type: 'FIELD', name: 'properties' },
    'about.traits': { type: 'FIELD', name: 'traits' },
    title: { type: 'TEMPLATE', value: '{{ event_type | upcase }} {{ event }} of {{ context.library.name }}' },
    kind: { type: 'CONSTANT', value: 'test' },
  }
  const mapping = {
    id: 'aaaa',
    destination: 'send',
    field_mappings: Object.entries(sources).map(([name, from], index) => ({
      id: `f00${index}`,
      source: from,
      target: { name },
    })),
  }
  await product.api.ok('PUT', `/${mapped}/mappings`, { event_mappings: [mapping] })
  expect((await post(product, '/v1/batch', key, batchText)).status).toBe(200)
  expect((await post(product, '/v1/track', key, plainText)).status).toBe(200)
  const count = batch.batch.length + 1
  const sent = [await bodies(receiver, count), await bodies(mappedReceiver, count)]
  const stored = await eventually('all stored', async () => {
    const { events } = (await product.api.ok('GET', `/${source}/events`)) as { events: { name: string }[] }
    return events.length === count && events
  })
  const previews = async (destination: string, event_mapping: object): Promise<string[]> => {
    const shown = stored.map(({ name }) =>
      product.api.ok('POST', `/${destination}/mappings:preview`, { event_mapping, event: name }),
    )
    return (await Promise.all(shown)).map((preview) => (preview as Preview).payload)
  }
  const asIs = { id: 'aaaa', destination: 'send', field_mappings: [] }
  expect((await previews(whole, asIs)).toSorted()).toEqual(sent[0]?.toSorted())
  expect((await previews(mapped, mapping)).toSorted()).toEqual(sent[1]?.toSorted())
  const details = await Promise.all(stored.map(({ name }) => product.api.ok('GET', `/${name}`)))
  expect(details.map((detail) => (detail as { payload_text: string }).payload_text).toSorted()).toEqual(
    sent[0]?.toSorted(),
  )
  // The values did not change on their way.
  const oddBody = sent[0]?.find((body) => body.includes('"event":"Odd"'))
  expect(oddBody).toContain(
    `"userId":"12345678901234567890","properties":${odd},"context":{"library":{"name":"of the batch","size":2.50}`,
  )
  for (const wanted of [
    '"event":"Half \\ud83d","userId":"a\\ud800","anonymousId":"\\udc00","properties":{"b\\ud801":1}',
    '"properties":{"a":2.50,"b":{"c":2.0}}',
    '"event":"Plain \\ud83d","userId":"\\udc00","properties":{"a":3,"b":{"c":2}}',
    '"extra":{"timestamp":"soon"}',
    '"originalTimestamp":"2026-11-20T10:00:00.000Z"',
  ])
    expect(sent[0]?.filter((body) => body.includes(wanted))).toHaveLength(1)
  const reasons = details.map((detail) => (detail as { reason: string }).reason).filter((reason) => reason !== '')
  expect(reasons).toEqual(Array(2).fill(expect.stringMatching(/^time_not_understood: timestamp is not a known time/)))
  expect(sent[1]?.filter((body) => body.includes(`"about":{"properties":${odd}}`))).toHaveLength(1)
})

test('an event whose mapping fails is kept with the name of the field, and a retry uses the fixed mapping', async () => {
  await using receiver = await startWebhookReceiver()
  const { source, key } = await createSource(product.api, workspace, 'Mended')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url })
  const mapping = (name: string) => ({
    id: 'aaaa',
    destination: 'send',
    field_mappings: [
      { id: 'f000', source: { type: 'FIELD', name }, target: { name: 'total', type: 'number', is_required: true } },
    ],
  })
  await product.api.ok('PUT', `/${destination}/mappings`, { event_mappings: [mapping('properties.gone')] })
  const order = { type: 'track', event: 'Order', userId: 'u1', messageId: 'mended-1', properties: { total: 5 } }
  expect((await post(product, '/v1/track', key, order)).status).toBe(200)
  type Listed = { deliveries: { status: string; reason: string }[]; dead: { event_count: number } }
  const dead = await eventually('a dead letter', async () => {
    const listed = (await product.api.ok('GET', `/${destination}/deliveries`)) as Listed
    return listed.dead.event_count === 1 && listed.deliveries.length > 0 && listed
  })
  expect(dead.deliveries[0]?.reason).toContain('"total" is required, but properties.gone is empty')
  expect(receiver.calls).toEqual([])
  await product.api.ok('PUT', `/${destination}/mappings`, { event_mappings: [mapping('properties.total')] })
  await product.api.ok('POST', `/${destination}:retry`, { state: 'dead' })
  expect(await bodies(receiver, 1)).toEqual(['{"total":5}'])
})

test('an order gets the email that only the profile has within 5 s of the identify call, and a preview shows it', async () => {
  await using receiver = await startWebhookReceiver()
  const { source, key } = await createSource(product.api, workspace, 'Known')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url })
  const mapping = {
    id: 'aaaa',
    event_type: 'track',
    destination: 'send',
    field_mappings: [
      { id: 'f000', source: { type: 'PROFILE', name: 'traits.email' }, target: { name: 'email' } },
      {
        id: 'f001',
        source: { type: 'TEMPLATE', value: '{{ properties.city | default: profile.traits.address.city }}' },
        target: { name: 'city' },
      },
      { id: 'f002', source: { type: 'PROFILE', name: 'identifiers.user_id' }, target: { name: 'user' } },
    ],
  }
  await product.api.ok('PUT', `/${destination}/mappings`, { event_mappings: [mapping] })
  const traits = { email: 'known@example.com', address: { city: 'Köln' } }
  const began = Date.now()
  // The order comes without the user ID, in the same request.
  const calls = [
    { type: 'identify', userId: 'known-1', anonymousId: 'known-a1', messageId: 'known-i1', traits },
    { type: 'track', event: 'Order', anonymousId: 'known-a1', messageId: 'known-o1', properties: { total: 5 } },
  ]
  expect((await post(product, '/v1/batch', key, { batch: calls })).status).toBe(200)
  const payload = '{"email":"known@example.com","city":"Köln","user":"known-1"}'
  expect(await bodies(receiver, 1)).toEqual([payload])
  // Events wait up to 30 s for profiles. On a quiet machine this takes less than 5 s.
  expect(Date.now() - began).toBeLessThan(15_000)
  // An event can be delivered before it is stored.
  const previewed = async (): Promise<string> => {
    const preview = await product.api.ok('POST', `/${destination}/mappings:preview`, { event_mapping: mapping })
    return (preview as Preview).payload
  }
  expect(await eventually('the event is stored', async () => (await previewed()) || false)).toBe(payload)
})

test('conditions on the profile decide which orders are sent, and a replay decides by the latest profile or by none', async () => {
  await using receiver = await startWebhookReceiver()
  const { source, key } = await createSource(product.api, workspace, 'Plans')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url })
  const mapping = {
    id: 'aaaa',
    event_type: 'track',
    destination: 'send',
    filters: [{ id: 'c001', field: 'profile.traits.plan', operator: 'equals', value: 'pro' }],
    field_mappings: [{ id: 'f000', source: { type: 'FIELD', name: 'userId' }, target: { name: 'user' } }],
  }
  await product.api.ok('PUT', `/${destination}/mappings`, { event_mappings: [mapping] })
  const start = new Date(Date.now() - 60_000).toISOString()
  const calls = ['pro', 'free'].flatMap((plan) => [
    { type: 'identify', userId: `plan-${plan}`, messageId: `plan-i-${plan}`, traits: { plan } },
    { type: 'track', event: 'Order', userId: `plan-${plan}`, messageId: `plan-o-${plan}` },
  ])
  expect((await post(product, '/v1/batch', key, { batch: calls })).status).toBe(200)
  expect(await bodies(receiver, 1)).toEqual(['{"user":"plan-pro"}'])
  const scope = { kind: 'history', source, start_time: start, end_time: new Date(Date.now() + 60_000).toISOString() }
  const events = { ...scope, event_type: 'track' }
  const counted = async () => {
    const found = await product.api.ok('POST', `/${destination}/replays:preview`, events)
    return found.event_count === 2
  }
  await eventually('the orders are stored', counted)
  for (const [profile, delivered_count] of [
    ['none', 0],
    ['latest', 1],
  ] as const) {
    const made = await product.api.ok('POST', `/${destination}/replays`, { ...events, profile })
    const replay = await eventually('the replay is done', async () => {
      const shown = await product.api.ok('GET', `/${String(made.name)}`)
      return shown.state === 'done' && shown
    })
    expect(replay).toMatchObject({ profile, delivered_count, filtered_count: 2 - delivered_count })
  }
  expect(await bodies(receiver, 2)).toEqual(['{"user":"plan-pro"}', '{"user":"plan-pro"}'])
})
