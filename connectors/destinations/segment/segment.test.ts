import {
  ConfigurationError,
  type DeliverContext,
  type DeliverResult,
  type DestinationDefinition,
  type OutgoingRow,
  validateSettings,
} from '@tributary/connector-kit'
import {
  outgoingEvent,
  type Peer,
  type PeerAnswer,
  type PeerRequest,
  runConnectionTest,
  runConnector,
  startPeer,
} from '@tributary/connector-kit/testing'
import { testDestination } from '@tributary/connector-kit/testing-destination'
import { afterEach, describe, expect, it } from 'vitest'
import { segment } from './definition.ts'

let peer: Peer | undefined
afterEach(async () => {
  await peer?.close()
  peer = undefined
})

const key = 'segment-write-key-1'
const success: PeerAnswer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"success":true}' }

type Sent = { messageId: string; userId?: string; anonymousId?: string; [key: string]: unknown }
const batchOf = ({ body }: PeerRequest): Sent[] => (JSON.parse(body) as { batch: Sent[] }).batch

/**
 * Responds as documented: twilio.com/docs/segment/connections/sources/catalog/libraries/server/http-api,
 * "Authentication", "Batch", "Errors", and .../guides/rate-limits. The response to any key is 200; to broken or too
 * large JSON, it is 400.
 */
const documented = (request: PeerRequest): PeerAnswer => {
  if (request.method !== 'POST' || request.url !== '/v1/batch') return { status: 404, body: 'Cannot POST' }
  if (!/^Basic \S+$/.test(request.headers.authorization ?? '')) return { status: 400, body: 'no write key' }
  if (request.headers['content-type'] !== 'application/json') return { status: 400, body: 'malformed JSON' }
  if (Buffer.byteLength(request.body) > 500_000) return { status: 400, body: 'exceed payload limit' }
  const batch = batchOf(request)
  if (batch.some((event) => Buffer.byteLength(JSON.stringify(event)) > 32 * 1024))
    return { status: 400, body: 'exceed payload limit' }
  return success
}

const receiver = async (answer: (request: PeerRequest, index: number) => PeerAnswer = documented): Promise<Peer> => {
  peer = await startPeer(answer)
  return peer
}
const settingsOf = ({ url }: Peer): Record<string, unknown> => ({ write_key: key, endpoint: url })

testDestination(segment, {
  settings: (endpoint) => ({ write_key: key, endpoint }),
  secrets: [key, Buffer.from(`${key}:`).toString('base64')],
  vendor: ({ raw }) => documented(raw),
  events: [
    outgoingEvent({ messageId: 'm-1', properties: { total: 5 }, context: { ip: '203.0.113.7' } }),
    outgoingEvent({ messageId: 'm-2', type: 'page', event: 'Pricing', extra: { category: 'Docs' } }),
  ],
  requests: [
    {
      method: 'POST',
      path: '/v1/batch',
      body: {
        batch: [
          {
            type: 'track',
            messageId: 'm-1',
            event: 'Order Completed',
            userId: 'user-1',
            properties: { total: 5 },
            context: { ip: '203.0.113.7' },
            timestamp: '2026-01-02T03:04:05.000Z',
          },
          {
            type: 'page',
            messageId: 'm-2',
            name: 'Pricing',
            category: 'Docs',
            userId: 'user-1',
            context: {},
            timestamp: '2026-01-02T03:04:05.000Z',
          },
        ],
      },
    },
  ],
  connected: 'The endpoint accepts batches with this write key. Send a test event to check that events arrive.',
  badCredentials: {
    settings: (endpoint) => ({ write_key: key, endpoint }),
    answer: { status: 401, body: `what is ${key}?` },
    message: 'Segment refuses the write key (HTTP 401)',
  },
  oversize: {
    events: [20_000, 33_000, 30_000].map((size, n) =>
      outgoingEvent({ messageId: `m-${n}`, properties: { text: 'x'.repeat(size) } }),
    ),
    outcomes: [
      { kind: 'delivered' },
      { kind: 'rejected', reason: expect.stringMatching(/^The event has 32\.\d kB; Segment allows 32\.0 kB$/) },
      { kind: 'delivered' },
    ],
    requests: 1,
  },
})

it.each([
  ['', '/v1/batch'],
  ['v1', '/v1/batch'],
  ['v1/', '/v1/batch'],
  ['v1/batch', '/v1/batch'],
  ['own/path', '/own/path'],
])('an endpoint with the path "%s" is called at %s', async (path, wanted) => {
  const at = await receiver(() => success)
  await runConnector(segment, { write_key: ` ${key}\n`, endpoint: `${at.url}${path}` }, [outgoingEvent()])
  expect(at.requests[0]?.url).toBe(wanted)
  expect(at.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from(`${key}:`).toString('base64')}`)
})

it('a batch that exceeds one request is halved before anything is sent', async () => {
  const at = await receiver()
  const events = Array.from({ length: 20 }, (_, n) =>
    outgoingEvent({ messageId: `m-${n}`, properties: { text: 'x'.repeat(30_000) } }),
  )
  const halves = [events.slice(0, 10), events.slice(10)]
  expect((await runConnector(segment, settingsOf(at), events)).outcomes).toEqual({
    kind: 'split',
    reason: expect.stringMatching(/^The request has 58\d\.\d kB; Segment allows 488\.3 kB$/),
  })
  expect(at.requests).toEqual([])
  for (const half of halves)
    expect((await runConnector(segment, settingsOf(at), half)).outcomes).toEqual(
      half.map(() => ({ kind: 'delivered' })),
    )
})

it("the maximum batch fits into Segment's limits", () => {
  const { maxEvents, maxBytes } = segment.batching({})
  expect(maxEvents).toBeLessThanOrEqual(2500)
  expect(maxBytes).toBeLessThanOrEqual(500_000)
})

it('after a 400 for a batch, its halves are sent, and the faulty event is rejected with the response', async () => {
  const at = await receiver(() => ({ status: 400, body: 'no bad ones' }))
  const events = ['good', 'bad'].map((messageId) => outgoingEvent({ messageId }))
  expect((await runConnector(segment, settingsOf(at), events)).outcomes).toEqual({ kind: 'split', reason: 'HTTP 400' })
  const result = await runConnector(segment, settingsOf(at), events.slice(1))
  expect(result.outcomes).toEqual([{ kind: 'rejected', reason: 'HTTP 400' }])
  expect(result.response).toContain('no bad ones')
  expect(result.request).toContain('authorization: [redacted]')
})

it.each<[PeerAnswer, string]>([
  [{ status: 404 }, 'This URL does not accept events, or its source is disabled (HTTP 404)'],
  [{ status: 301, headers: { location: 'https://elsewhere.example' } }, 'This URL does not accept events'],
  [
    { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Log in</html>' },
    'The endpoint returned a web page, so it does not receive events',
  ],
])('an error that a person can fix holds the events: %j', async (answer, message) => {
  const at = await receiver(() => answer)
  const failure = await runConnector(segment, settingsOf(at), [outgoingEvent()]).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ConfigurationError)
  expect(failure).toMatchObject({
    message: expect.stringContaining(message),
    exchange: { httpStatus: expect.any(Number) },
  })
  expect(JSON.stringify(failure)).not.toContain(key)
  expect(await runConnectionTest(segment, settingsOf(at))).toEqual({
    ok: false,
    message: expect.stringContaining(message),
  })
})

// Segment's own library also relies on cdn.segment.com: analytics-next fails unless the response is 2xx.
it.each([
  [200, '{"integrations":{}}', true, 'Segment accepted this write key.'],
  [404, 'Not Found', false, 'Segment has no source with this write key (HTTP 404)'],
  [500, '', true, 'Segment accepts batches but did not confirm the write key.'],
])(
  "for Segment's own endpoint, the connection test checks the key as Segment's libraries do: %i",
  async (status, body, ok, message) => {
    const asked: string[] = []
    const validated = validateSettings(segment, { write_key: key })
    if (!validated.ok) throw new Error('settings refused')
    const context: Partial<DeliverContext> = {
      settings: validated.settings,
      signal: new AbortController().signal,
      request: async ({ url }) => {
        asked.push(url)
        return url === 'https://api.segment.io/v1/batch'
          ? { status: 200, headers: {}, body: '{"success":true}', latencyMs: 1 }
          : { status, headers: {}, body, latencyMs: 1 }
      },
    }
    expect(await segment.testConnection(context as DeliverContext)).toEqual({ ok, message })
    expect(asked).toEqual(['https://api.segment.io/v1/batch', `https://cdn.segment.com/v1/projects/${key}/settings`])
  },
)

it('Segment requires a key, and accepts only web URLs', () => {
  expect(validateSettings(segment, {})).toMatchObject({ ok: false, errors: { write_key: 'Required' } })
  expect(validateSettings(segment, { write_key: key, endpoint: 'segment' })).toMatchObject({
    ok: false,
    errors: { endpoint: expect.any(String) },
  })
  expect(validateSettings(segment, { write_key: key })).toMatchObject({
    ok: true,
    settings: { endpoint: 'https://api.segment.io/v1/batch' },
  })
})

describe('deleting users', () => {
  const deletion = (number: number, userIds: string[], anonymousIds: string[] = []): OutgoingRow => ({
    recordId: `r.${number}`,
    operation: 'delete',
    object: 'users',
    key: userIds[0] ?? '',
    json: JSON.stringify({ userIds, anonymousIds, externalIds: [] }),
  })
  const token = 'sgp_public_api_token'
  /** Responds as documented: docs.segmentapis.com/tag/Deletion-and-Suppression, "Create Workspace Regulation". */
  const regulations = ({ method, url, headers, body }: PeerRequest): PeerAnswer => {
    if (method !== 'POST' || url !== '/regulations') return { status: 404 }
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: `no ${token}` }
    const { regulationType, subjectType, subjectIds } = JSON.parse(body) as Record<string, unknown>
    const isValid =
      regulationType === 'DELETE_ONLY' &&
      (subjectType === 'USER_ID' || subjectType === 'ANONYMOUS_ID') &&
      Array.isArray(subjectIds) &&
      subjectIds.length > 0
    return isValid
      ? { status: 200, headers: { 'content-type': 'application/json' }, body: '{"data":{"regulateId":"r-1"}}' }
      : { status: 422, body: '{"errors":[{"type":"validation"}]}' }
  }
  const sendDeletions = async (
    rows: readonly OutgoingRow[],
    { given = token, answer = regulations }: { given?: string; answer?: (request: PeerRequest) => PeerAnswer } = {},
  ) => {
    const at = await receiver(answer)
    const settings = { ...settingsOf(at), public_api_url: at.url, ...(given === '' ? {} : { public_api_token: given }) }
    const telling: DestinationDefinition = {
      ...segment,
      deliver: async (_, context) => (await segment.deliverRows?.(rows, context)) as DeliverResult,
    }
    const result = await runConnector(telling, settings, [])
    return { ...result, bodies: at.requests.map(({ body }) => JSON.parse(body) as unknown) }
  }

  it('deleting users sends one regulation with all user IDs and one with all anonymous IDs', async () => {
    const { outcomes, bodies } = await sendDeletions([deletion(0, ['u1'], ['a1', 'a2']), deletion(1, ['u2'], ['a1'])])
    expect(outcomes).toEqual({ kind: 'delivered' })
    expect(bodies).toEqual([
      { regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds: ['u1', 'u2'] },
      { regulationType: 'DELETE_ONLY', subjectType: 'ANONYMOUS_ID', subjectIds: ['a1', 'a2'] },
    ])
    expect((await sendDeletions([deletion(0, [], ['a1'])])).bodies).toHaveLength(1)
  })

  it('deleting users is rejected with a wrong token, which is never shown, and events continue', async () => {
    const { outcomes, request, response } = await sendDeletions([deletion(0, ['u1'])], { given: 'sgp_other' })
    expect(outcomes).toEqual({ kind: 'rejected', reason: 'Segment refuses the Public API token (HTTP 401)' })
    expect(`${request}${response}`).not.toContain('sgp_other')
  })

  it('deleting users is retried when the quota is available again, and rejected if Segment refuses it', async () => {
    const reset = new Date(Date.now() + 3_600_000).toISOString()
    const spent = await sendDeletions([deletion(0, ['u1'])], {
      answer: () => ({ status: 429, headers: { 'x-regulation-ratelimit-quota-reset': reset } }),
    })
    expect(spent.outcomes).toMatchObject({ kind: 'retry', retryAfterMs: expect.closeTo(3_600_000, -5) })
    const refused = await sendDeletions([deletion(0, ['u1'])], { answer: () => ({ status: 422 }) })
    expect(refused.outcomes).toMatchObject({ kind: 'rejected', reason: 'HTTP 422' })
  })

  it('deleting users requires a token, and without one the reason says so', async () => {
    const { deletesUsers } = segment
    if (typeof deletesUsers !== 'function') throw new Error('It depends on the settings')
    expect([deletesUsers({ public_api_token: token }), deletesUsers({})]).toEqual([undefined, 'no Public API token'])
    const { outcomes, bodies } = await sendDeletions([deletion(0, ['u1'])], { given: '' })
    expect(outcomes).toMatchObject([{ kind: 'rejected', reason: expect.stringContaining('Public API token') }])
    expect(bodies).toEqual([])
  })
})
