import { createHmac } from 'node:crypto'
import { ConfigurationError, RetryableError, validateSettings } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnectionTest, runConnector } from '@tributary/connector-kit/testing'
import { startVendor, testDestination, type VendorRequest } from '@tributary/connector-kit/testing-destination'
import { expect, it } from 'vitest'
import { azureEventHubs } from './definition.ts'
import { maxBytes } from './deliver.ts'
import { sasToken } from './sas-token.ts'

const host = 'my-namespace.servicebus.windows.net'
const origins = [`https://${host}`]
const policy = { name: 'send', key: 'bm90IGEgcmVhbCBrZXkgb2YgYW55IGV2ZW50IGh1Yg==' }
const settings = { namespace: host, event_hub: 'events', policy_name: policy.name, policy_key: policy.key }

const track = outgoingEvent({ eventId: '0-1-0', messageId: 'message-1', properties: { note: 'ü' } })
const identify = outgoingEvent({
  eventId: '0-2-0',
  messageId: 'message-2',
  type: 'identify',
  event: '',
  userId: 'user-2',
  traits: { plan: 'pro' },
})
const large = outgoingEvent({ eventId: '0-3-0', messageId: 'message-3', userId: 'refused' })

/** Returns an error in the form of MicrosoftDocs/azure-docs issue 38643, which quotes one of Event Hubs. */
const errorOf = (status: number, detail: string): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/xml; charset=utf-8' },
  body: `<Error><Code>${status}</Code><Detail>${detail}</Detail></Error>`,
})
const tooLarge = errorOf(
  413,
  'The maximum message size quota for outgoing messages (327680) has been exceeded. TrackingId:4f0d0b1c-1, SystemTracker:hub:events, Timestamp:2026-01-02T03:04:05',
)

/** Checks a token like its receiver ("Authenticate access to Event Hubs resources using shared access signatures"). */
const isValid = (token = ''): boolean => {
  const [, resource = '', signature = '', expiry = '', name = ''] =
    /^SharedAccessSignature sr=([^&]+)&sig=([^&]+)&se=(\d+)&skn=([^&]+)$/.exec(token) ?? []
  const expected = createHmac('sha256', policy.key).update(`${resource}\n${expiry}`).digest('base64')
  const lasts = Number(expiry) - Date.now() / 1000
  expect(decodeURIComponent(resource)).toBe(`https://${host}/events`)
  return decodeURIComponent(signature) === expected && name === policy.name && lasts > 3500 && lasts <= 3600
}

type Sent = { Body: string; BrokerProperties?: { PartitionKey: string } }

// "Send batch events", "Get Event Hub", and "Common parameters and headers" of the REST API.
const vendor = ({ method, path, query, headers, body }: VendorRequest): PeerAnswer => {
  expect(query).toEqual({ timeout: '60', 'api-version': '2014-01' })
  if (!isValid(headers['authorization'])) return errorOf(401, 'InvalidSignature: The token has an invalid signature.')
  if (method === 'GET' && path === '/events')
    return {
      status: 200,
      body: '<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><EventHubDescription><Status>Active</Status></EventHubDescription></content></entry>',
    }
  if (method !== 'POST' || path !== '/events/messages') return errorOf(404, 'The requested URI does not exist.')
  expect(headers['content-type']).toBe('application/vnd.microsoft.servicebus.json')
  const events = body as Sent[]
  // A batch goes to one partition (Azure/azure-event-hubs-go issue 127).
  if (new Set(events.map((event) => event.BrokerProperties?.PartitionKey)).size > 1) return errorOf(400, 'Bad request.')
  return events.some(({ Body }) => Body.includes('"refused"')) ? tooLarge : { status: 201 }
}

testDestination(azureEventHubs, {
  origins,
  settings: () => settings,
  secrets: [policy.key],
  vendor,
  events: [track, identify],
  requests: [
    {
      method: 'POST',
      host,
      path: '/events/messages',
      body: [
        { Body: track.json, UserProperties: { type: 'track', event: 'Order Completed' } },
        { Body: identify.json, UserProperties: { type: 'identify' } },
      ],
    },
  ],
  connected: `The event hub events at ${host} can be reached.`,
  badCredentials: {
    settings: () => ({ ...settings, policy_key: 'YW5vdGhlciBrZXk=' }),
    message: 'HTTP 401: InvalidSignature: The token has an invalid signature.',
  },
  partialFailure: {
    events: [track, large, identify],
    outcomes: [
      { kind: 'delivered' },
      {
        kind: 'rejected',
        reason: 'HTTP 413: The maximum message size quota for outgoing messages (327680) has been exceeded.',
      },
      { kind: 'delivered' },
    ],
  },
  oversize: {
    events: [track, outgoingEvent({ eventId: '0-4-0', properties: { text: 'x'.repeat(maxBytes) } })],
    outcomes: [{ kind: 'delivered' }, { kind: 'rejected', reason: expect.stringContaining(`${maxBytes}`) as string }],
    requests: 1,
  },
})

it("a token is that of Microsoft's own client (createSasTokenProvider of @azure/core-amqp 4.5.1)", () => {
  expect(sasToken(`https://${host}/events`, policy, Date.parse('2026-01-02T03:04:05Z'))).toBe(
    'SharedAccessSignature sr=https%3A%2F%2Fmy-namespace.servicebus.windows.net%2Fevents&sig=De%2BRYG1NBaSj3JDQM5gYPIjQH5AicAdZqJUxBOGDxKw%3D&se=1767326645&skn=send',
  )
})

const byPerson = { ...settings, partition_key: 'person' }

it('events with a partition key have one key in each request, in their order', async () => {
  const { asked, rebase } = await startVendor({ origins }, vendor)
  const { outcomes } = await runConnector(azureEventHubs, byPerson, [track, identify, track], { rebase })
  expect(outcomes).toEqual([track, identify, track].map(() => ({ kind: 'delivered' })))
  expect(asked.map(({ body }) => (body as Sent[]).map((event) => event.BrokerProperties))).toEqual([
    [{ PartitionKey: 'user-1' }, { PartitionKey: 'user-1' }],
    [{ PartitionKey: 'user-2' }],
  ])
})

it('events of an accepted request are not sent again if a later request fails', async () => {
  let count = 0
  const { rebase } = await startVendor({ origins }, (request) =>
    ++count === 2 ? errorOf(503, 'The server is busy.') : vendor(request),
  )
  const { outcomes } = await runConnector(azureEventHubs, byPerson, [track, identify], { rebase })
  expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'retry', reason: 'HTTP 503: The server is busy.' }])
})

it('a batch of more than 1 MB is sent in several requests', async () => {
  const { asked, rebase } = await startVendor({ origins }, vendor)
  const events = ['0', '1', '2'].map((id) => outgoingEvent({ eventId: id, properties: { text: 'x'.repeat(400_000) } }))
  const { outcomes } = await runConnector(azureEventHubs, settings, events, { rebase })
  expect(outcomes).toEqual(events.map(() => ({ kind: 'delivered' })))
  expect(asked.map(({ body }) => (body as Sent[]).length)).toEqual([2, 1])
})

it('a refusal that all events share costs few requests, and events that were not sent alone wait', async () => {
  const { asked, rebase } = await startVendor({ origins }, () => tooLarge)
  const events = Array.from({ length: 100 }, (_, at) => outgoingEvent({ eventId: `0-${at}-0` }))
  const { outcomes } = await runConnector(azureEventHubs, settings, events, { rebase })
  expect(asked.length).toBeLessThan(50)
  const kinds = (outcomes as { kind: string }[]).map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'rejected')).toHaveLength(20)
  expect(new Set(kinds.slice(20))).toEqual(new Set(['retry']))
})

it.each([
  [401, "Unauthorized access. 'Send' claim(s) are required to perform this operation.", ConfigurationError],
  [403, 'The quota has been exceeded.', ConfigurationError],
  [404, 'The requested entity could not be found.', ConfigurationError],
  [410, 'The event hub does not exist.', ConfigurationError],
  [401, 'ExpiredToken: The token is expired.', RetryableError],
  [429, 'Too many requests.', RetryableError],
  [500, 'Internal error.', RetryableError],
  [503, 'The server is busy.', RetryableError],
])('the response %i "%s" holds or repeats all events', async (status, detail, kind) => {
  const { rebase } = await startVendor({ origins }, () => errorOf(status, detail))
  const failure = await runConnector(azureEventHubs, settings, [track, identify], { rebase }).catch((e: unknown) => e)
  expect(failure).toBeInstanceOf(kind)
  expect((failure as Error).message).toContain(detail)
})

it('a policy without the claim Manage passes the connection test, which says what is open', async () => {
  const { rebase } = await startVendor({ origins }, () =>
    errorOf(401, 'Manage,EntityRead claims required for this operation.'),
  )
  expect(await runConnectionTest(azureEventHubs, settings, { rebase })).toEqual({
    ok: true,
    message:
      'The key of the policy send is right. It may not read the event hub events, so only an event shows whether it may send.',
  })
})

it.each<[string, PeerAnswer]>([
  ['HTTP 404: The requested URI does not exist.', errorOf(404, 'The requested URI does not exist.')],
  ['The response is not that of Event Hubs', { status: 200, body: '<html></html>' }],
])('the connection test fails with the message "%s"', async (message, answer) => {
  const { rebase } = await startVendor({ origins }, () => answer)
  expect(await runConnectionTest(azureEventHubs, settings, { rebase })).toEqual({ ok: false, message })
})

it.each([
  ['namespace', { namespace: 'my-namespace' }],
  ['namespace', { namespace: 'evil.example/.servicebus.windows.net' }],
  ['namespace', { namespace: 'my-namespace.servicebus.windows.net.evil.example' }],
  ['event_hub', { event_hub: 'a/b' }],
  ['event_hub', { event_hub: '..' }],
  ['event_hub', { event_hub: 'a?b' }],
])('the setting %s is rejected if it is invalid: %j', (name, given) => {
  const checked = validateSettings(azureEventHubs, { ...settings, ...given })
  expect(checked).toMatchObject({ ok: false, errors: { [name]: expect.any(String) } })
})
