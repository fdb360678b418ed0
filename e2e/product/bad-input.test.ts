import { gzipSync } from 'node:zlib'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
  startWebhookReceiver,
  type TestSource,
  type WebhookReceiver,
} from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { post, storedEvents, track } from './calls.ts'

let product: Product
let receiver: WebhookReceiver
let workspace: string
let shop: TestSource

beforeAll(async () => {
  receiver = await startWebhookReceiver()
  // A backlog limit so small that a few requests fill it; waiting events are stored after about a second.
  product = await startProduct({ env: { TRIBUTARY_WORKSPACE_BACKLOG_MB: '1' } })
  await product.api.login(adminCredentials)
  workspace = (await createWorkspace(product.api)).workspace
  shop = await createSource(product.api, workspace)
  await createWebhook(product.api, workspace, shop.source, { url: receiver.url, batching: true, batch_size: 500 })
})
afterAll(async () => {
  await product?.[Symbol.asyncDispose]()
  await receiver?.close()
})

type Refused = { reason: string; code: number; count: number; message: string; sample: string }
const refusedOf = async (source: string): Promise<Refused[]> =>
  (await product.api.ok('GET', `/${source}/refusedRequests`)).refused_requests as Refused[]

const expectRefusal = async (answer: Response, code: number, reason: string): Promise<void> => {
  const body = (await answer.json()) as Record<string, unknown>
  expect([answer.status, body.reason]).toEqual([code, reason])
  expect(Object.keys(body).toSorted()).toEqual(['code', 'message', 'metadata', 'reason'])
  expect(body.code).toBe(code)
  expect(String(body.message).length).toBeGreaterThan(20)
}

const big = { properties: { filler: 'x'.repeat(33 * 1024) } }

describe('a refused request', () => {
  test.each<[code: number, reason: string, what: string, path: string, body: () => unknown, headers?: object]>([
    [400, 'INVALID_JSON', 'malformed JSON', '/v1/batch', () => '{"batch":[{"type":"track"'],
    [400, 'EMPTY_BATCH', 'an empty batch', '/v1/batch', () => ({ batch: [] })],
    [400, 'BATCH_MISSING', 'a batch call without a batch', '/v1/batch', () => ({ events: [track('bad-1')] })],
    [400, 'EMPTY_BODY', 'an empty body', '/v1/track', () => ''],
    [400, 'NOT_AN_OBJECT', 'a list', '/v1/track', () => [track('bad-2')]],
    [413, 'BODY_TOO_LARGE', 'a body over 4 MB', '/v1/batch', () => ({ batch: Array(140).fill(track('bad-3', big)) })],
    [
      413,
      'BODY_TOO_LARGE',
      'a gzip bomb',
      '/v1/batch',
      () => gzipSync(Buffer.alloc(128 * 1024 * 1024, 0x20)),
      { 'content-encoding': 'gzip' },
    ],
    [400, 'EVENT_TOO_LARGE', 'a single event over 32 KB', '/v1/track', () => track('bad-4', big)],
    [400, 'UNKNOWN_TYPE', 'an event of unknown type', '/v1/track', () => track('bad-5', { type: 'purchase' })],
    [400, 'MISSING_FIELD', 'an event without ids', '/v1/track', () => ({ event: 'Ordered', messageId: 'bad-6' })],
    [400, 'NOT_UTF8', 'bytes of Latin-1', '/v1/track', () => Buffer.from('{"userId":"José","event":"e"}', 'latin1')],
    [400, 'INVALID_COMPRESSION', 'what does not decompress', '/v1/track', () => 'no', { 'content-encoding': 'gzip' }],
  ])('a refused request gets %i %s for %s, with advice', async (code, reason, _, path, body, headers) => {
    await expectRefusal(await post(product, path, shop.key, body(), { ...headers }), code, reason)
  })

  test('a request with a missing, unknown, or revoked key gets 401, and one for a disabled source gets 404', async () => {
    await expectRefusal(await post(product, '/v1/track', undefined, track('bad-7')), 401, 'WRITE_KEY_MISSING')
    await expectRefusal(await post(product, '/v1/track', 'nobody', track('bad-8')), 401, 'WRITE_KEY_UNKNOWN')
    const old = await createSource(product.api, workspace, 'Old')
    const { writekeys } = await product.api.ok('GET', `/${workspace}/writekeys?source=${old.source}`)
    const { name } = (writekeys as { name: string }[])[0] ?? { name: '' }
    await product.api.ok('DELETE', `/${name}`)
    await expectRefusal(await post(product, '/v1/track', old.key, track('bad-9')), 401, 'WRITE_KEY_REVOKED')
    const off = await createSource(product.api, workspace, 'Off')
    await product.api.ok('PATCH', `/${off.source}`, { enabled: false })
    await expectRefusal(await post(product, '/v1/track', off.key, track('bad-10')), 404, 'SOURCE_DISABLED')
    const gone = await createSource(product.api, workspace, 'Gone')
    await product.api.ok('DELETE', `/${gone.source}`)
    await eventually('the deletion counts', async () => {
      const answer = await post(product, '/v1/track', gone.key, track('bad-gone'))
      return answer.status === 401
    })
    await eventually('what is sent to the deleted source, in its workspace', async () => {
      const { refused_requests } = await product.api.ok('GET', `/${workspace}/refusedRequests?source_deleted=true`)
      const [row] = refused_requests as { source: string; reason: string }[]
      return row?.source === gone.source && row.reason === 'WRITE_KEY_REVOKED'
    })
    for (const [source, reason] of [
      [old.source, 'WRITE_KEY_REVOKED'],
      [off.source, 'SOURCE_DISABLED'],
    ] as const)
      await eventually(`${reason} on the page of its source`, async () =>
        (await refusedOf(source)).some((row) => row.reason === reason && row.count === 1),
      )
  })

  test('a refused request is counted and sampled on the page of its source, without the key', async () => {
    const wanted = {
      INVALID_JSON: 1,
      EMPTY_BATCH: 1,
      BATCH_MISSING: 1,
      EMPTY_BODY: 1,
      NOT_AN_OBJECT: 1,
      BODY_TOO_LARGE: 2,
      EVENT_TOO_LARGE: 1,
      UNKNOWN_TYPE: 1,
      MISSING_FIELD: 1,
      NOT_UTF8: 1,
      INVALID_COMPRESSION: 1,
    }
    const rows = await eventually('all counted', async () => {
      const found = await refusedOf(shop.source)
      return found.length >= Object.keys(wanted).length && found
    })
    expect(Object.fromEntries(rows.map((row) => [row.reason, row.count]))).toEqual(wanted)
    for (const row of rows) {
      expect(row.message).not.toBe('')
      expect(JSON.parse(row.sample)).toMatchObject({ method: 'POST' })
      expect(row.sample).not.toContain(shop.key)
    }
  })

  test('a refused request stores nothing and reaches no destination', async () => {
    expect((await post(product, '/v1/track', shop.key, track('good-1'))).status).toBe(200)
    await eventually('the good one delivered', () => receiver.messageIds().has('good-1'))
    await eventually('the good one stored', async () => (await storedEvents(product, shop.source)).length > 0)
    expect((await storedEvents(product, shop.source)).map((event) => event.message_id)).toEqual(['good-1'])
    expect([...receiver.messageIds().keys()]).toEqual(['good-1'])
  })
})

test('a batch stores invalid events as rejected with their reason, and stores and delivers all others', async () => {
  const { source, key } = await createSource(product.api, workspace, 'Mixed')
  await createWebhook(product.api, workspace, source, { url: receiver.url, batching: true, batch_size: 1000 })
  const wrong = [
    42,
    track('mixed-large', big),
    track('mixed-type', { type: 'purchase' }),
    { type: 'track', event: 'Ordered', messageId: 'mixed-nobody' },
    track('mixed-name', { event: { no: 'text' } }),
    track('mixed-properties', { properties: 'none' }),
    track('m'.repeat(101)),
  ]
  const good = Array.from({ length: 2510 - wrong.length }, (_, index) => track(`mixed-${index}`))
  const answer = await post(product, '/v1/batch', key, { batch: [...wrong, ...good] })
  expect([answer.status, await answer.json()]).toEqual([200, { success: true }])
  const stored = await eventually('all 2,510 kept', async () => {
    const found = await storedEvents(product, source)
    return found.length >= 2510 && found
  })
  expect(stored).toHaveLength(2510)
  const accepted = stored.filter((event) => event.status === 'accepted').map((event) => event.message_id)
  const wanted = Array.from({ length: 2500 - wrong.length }, (_, index) => `mixed-${index}`)
  expect(accepted.toSorted()).toEqual(wanted.toSorted())
  const reasons = new Map<string, number>()
  for (const { status, reason } of stored)
    if (status === 'rejected') {
      const code = reason.split(':')[0] ?? ''
      expect(reason).toMatch(/^\w+: .{10,}/)
      reasons.set(code, (reasons.get(code) ?? 0) + 1)
    }
  expect(Object.fromEntries(reasons)).toEqual({
    not_an_object: 1,
    too_large: 1,
    unknown_type: 1,
    missing_ids: 1,
    invalid_event_name: 1,
    invalid_object: 1,
    message_id_too_long: 1,
    over_batch_limit: 10,
  })
  await eventually('the accepted ones delivered', () => wanted.every((id) => receiver.messageIds().has(id)))
  expect([...receiver.messageIds()].filter(([id]) => id.startsWith('mixed-'))).toHaveLength(wanted.length)
  const [rejected] = (await storedEvents(product, source, '&status=rejected')).filter(
    (event) => event.message_id === 'mixed-type',
  )
  const detail = await product.api.ok('GET', `/${rejected?.name}`)
  expect(detail).toMatchObject({ payload: { type: 'purchase' }, deliveries: [] })
})

test('an event is rejected in a batch exactly if it is refused alone', async () => {
  const single = await createSource(product.api, workspace, 'Alone')
  const batch = await createSource(product.api, workspace, 'Together')
  const someone = { userId: 'u-1' }
  const events: Record<string, object> = {
    sound: { type: 'track', event: 'A', ...someone },
    letter: { type: 'T', event: 'A', ...someone },
    'number as name': { type: 'track', event: 7, ...someone },
    'number as id': { type: 'identify', userId: 7 },
    anonymous: { type: 'page', anonymousId: 'a' },
    group: { type: 'group', groupId: 'g', ...someone },
    alias: { type: 'alias', userId: 'u', previousId: 'p' },
    'no name': { type: 'track', ...someone },
    'object as name': { type: 'track', event: {}, ...someone },
    'unknown type': { type: 'purchase', ...someone },
    'number as type': { type: 7, ...someone },
    'empty ids': { type: 'track', event: 'A', userId: '', anonymousId: null },
    'object as id': { type: 'track', event: 'A', userId: {} },
    'no group': { type: 'group', ...someone },
    'alias of nobody': { type: 'alias', userId: 'u' },
    'alias to nobody': { type: 'alias', previousId: 'p' },
    'too large': { type: 'track', event: 'A', ...someone, ...big },
    'too deep': {
      type: 'track',
      event: 'A',
      ...someone,
      properties: JSON.parse('[{"a":'.repeat(150) + '1' + '}]'.repeat(150))[0],
    },
  }
  const together = Object.entries(events).map(([messageId, event]) => ({ ...event, messageId }))
  expect((await post(product, '/v1/batch', batch.key, { batch: together })).status).toBe(200)
  const alone: Record<string, boolean> = {}
  for (const event of together)
    alone[event.messageId] = (await post(product, '/v1/track', single.key, event)).status === 200
  const stored = await eventually('all kept', async () => {
    const found = await storedEvents(product, batch.source)
    return found.length >= together.length && found
  })
  // An event that exceeds the limits is stored as received, without reading its ID.
  expect(stored).toHaveLength(together.length)
  const accepted = new Set(stored.filter(({ status }) => status === 'accepted').map((event) => event.message_id))
  const inBatch = Object.fromEntries(together.map(({ messageId }) => [messageId, accepted.has(messageId)]))
  expect(inBatch).toEqual(alone)
  expect(Object.values(alone).filter(Boolean)).toHaveLength(7)
})

test('an event that is skipped as a duplicate is counted for its source', async () => {
  const { source, key } = await createSource(product.api, workspace, 'Repeated')
  for (const id of ['twice', 'twice', 'once', 'twice'])
    expect((await post(product, '/v1/track', key, track(id))).status).toBe(200)
  const dropped = await eventually('counted', async () => {
    const page = await product.api.ok('GET', `/${source}/droppedEvents`)
    const rows = page.dropped_events as { reason: string; count: number; message: string }[]
    return rows[0]?.count === 2 && rows
  })
  expect(dropped).toEqual([
    { reason: 'duplicate', count: 2, message: expect.stringContaining('messageId'), last_hour: expect.any(String) },
  ])
  expect((await storedEvents(product, source)).map((event) => event.message_id).toSorted()).toEqual(['once', 'twice'])
})

test('while a workspace gets 429 because of its backlog, its source shows this, and its members are notified', async () => {
  const { workspace: busy } = await createWorkspace(product.api)
  const { source, key } = await createSource(product.api, busy, 'Import')
  const import20 = (first: number): object => ({
    batch: Array.from({ length: 20 }, (_, index) =>
      track(`import-${first + index}`, { properties: { filler: 'x'.repeat(30_000) } }),
    ),
  })
  // Sends several times the limit at once, long before any of the events is stored.
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, call) => post(product, '/v1/batch', key, import20(20 * call))),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
  for (const answer of answers) if (answer.status !== 200) await expectRefusal(answer, 429, 'WORKSPACE_BACKLOG')
  expect((await post(product, '/v1/track', shop.key, track('elsewhere'))).status).toBe(200)
  const [row] = await eventually('counted', async () => {
    const rows = (await product.api.ok('GET', `/${source}/refusedRequests`)).refused_requests as object[]
    return rows.length > 0 && rows
  })
  expect(row).toMatchObject({ reason: 'WORKSPACE_BACKLOG', code: 429, ongoing: true })
  const { user } = (await product.api.ok('POST', '/users:login', adminCredentials)) as { user: { name: string } }
  // The product checks for this about once a minute.
  const notice = await eventually(
    'a notice',
    async () => {
      const { notifications } = await product.api.ok('GET', `/${user.name}/notifications`)
      return (notifications as { kind: string; link: string }[]).find(({ kind }) => kind === 'backlog_full')
    },
    90_000,
  )
  expect(notice.link).toBe(`/${source}#refused`)
})
