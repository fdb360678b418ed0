import { ConfigurationError, compileMappings, presetMappings, validateSettings } from '@tributary/connector-kit'
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
import { slack } from './definition.ts'

let peer: Peer | undefined
afterEach(async () => {
  await peer?.close()
  peer = undefined
})

const path = '/services/T0000AAAA/B0000BBBB/s3cretPartOfTheAddress'
type Message = { text?: string; blocks?: { type?: string }[]; thread_ts?: string }

/**
 * Responds as documented: docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, "Handling errors".
 * Trufflehog's detector of live webhooks relies on the same response to a message without text.
 */
const documented = (request: PeerRequest): PeerAnswer => {
  const refusal = (status: number, body: string): PeerAnswer => ({
    status,
    headers: { 'content-type': 'text/html' },
    body,
  })
  if (request.method !== 'POST' || request.url !== path) return refusal(404, 'no_service')
  if (request.headers['content-type'] !== 'application/json') return refusal(400, 'invalid_payload')
  const message = JSON.parse(request.body) as Message
  if (message.blocks?.some(({ type }) => type === 'unknown') === true) return refusal(400, 'invalid_blocks')
  if ((message.text ?? '') === '' && message.blocks === undefined) return refusal(400, 'no_text')
  return { status: 200, headers: { 'content-type': 'text/html' }, body: 'ok' }
}

const channel = async (answer: (request: PeerRequest) => PeerAnswer = documented): Promise<Peer> => {
  peer = await startPeer(answer)
  return peer
}
const settingsOf = ({ url }: Peer, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  webhook_url: new URL(path, url).href,
  ...more,
})
const asking = (payload: Record<string, unknown>) => [outgoingEvent({}, { payload, action: 'send_message' })]
const messagesOf = ({ requests }: Peer): Message[] => requests.map(({ body }) => JSON.parse(body) as Message)

testDestination(slack, {
  settings: (url) => ({ webhook_url: new URL(path, url).href }),
  secrets: ['T0000AAAA/B0000BBBB/s3cretPartOfTheAddress', 's3cretPartOfTheAddress'],
  vendor: ({ raw }) => documented(raw),
  events: asking({ text: '*Order Completed* by user-1' }),
  requests: [{ method: 'POST', body: { text: '*Order Completed* by user-1' } }],
  connected: 'The webhook can post to its channel. Nothing was posted.',
  badCredentials: {
    settings: (url) => ({ webhook_url: new URL('/services/T0000AAAA/B0000BBBB/s3cretPartGone', url).href }),
    message: 'The webhook was removed or disabled in Slack (no_service)',
  },
})

it('blocks and the thread are sent with the message', async () => {
  const at = await channel()
  const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: '*Paid*' } }, { type: 'divider' }]
  await runConnector(slack, settingsOf(at), asking({ text: 'Paid', blocks, thread_ts: '1503435956.000247' }))
  expect(messagesOf(at)).toEqual([{ text: 'Paid', blocks, thread_ts: '1503435956.000247' }])
})

it('an event cannot notify the channel or hide a link, unless links and mentions are allowed', async () => {
  const at = await channel()
  const text = 'Tom & <!channel> <https://evil.example|Sign in>'
  const blocks = [{ type: 'section', text: { type: 'mrkdwn', text }, fields: [{ type: 'plain_text', text: 'a & b' }] }]
  await runConnector(slack, settingsOf(at), asking({ text, blocks }))
  await runConnector(slack, settingsOf(at, { allow_links: true }), asking({ text, blocks }))
  const plain = 'Tom &amp; &lt;!channel&gt; &lt;https://evil.example|Sign in&gt;'
  expect(messagesOf(at)).toEqual([
    {
      text: plain,
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: plain }, fields: [{ type: 'plain_text', text: 'a & b' }] },
      ],
    },
    { text, blocks },
  ])
})

it.each([
  [{ text: ' ' }, 'The message has no text'],
  [{ text: 'x', blocks: ['[{"type":'] }, 'Blocks must be a list of objects with a type'],
  [
    { text: 'x', blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) },
    'The message has 51 blocks; Slack allows 50',
  ],
])('an invalid message is rejected without a request to Slack: %j', async (payload, message) => {
  const at = await channel()
  await expect(runConnector(slack, settingsOf(at), asking(payload))).rejects.toThrow(message)
  expect(at.requests).toEqual([])
})

it("a message that Slack rejects is permanently refused with Slack's error code, without the address", async () => {
  const at = await channel()
  const result = await runConnector(slack, settingsOf(at), asking({ text: 'x', blocks: [{ type: 'unknown' }] }))
  expect(result).toMatchObject({
    outcomes: { kind: 'rejected', reason: 'HTTP 400 invalid_blocks' },
    request: expect.stringContaining('"text":"x"'),
    response: expect.stringContaining('invalid_blocks'),
  })
  expect(result.request).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/services\/\[redacted\]\n/)
})

it.each([
  [404, 'no_service', 'The webhook was removed or disabled in Slack (no_service)'],
  [404, 'channel_not_found', "The webhook's channel was deleted (channel_not_found)"],
  [410, 'channel_is_archived', "The webhook's channel is archived (channel_is_archived)"],
  [403, 'action_prohibited', 'A Slack workspace administrator blocked the webhook (action_prohibited)'],
  [403, 'invalid_token', 'Slack does not recognize the webhook URL (invalid_token)'],
  [400, 'user_not_found', "The webhook's recipient no longer exists (user_not_found)"],
  [404, '<!doctype html><title>Not found</title>', 'The webhook URL is wrong (HTTP 404)'],
  [302, '', 'The webhook URL is wrong (HTTP 302)'],
  [200, '<html>Sign in to Slack</html>', 'The URL returned a web page, so it is not a webhook'],
])('a webhook that cannot post holds the events: %i %s', async (status, body, message) => {
  const at = await channel(() => ({ status, body }))
  const failure = await runConnector(slack, settingsOf(at), asking({ text: 'x' })).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ConfigurationError)
  expect(failure).toMatchObject({ message, exchange: { httpStatus: status } })
  for (const part of ['T0000AAAA', 'B0000BBBB', 's3cretPart']) expect(JSON.stringify(failure)).not.toContain(part)
  expect(await runConnectionTest(slack, settingsOf(at))).toEqual({ ok: false, message })
})

it.each([
  [429, { 'retry-after': '30' }, { kind: 'retry', reason: 'HTTP 429 rate_limited', retryAfterMs: 30_000 }],
  [500, {}, { kind: 'retry', reason: 'HTTP 500 rate_limited' }],
])('a %i is retried at the time that Slack names', async (status, headers, outcomes) => {
  const at = await channel(() => ({ status, headers, body: 'rate_limited' }))
  expect(await runConnector(slack, settingsOf(at), asking({ text: 'x' }))).toMatchObject({ outcomes })
})

it.each(['', 'hooks.slack.com/services/T/B/X', 'https://hooks.slack.com', '#general'])(
  'Slack requires the whole URL, not "%s"',
  (webhook_url) => {
    expect(validateSettings(slack, { webhook_url })).toMatchObject({
      ok: false,
      errors: { webhook_url: expect.any(String) },
    })
  },
)

/** The webhook of another channel, as Slack's page shows one (docs.slack.dev, "Incoming webhooks"). */
const alertsPath = '/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX'

/** Answers for both webhooks. */
const twoChannels = (request: PeerRequest): PeerAnswer =>
  documented({ ...request, url: request.url === alertsPath ? path : request.url })

const withAlerts = (at: Peer): Record<string, unknown> =>
  settingsOf(at, { webhook_2_name: 'Alerts', webhook_2_url: new URL(alertsPath, at.url).href })

describe('a webhook per mapping', () => {
  // Slack, "Incoming webhooks": a webhook posts to the channel for which it was created. RudderStack has a channel per event.
  it.each([
    [undefined, path],
    ['', path],
    ['alerts', alertsPath],
    [' ALERTS ', alertsPath],
  ])('the message of a mapping with the webhook %j goes to its channel only', async (webhook, url) => {
    const at = await channel(twoChannels)
    const payload = { text: 'Paid', ...(webhook === undefined ? {} : { webhook }) }
    expect(await runConnector(slack, withAlerts(at), asking(payload))).toMatchObject({
      outcomes: { kind: 'delivered' },
    })
    expect(at.requests.map((request) => [request.url, JSON.parse(request.body)])).toEqual([[url, { text: 'Paid' }]])
  })

  it.each(['sales', '__proto__', 'webhook_2_url', 'x'.repeat(5000)])(
    'an event that names an unknown webhook is rejected and sent nowhere: %.20s',
    async (webhook) => {
      const at = await channel(twoChannels)
      const failure = await runConnector(slack, withAlerts(at), asking({ text: 'x', webhook })).catch(
        (error: unknown) => error,
      )
      expect(failure).toMatchObject({ name: 'RejectedError' })
      expect(String(failure).length).toBeLessThan(200)
      expect(at.requests).toEqual([])
    },
  )

  it('no URL of any webhook is in the record of a failed message', async () => {
    const body = `${alertsPath} ${path}`
    const at = await channel(() => ({ status: 500, body }))
    for (const webhook of ['', 'alerts']) {
      const result = JSON.stringify(await runConnector(slack, withAlerts(at), asking({ text: 'x', webhook })))
      for (const part of ['XXXXXXXX', 'B00000000', 's3cretPart', 'B0000BBBB']) expect(result).not.toContain(part)
    }
  })

  it('the connection test tries each webhook and names the one that cannot post', async () => {
    const at = await channel(twoChannels)
    expect(await runConnectionTest(slack, withAlerts(at))).toEqual({
      ok: true,
      message: 'The 2 webhooks can post to their channels. Nothing was posted.',
    })
    const gone = { ...withAlerts(at), webhook_2_url: new URL('/services/T/B/gone', at.url).href }
    expect(await runConnectionTest(slack, gone)).toEqual({
      ok: false,
      message: 'Alerts: The webhook was removed or disabled in Slack (no_service)',
    })
  })

  it.each([
    [{ webhook_2_name: 'a' }, undefined],
    [{ webhook_2_url: 'https://hooks.slack.com/services/T/B/Y' }, undefined],
    [{ webhook_2_name: 'a', webhook_3_name: ' A ' }, 'webhook_3_name'],
    [{ webhook_2_url: 'hooks.slack.com/services/T/B/Y' }, 'webhook_2_url'],
    [{ webhook_6_url: 'https://hooks.slack.com.evil.example/services/T/B/Y' }, 'webhook_6_url'],
    [{ webhook_6_url: 'http://hooks.slack.com/services/T/B/Y' }, 'webhook_6_url'],
  ])('further webhooks have names of their own and the origin of the first: %j', (more, field) => {
    const result = validateSettings(slack, { webhook_url: 'https://hooks.slack.com/services/T/B/X', ...more })
    if (field === undefined) expect(result).toMatchObject({ ok: true })
    else expect(result).toMatchObject({ ok: false, errors: { [field]: expect.any(String) } })
  })
})

describe('the preset for identify calls', () => {
  const identify = {
    eventId: '0-00000000000000000001-00000',
    messageId: 'm-1',
    type: 'identify' as const,
    event: '',
    userId: 'u-1',
    context: {},
    test: false,
    receivedAt: '2026-01-02T03:04:05.678Z',
    timestamp: '2026-01-02T03:04:05.000Z',
  }
  const place = { workspaceId: 'w', destinationId: 'd' }

  it('is off until a user turns it on', () => {
    expect(compileMappings(slack, undefined, place)(identify, 's').kind).toBe('unmapped')
  })

  it.each([
    [{ name: 'Ada', email: 'ada@example.com' }, 'Identified *Ada*'],
    [{ email: 'ada@example.com' }, 'Identified *ada@example.com*'],
    [{}, 'Identified *u-1*'],
  ])('posts who was identified: %j', async (traits, text) => {
    const mappings = presetMappings(slack).map((mapping) => ({ ...mapping, enabled: true }))
    const mapped = compileMappings(slack, mappings, place)({ ...identify, traits }, 's')
    if (mapped.kind !== 'mapped') throw new Error(JSON.stringify(mapped))
    const at = await channel()
    await runConnector(slack, settingsOf(at), asking(mapped.payload ?? {}))
    expect(messagesOf(at)).toEqual([{ text }])
  })
})

it('Slack gets at most one message a second, one after the other', () => {
  expect(slack.rate?.({})).toEqual({ requests: 1, perMs: 1000 })
  expect(slack.concurrency).toBe(1)
  expect(slack.batching({}).maxEvents).toBe(1)
})
