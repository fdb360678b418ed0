import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  ConfigurationError,
  createEgressPolicy,
  type OutgoingRow,
  RetryableError,
  validateSettings,
} from '@tributary/connector-kit'
import {
  outgoingEvent,
  type Peer,
  type PeerAnswer,
  runConnectionTest,
  runConnector,
  runConnectorRows,
  sampleEvents,
  startPeer,
} from '@tributary/connector-kit/testing'
import { testDestination } from '@tributary/connector-kit/testing-destination'
import { afterEach, describe, expect, it } from 'vitest'
import { exampleBody, exampleRow, webhook } from './definition.ts'

let peer: Peer | undefined
afterEach(async () => {
  await peer?.close()
  peer = undefined
})
const receiver = async (answer: PeerAnswer = { status: 200 }): Promise<Peer> => {
  peer = await startPeer(() => answer)
  return peer
}

testDestination(webhook, {
  settings: (url) => ({ url, batching: true, headers: { Authorization: 'Bearer s3cr3t-token' } }),
  secrets: ['s3cr3t-token'],
  vendor: ({ headers }) =>
    headers.authorization === 'Bearer s3cr3t-token' ? { status: 200 } : { status: 401, body: 'who is it?' },
  events: [outgoingEvent({ messageId: 'm-1' }), outgoingEvent({ messageId: 'm-2' })],
  requests: [{ method: 'POST', path: '/', body: [{ messageId: 'm-1' }, { messageId: 'm-2' }] }],
  connected: 'The endpoint responded (HTTP 200 to GET). Send a test event to check that it accepts events.',
  successByStatus: true,
})

describe('a webhook request', () => {
  it('a request contains one whole event and its ID for deduplication', async () => {
    const { url, requests } = await receiver()
    const [event] = sampleEvents(1)
    if (event === undefined) throw new Error('no sample')
    const result = await runConnector(webhook, { url }, [event])
    expect(result).toMatchObject({ outcomes: { kind: 'delivered' }, httpStatus: 200 })
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ method: 'POST', body: event.json })
    expect(requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-tributary-event-id': event.eventId,
      'idempotency-key': event.eventId,
    })
    expect(requests[0]?.headers['x-tributary-signature']).toBeUndefined()
  })

  it.each(['POST', 'PUT', 'PATCH'])('a request uses the method %s', async (method) => {
    const { url, requests } = await receiver()
    await runConnector(webhook, { url, method }, sampleEvents(1))
    expect(requests[0]?.method).toBe(method)
  })

  it('a request is signed over timestamp and body', async () => {
    const { url, requests } = await receiver()
    const now = Date.UTC(2026, 0, 2)
    await runConnector(webhook, { url, signing_secret: 'whsec_1' }, sampleEvents(1), { now })
    const expected = createHmac('sha256', 'whsec_1')
      .update(`${now / 1000}.${requests[0]?.body}`)
      .digest('hex')
    expect(requests[0]?.headers['x-tributary-signature']).toBe(`t=${now / 1000},v1=${expected}`)
  })

  it("a request contains the user's headers, which cannot replace IDs and signature", async () => {
    const { url, requests } = await receiver()
    const headers = {
      Authorization: 'Bearer abc',
      'User-Agent': 'mine',
      'Idempotency-Key': 'forged',
      'X-Tributary-Event-Id': 'forged',
    }
    await runConnector(webhook, { url, headers }, sampleEvents(1))
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer abc',
      'user-agent': 'mine',
      'idempotency-key': '0-1-0',
      'x-tributary-event-id': '0-1-0',
    })
  })

  it('a request contains a JSON array if batching is on, with the same key for the same events', async () => {
    const { url, requests } = await receiver()
    const events = sampleEvents(3)
    const settings = { url, batching: true }
    await runConnector(webhook, settings, events)
    await runConnector(webhook, settings, events)
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual(events.map((event) => JSON.parse(event.json)))
    expect(requests[0]?.headers['x-tributary-event-count']).toBe('3')
    expect(requests[0]?.headers['idempotency-key']).toBe(requests[1]?.headers['idempotency-key'])
  })
})

describe('with field mappings', () => {
  const events = [
    outgoingEvent({ eventId: '0-1-0' }, { payload: { total: 5 } }),
    outgoingEvent({ eventId: '0-1-1' }, { payload: {} }),
  ]

  it('with field mappings, the body is the result of the mapping, and the signature covers this body', async () => {
    const { url, requests } = await receiver()
    const now = Date.UTC(2026, 0, 2)
    await runConnector(webhook, { url, signing_secret: 'whsec_1' }, events.slice(0, 1), { now })
    const v1 = createHmac('sha256', 'whsec_1')
      .update(`${now / 1000}.{"total":5}`)
      .digest('hex')
    expect(requests[0]).toMatchObject({ body: '{"total":5}' })
    expect(requests[0]?.headers).toMatchObject({
      'x-tributary-signature': `t=${now / 1000},v1=${v1}`,
      'x-tributary-event-id': '0-1-0',
    })
  })

  it("with field mappings, a batch is an array of the mappings' results, with whole events unchanged among them", async () => {
    const { url, requests } = await receiver()
    const whole = outgoingEvent({ eventId: '0-1-2' })
    await runConnector(webhook, { url, batching: true }, [...events, whole])
    expect(requests[0]?.body).toBe(`[{"total":5},{},${whole.json}]`)
  })
})

describe('the connection test of a webhook', () => {
  const headers = { Authorization: 'Bearer s3cr3t-token' }
  const answers = 'The endpoint responded'

  it.each([
    [200, true, `${answers} (HTTP 200 to GET). Send a test event to check that it accepts events.`],
    [405, true, `${answers} (HTTP 405 to GET). Send a test event to check that it accepts events.`],
    [401, false, `${answers} but refused the headers (HTTP 401)`],
    [403, false, `${answers} but refused the headers (HTTP 403)`],
    [307, false, 'The endpoint redirects (HTTP 307). Deliveries do not follow redirects'],
    [502, false, `${answers} with a server error (HTTP 502)`],
  ])('a response of %i to the connection test has the expected result', async (status, ok, message) => {
    const { url, requests } = await receiver({ status, headers: { location: 'https://elsewhere.example' } })
    expect(await runConnectionTest(webhook, { url, headers })).toEqual({ ok, message })
    expect(requests).toMatchObject([{ method: 'GET', body: '', headers: { authorization: headers.Authorization } }])
  })

  it('the connection test reports an unavailable or forbidden address', async () => {
    const { url } = await receiver('reset')
    expect(await runConnectionTest(webhook, { url })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^Could not connect: /),
    })
    expect(await runConnectionTest(webhook, { url }, { egress: createEgressPolicy() })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^The address of .* is not public.*TRIBUTARY_EGRESS_ALLOW$/),
    })
  })
})

it('a webhook keeps the order of each user only if chosen', () => {
  const ordered = (settings: Record<string, unknown>): boolean | undefined => {
    const validated = validateSettings(webhook, { url: 'https://example.com', ...settings })
    return validated.ok ? webhook.ordered?.(validated.settings) : undefined
  }
  expect([ordered({}), ordered({ ordered: true })]).toEqual([false, true])
})

describe('a response to a webhook request', () => {
  it.each([200, 202, 204])('a response of %i delivers the event', async (status) => {
    const { url } = await receiver({ status })
    expect((await runConnector(webhook, { url }, sampleEvents(1))).outcomes).toEqual({ kind: 'delivered' })
  })

  it.each([408, 429, 500, 503])(
    'a response of %i is retried at the time that the destination names',
    async (status) => {
      const { url } = await receiver({ status, headers: { 'retry-after': '30' }, body: 'busy' })
      const result = await runConnector(webhook, { url }, sampleEvents(1))
      expect(result.outcomes).toEqual({ kind: 'retry', reason: `HTTP ${status}`, retryAfterMs: 30_000 })
      expect(result.response).toContain('busy')
    },
  )

  it.each([301, 302, 400, 401, 404, 410, 422])(
    'a response of %i permanently rejects the event, with request and response',
    async (status) => {
      const { url } = await receiver({ status, headers: { location: 'http://127.0.0.1:1/' }, body: 'no such field' })
      const result = await runConnector(webhook, { url }, sampleEvents(1))
      expect(result).toMatchObject({ outcomes: { kind: 'rejected', reason: `HTTP ${status}` }, httpStatus: status })
      expect(result.request).toContain('Order Completed')
      expect(result.response).toContain('no such field')
    },
  )

  it.each([400, 413, 422])(
    'a response of %i to a batch is sent again in halves, and to one event it rejects the event',
    async (status) => {
      const { url } = await receiver({ status, body: 'too much' })
      const settings = { url, batching: true }
      const batch = await runConnector(webhook, settings, sampleEvents(2))
      expect(batch).toMatchObject({ outcomes: { kind: 'split', reason: `HTTP ${status}` }, httpStatus: status })
      const one = await runConnector(webhook, settings, sampleEvents(1))
      expect(one.outcomes).toEqual({ kind: 'rejected', reason: `HTTP ${status}` })
    },
  )

  it.each([301, 401, 404, 410])(
    'a response of %i to a batch rejects all events, because halves would also be refused',
    async (status) => {
      const { url } = await receiver({ status })
      const result = await runConnector(webhook, { url, batching: true }, sampleEvents(3))
      expect(result.outcomes).toEqual({ kind: 'rejected', reason: `HTTP ${status}` })
    },
  )

  it('a missing response is retried', async () => {
    const { url } = await receiver('hang')
    const failure = await runConnector(webhook, { url }, sampleEvents(1), { timeoutMs: 100 }).catch(
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(RetryableError)
    expect(failure).toMatchObject({ exchange: { httpStatus: 0 } })
  })

  it('a response is stored within 4 kB, without secrets', async () => {
    const { url } = await receiver({ status: 400, body: `you sent s3cr3t-token and whsec_2 ${'x'.repeat(9000)}` })
    const settings = {
      url: `${url}?key=private`,
      headers: { Authorization: 'Bearer s3cr3t-token' },
      signing_secret: 'whsec_2',
    }
    const result = await runConnector(webhook, settings, sampleEvents(1))
    const kept = `${result.request}${result.response}`
    for (const secret of ['s3cr3t-token', 'whsec_2', 'private', 'v1=']) expect(kept).not.toContain(secret)
    expect(Buffer.byteLength(result.request ?? '')).toBeLessThanOrEqual(4096)
    expect(Buffer.byteLength(result.response ?? '')).toBeLessThanOrEqual(4096)
  })
})

describe('rows sent to a webhook', () => {
  const rows = ['a', 'b', 'c'].map(
    (key): OutgoingRow => ({
      recordId: `run.${key}`,
      operation: 'upsert',
      object: 'people',
      key,
      json: `{"id":"${key}","spent":1.10}`,
    }),
  )
  const sent = async (answer: PeerAnswer, given: Record<string, unknown> = { batching: true }) => {
    const { url, requests } = await receiver(answer)
    return { result: await runConnectorRows(webhook, { url, ...given }, rows), requests }
  }
  const results = (...list: unknown[]): string => JSON.stringify({ results: list })

  it('rows have their operation, key, and ID, and a payload with all digits', async () => {
    const { result, requests } = await sent({ status: 200 })
    expect(result).toMatchObject({ outcomes: { kind: 'delivered' } })
    expect(requests[0]?.body).toBe(
      `[${['a', 'b', 'c']
        .map(
          (key) =>
            `{"recordId":"run.${key}","operation":"upsert","object":"people","key":"${key}","payload":{"id":"${key}","spent":1.10}}`,
        )
        .join()}]`,
    )
    expect(requests[0]?.headers).toMatchObject({
      'x-tributary-record-count': '3',
      'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
    })
  })

  it('rows have the outcomes that the response names, and are delivered if it names none', async () => {
    const refused = { recordId: 'run.b', status: 'rejected', reason: 'No such plan' }
    const { result } = await sent({ status: 200, body: results(refused, { recordId: 'run.c', status: 'skipped' }) })
    expect(result.outcomes).toEqual([
      { kind: 'delivered' },
      { kind: 'rejected', reason: 'No such plan' },
      { kind: 'skipped', reason: 'The endpoint skipped it' },
    ])
    expect(result.response).toContain('No such plan')
  })

  it('rows are retried if the response requests it, after the time that it names', async () => {
    const later = { recordId: 'run.a', status: 'retry', reason: `locked ${'x'.repeat(600)}` }
    const { result } = await sent({ status: 202, headers: { 'retry-after': '9' }, body: results(later) })
    expect(result.outcomes).toEqual([
      { kind: 'retry', reason: later.reason.slice(0, 500), retryAfterMs: 9000 },
      { kind: 'delivered' },
      { kind: 'delivered' },
    ])
  })

  it.each([
    ['an unknown status', results({ recordId: 'run.a', status: 'failed' })],
    ['no id', results({ status: 'rejected' })],
    ['no list', '{"results":{"run.a":"rejected"}}'],
    ['more than can be read', results({ recordId: 'run.a', status: 'rejected', reason: 'x'.repeat(300_000) })],
  ])('rows are sent again if results have %s, because the accepted rows are unknown', async (_, body) => {
    const { result } = await sent({ status: 200, body })
    expect(result.outcomes).toEqual({ kind: 'retry', reason: expect.stringMatching(/^The results in the response /) })
  })

  it.each(['', 'ok', '[]', 'null', '{"ok":true}', '<html>'])(
    'rows are delivered by 2xx with the body %j',
    async (body) => {
      expect((await sent({ status: 200, body })).result.outcomes).toEqual({ kind: 'delivered' })
    },
  )

  it('results for rows that were not sent change nothing', async () => {
    const { result } = await sent({ status: 200, body: results({ recordId: '__proto__', status: 'rejected' }) })
    expect(result.outcomes).toEqual(rows.map(() => ({ kind: 'delivered' })))
  })

  it.each([400, 413, 422])('rows of a batch with response %i are sent again in halves', async (status) => {
    const { result } = await sent({ status, body: 'no' })
    expect(result.outcomes).toEqual({ kind: 'split', reason: `HTTP ${status}` })
  })
})

describe('OAuth 2', () => {
  const settings = {
    authentication: 'oauth2',
    oauth_authorize_url: 'https://login.example/authorize',
    oauth_token_url: 'https://login.example/token',
    oauth_client_id: 'client',
    oauth_client_secret: 'shh-secret',
    oauth_scope: ' write  offline_access ',
  }

  it('OAuth 2 settings describe the client; with headers alone there is no client', () => {
    const client = (more: Record<string, unknown>) => {
      const parsed = validateSettings(webhook, { url: 'https://a.example', ...more })
      return parsed.ok ? webhook.oauth2?.(parsed.settings) : parsed.errors
    }
    expect(client(settings)).toEqual({
      authorizeUrl: 'https://login.example/authorize',
      tokenUrl: 'https://login.example/token',
      clientId: 'client',
      clientSecret: 'shh-secret',
      clientAuthentication: 'basic',
      scopes: ['write', 'offline_access'],
      tokensSentTo: ['https://a.example'],
    })
    expect(client({ ...settings, oauth_client_authentication: 'body', oauth_audience: 'api' })).toMatchObject({
      clientAuthentication: 'body',
      extraAuthorizeParameters: { audience: 'api' },
    })
    expect(client({ authentication: 'oauth2' })).toMatchObject({ authorizeUrl: '', tokenUrl: '', clientId: '' })
    expect(client({ headers: { Authorization: 'Bearer abc' } })).toBeUndefined()
  })

  it('an OAuth 2 request sends the token, which no stored request or response contains', async () => {
    const { url, requests } = await receiver({ status: 400, body: 'you sent access-token-1 and shh-secret' })
    const accessToken = async (): Promise<string> => 'access-token-1'
    const result = await runConnector(webhook, { url, ...settings }, sampleEvents(1), { accessToken })
    expect(requests[0]?.headers.authorization).toBe('Bearer access-token-1')
    for (const secret of ['access-token-1', 'shh-secret'])
      expect(`${result.request}${result.response}`).not.toContain(secret)
    expect(result.request).toContain('Order Completed')
  })
})

it('a forbidden address is a set-up error, and nothing is sent', async () => {
  const { url, requests } = await receiver()
  const egress = createEgressPolicy()
  await expect(runConnector(webhook, { url }, sampleEvents(1), { egress })).rejects.toThrow(ConfigurationError)
  expect(requests).toHaveLength(0)
})

it.each([
  ['method', { method: 'GET' }],
  ['headers', { headers: { 'Content-Length': '5' } }],
  ['headers', { headers: { 'X-A': 'a\r\nb' } }],
  ['batch_size', { batch_size: 1001 }],
  ['batch_wait_ms', { batch_wait_ms: -1 }],
])('the setting %s is rejected if it is invalid: %j', (name, settings) => {
  const result = validateSettings(webhook, { url: 'https://example.com', ...settings })
  expect(result).toMatchObject({ ok: false, errors: { [name]: expect.any(String) } })
})

it('the webhook documentation is a page of the product with the same bodies as the guide', () => {
  const page = readFileSync(new URL(`../../..${webhook.docs.url}.md`, import.meta.url), 'utf8')
  for (const body of [exampleBody, exampleRow]) {
    expect(page).toContain(body)
    expect(webhook.docs.steps.map(({ code }) => code)).toContain(body)
  }
})
