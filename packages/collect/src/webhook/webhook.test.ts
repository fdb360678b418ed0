import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ReceiveWebhook } from '@tributary/connector-kit'
import { requestMeta } from '@tributary/contract'
import { createWorkShare, setHeldWork, type WorkShare } from '@tributary/kernel'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { bodyItem, templateItem } from '../calls/items.ts'
import type { WriteKeyEntry } from '../ports.ts'
import { basic, type RunningCollect, startCollect } from '../testing/server.ts'
import { createWebhookReceiver } from './receive-webhook.ts'

/** A rule that does what the body requests, if the header contains the secret. */
const receive: ReceiveWebhook = (call, settings) => {
  if (call.headers['x-secret'] !== settings['secret'])
    return { refusal: { code: 401, reason: 'SIGNATURE_INVALID', message: 'Not signed.' } }
  const value: unknown = JSON.parse(call.body.toString())
  return Array.isArray(value) ? { events: value } : undefined
}

const entryOf = (app: string, more: Partial<WriteKeyEntry> = {}): WriteKeyEntry => ({
  organizationId: 'o1',
  workspaceId: 'w1',
  sourceId: app,
  sourceTitle: app,
  sourceEnabled: true,
  app,
  settings: { secret: 'shh' },
  keyId: app,
  ...more,
})
const known = new Map<string, WriteKeyEntry>([
  ['signed-key', entryOf('signed')],
  ['open-key', entryOf('open')],
  ['plain-key', entryOf('plain')],
  ['sealed-key', entryOf('signed', { settings: undefined })],
  ['off-key', entryOf('signed', { sourceEnabled: false })],
])
const webhooks = new Map([
  ['signed', { receive, signed: true }],
  ['open', { receive, signed: false }],
])

let server: RunningCollect
beforeAll(async () => {
  server = await startCollect({
    webhooks,
    keys: { find: (key) => known.get(key), findRevoked: () => undefined, ready: () => true },
  })
})
afterAll(() => server.stop())

const send = async (key: string, body: unknown, headers: Record<string, string> = { 'x-secret': 'shh' }) => {
  const before = (await server.entries()).length
  const answer = await fetch(`${server.origin}/v1/webhook?writeKey=${key}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const reply = (await answer.json()) as { reason?: string }
  const kept = (await server.entries()).slice(before)
  return {
    status: answer.status,
    reason: reply.reason,
    kept: kept.map(({ meta, body: text }) => ({
      meta: requestMeta.parse(JSON.parse(meta)),
      body: JSON.parse(Buffer.from(text).toString()),
    })),
  }
}

test('events of a webhook rule are stored as a batch with their own times, and with an anonymous ID if without user ID', async () => {
  const events = [
    { event: 'Paid', timestamp: '2026-01-01T00:00:00Z', messageId: 'm-1' },
    { type: 'identify', userId: 'u' },
  ]
  expect(await send('signed-key', events)).toMatchObject({
    status: 200,
    kept: [
      {
        meta: { s: 'signed', k: 'batch', f: true },
        body: {
          batch: [
            { type: 'track', event: 'Paid', messageId: 'm-1', anonymousId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
            { type: 'identify', userId: 'u' },
          ],
        },
      },
    ],
  })
})

test('a webhook call that makes no events gets 200, and nothing is stored', async () => {
  expect(await send('signed-key', [])).toEqual({ status: 200, reason: undefined, kept: [] })
})

test('a webhook call that no rule handles becomes a track event, with the body as its properties', async () => {
  for (const key of ['open-key', 'plain-key'])
    expect(await send(key, { paid: true })).toMatchObject({
      status: 200,
      kept: [
        { meta: { k: 'single', t: 'track' }, body: { event: 'webhook_source_event', properties: { paid: true } } },
      ],
    })
})

test('a webhook call that the rule rejects gets the reason, is counted with a sample, and is not stored', async () => {
  expect(await send('signed-key', [{ event: 'x' }], { 'x-secret': 'wrong' })).toEqual({
    status: 401,
    reason: 'SIGNATURE_INVALID',
    kept: [],
  })
  expect(await send('open-key', [{ event: 'a' }, { type: 'nothing' }])).toEqual({
    status: 400,
    reason: 'UNKNOWN_TYPE',
    kept: [],
  })
  expect(await send('signed-key', [{ event: 'a', properties: { text: 'x'.repeat(33_000) } }])).toMatchObject({
    status: 400,
    reason: 'EVENT_TOO_LARGE',
  })
  expect(await send('off-key', [{ event: 'a' }])).toMatchObject({ status: 404, reason: 'SOURCE_DISABLED', kept: [] })
  await expect
    .poll(() => server.refused.map(({ reason, sourceId, sample }) => [reason, sourceId, sample.includes('event')]), {
      timeout: 5000,
    })
    .toEqual(
      expect.arrayContaining([
        ['SIGNATURE_INVALID', 'signed', true],
        ['UNKNOWN_TYPE', 'open', true],
      ]),
    )
})

test('a source whose secrets cannot be decrypted asks webhook callers to retry later', async () => {
  const answer = await fetch(`${server.origin}/v1/webhook?writeKey=sealed-key`, { method: 'POST', body: '[]' })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
})

test('a source with signed webhooks accepts no other calls', async () => {
  const before = (await server.entries()).length
  const event = JSON.stringify({ type: 'track', event: 'Forged', userId: 'u', writeKey: 'signed-key' })
  const post = (path: string, body: string, headers: Record<string, string> = { authorization: basic('signed-key') }) =>
    fetch(`${server.origin}${path}`, { method: 'POST', body, headers }).then(({ status }) => status)
  expect([
    await post('/v1/track', event),
    await post('/v1/track', event, {}),
    await post('/v1/batch', `{"batch":[${event}]}`),
    await post('/v1/forward', event),
  ]).toEqual([403, 403, 403, 403])
  await fetch(`${server.origin}/pixel/v1/track?writeKey=signed-key&event=Forged&anonymousId=a`)
  expect(await server.entries()).toHaveLength(before)
  await expect
    .poll(() => server.refused.filter(({ reason }) => reason === 'SIGNED_WEBHOOK_ONLY').length)
    .toBeGreaterThan(0)
})

test('the webhook rule does not get headers with keys and sessions, nor the write key', async () => {
  const seen: unknown[] = []
  const own = await startCollect({
    keys: { find: () => entryOf('open'), findRevoked: () => undefined, ready: () => true },
    webhooks: new Map([
      [
        'open',
        {
          signed: false,
          receive: (call) => {
            seen.push([call.method, call.headers['authorization'], call.headers['cookie'], [...call.query]])
            return { events: [] }
          },
        },
      ],
    ]),
  })
  await fetch(`${own.origin}/v1/webhook?writeKey=open-key&a=1`, {
    headers: { authorization: basic('k'), cookie: 's=1' },
  })
  await own.stop()
  expect(seen).toEqual([['GET', undefined, undefined, [['a', '1']]]])
})

test('the rejection of a webhook call names which of several events is invalid', () => {
  const rule = { signed: false, receive: () => ({ events: [{ event: 'a' }, { userId: 'u' }] }) }
  const call = { method: 'POST', body: Buffer.from(''), headers: {}, query: new URLSearchParams(), receivedAt: 0 }
  expect(createWebhookReceiver()(rule, {}, call)).toMatchObject({
    refusal: { reason: 'MISSING_FIELD', message: expect.stringMatching(/^Event 2 of 2: A track call needs `event`/) },
  })
})

test('a webhook call whose event cannot be serialized as JSON is rejected as too deep', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  const rule: ReceiveWebhook = () => ({ events: [{ event: 'x', properties: { deep } }] })
  const call = { method: 'POST', body: Buffer.from(''), headers: {}, query: new URLSearchParams(), receivedAt: 0 }
  expect(createWebhookReceiver()({ receive: rule, signed: false }, {}, call)).toMatchObject({
    refusal: { code: 400, reason: 'TOO_DEEP' },
  })
})

test('beyond the share of a workspace, its templates take turns and too many calls are rejected; other workspaces continue', async () => {
  // As the clock stands still, used time is never regained, so no waiting job gets a turn.
  let time = 0
  const own = createWorkShare({ waiting: 2, share: 1, together: 1 }, () => time)
  let waiting = 0
  const share: WorkShare = {
    ...own,
    later: (...args) => {
      const taken = own.later(...args)
      if (taken) waiting++
      return taken
    },
  }
  const expensive: ReceiveWebhook = () => {
    time += 500
    return { events: [{ event: 'x' }] }
  }
  const directory = new Map([
    ['a', entryOf('slow', { workspaceId: 'wa' })],
    ['b', entryOf('slow', { workspaceId: 'wb' })],
    ['c', entryOf('plain', { workspaceId: 'wa' })],
  ])
  const busy = await startCollect({
    webhooks: new Map([['slow', { receive: expensive, signed: false }]]),
    keys: { find: (key) => directory.get(key), findRevoked: () => undefined, ready: () => true },
    workShare: share,
  })
  const call = (key: string, body = '{}') =>
    fetch(`${busy.origin}/v1/webhook?writeKey=${key}`, { method: 'POST', body })
  expect((await call('a')).status).toBe(200)
  const later = [call('a'), call('a')]
  while (waiting < 2) await nextTurn()
  const refused = await call('a')
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).not.toBeNull()
  expect(await refused.json()).toMatchObject({ reason: 'WORKSPACE_BUSY' })
  // The call is rejected, because one with a large body cannot wait at all.
  expect((await call('a', JSON.stringify('x'.repeat(300_000)))).status).toBe(429)
  // Another workspace, and a source without a template, continue immediately.
  expect((await call('b')).status).toBe(200)
  expect((await call('c')).status).toBe(200)
  time += 60_000
  await Promise.race(later)
  time += 60_000
  expect((await Promise.all(later)).map(({ status }) => status)).toEqual([200, 200])
  await busy.stop()
})

/** Starts collection with a form source whose thank-you page is at `redirect`; `w1` has verified only one host. */
const startForms = async (redirect: string, events: object[][] = [[{ event: 'Lead Created' }]]) => {
  const own = await startCollect({
    keys: { find: () => entryOf('open'), findRevoked: () => undefined, ready: () => true },
    webhooks: new Map([
      ['open', { signed: false, receive: () => ({ events: events.shift() ?? [], redirect }) }],
    ]) as never,
    domains: {
      workspaceOf: (host) => ({ 'shop.example': 'w1', 'was.example': 'w1', 'theirs.example': 'w9' })[host],
      mayHaveCertificate: (host) => host !== 'was.example',
    },
  })
  onTestFinished(() => own.stop())
  const send = () =>
    fetch(`${own.origin}/v1/webhook?writeKey=open-key`, { method: 'POST', body: 'a=1', redirect: 'manual' })
  return { own, send }
}

test('a browser that sent a form is redirected when its event is on disk, or immediately if it makes no event', async () => {
  const { own, send } = await startForms('https://shop.example/thanks', [[{ event: 'Lead Created' }], []])
  for (const kept of [1, 1]) {
    const answer = await send()
    expect([answer.status, answer.headers.get('location')]).toEqual([303, 'https://shop.example/thanks'])
    expect(await own.entries()).toHaveLength(kept)
  }
})

test.each([
  ['https://evil.example/login', 'evil.example'],
  ['https://theirs.example/', 'theirs.example'],
  ['https://was.example/thanks', 'was.example'],
  ['https://sub.shop.example/', 'sub.shop.example'],
  ['https://shop.example@evil.example/', 'evil.example'],
  ['https://shop.example.evil.example/', 'shop.example.evil.example'],
  ['https://\u0455hop.example/', 'xn--hop-ehd.example'],
  ['https://evil.example/?"><script>alert(1)</script>&a=1', 'evil.example'],
])(
  'a visitor is redirected to %s, which the workspace has not verified, through a page that shows %s',
  async (address, host) => {
    const { own, send } = await startForms(address)
    const answer = await send()
    const page = await answer.text()
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null])
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    expect(page).toContain(`<strong>${host}</strong>`)
    expect(page).not.toContain('<script')
    expect(await own.entries()).toHaveLength(1)
  },
)

test("a form's redirect to an address that is not a web URL is ignored", async () => {
  for (const address of ['javascript:alert(1)', 'data:text/html,x', 'nothing']) {
    const answer = await (await startForms(address)).send()
    expect([answer.status, await answer.text()]).toEqual([200, '{"success":true}'])
  }
})

test('a held template, which blocked the thread, is not run: calls get the reason until its settings change', async () => {
  onTestFinished(() => setHeldWork(new Map()))
  const entry = entryOf('signed')
  setHeldWork(new Map([[templateItem(entry), 'It blocked the thread main twice']]))
  const events = [{ event: 'Paid', userId: 'u' }]
  expect(await send('signed-key', events)).toEqual({ status: 422, reason: 'HELD', kept: [] })
  expect((await send('open-key', events)).status).toBe(200)
  expect(templateItem(entryOf('signed', { settings: { secret: 'changed' } }))).not.toBe(templateItem(entry))
})

test('a held webhook body is rejected with the reason, and another body of the same source is stored', async () => {
  onTestFinished(() => setHeldWork(new Map()))
  const held = { event: 'Paid', userId: 'u' }
  setHeldWork(new Map([[bodyItem('plain', Buffer.from(JSON.stringify(held))), 'It blocked the thread main twice']]))
  expect(await send('plain-key', held)).toEqual({ status: 422, reason: 'HELD', kept: [] })
  expect((await send('plain-key', { event: 'Paid', userId: 'v' })).status).toBe(200)
})
