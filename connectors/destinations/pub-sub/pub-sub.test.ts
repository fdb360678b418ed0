import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { ConfigurationError, RetryableError, validateSettings } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnectionTest, runConnector } from '@tributary/connector-kit/testing'
import { startVendor, testDestination, type VendorRequest } from '@tributary/connector-kit/testing-destination'
import { expect, it } from 'vitest'
import { pubSub } from './definition.ts'
import { maxBytes } from './deliver.ts'

const origins = ['https://pubsub.googleapis.com']
const topic = 'projects/my-project/topics/events'
const pair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), publicKey }
}
const [known, other] = [pair(), pair()]

// The JSON of a key has the form that AIP-4112 shows.
const keyText = (privateKey: string): string =>
  JSON.stringify({
    type: 'service_account',
    project_id: 'my-project',
    private_key_id: 'abcdef1234567890',
    private_key: privateKey,
    client_email: 'tributary@my-project.iam.gserviceaccount.com',
  })
const settings = { topic, service_account_key: keyText(known.privateKey) }

const track = outgoingEvent({ properties: { note: 'ü' } })
const identify = outgoingEvent({
  eventId: '0-2-0',
  messageId: 'message-2',
  type: 'identify',
  event: '',
  userId: 'user-2',
  traits: { plan: 'pro' },
})
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const refused = outgoingEvent({ eventId: '0-3-0', userId: 'refused' })

/** Returns an error in the JSON form of google.rpc.Status (AIP-193). */
const errorOf = (code: number, status: string): PeerAnswer => ({
  status: code,
  body: JSON.stringify({ error: { code, message: `About ${status}.`, status } }),
})

const decoded = (part = ''): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())

/** Whether a token has the header and the claims of AIP-4111, and the signature of the known key. */
const isValid = (token: string): boolean => {
  const [header, claims, signature = ''] = token.split('.')
  const { iat, exp, ...rest } = decoded(claims) as { iat: number; exp: number }
  expect(decoded(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'abcdef1234567890' })
  expect(rest).toEqual({
    iss: 'tributary@my-project.iam.gserviceaccount.com',
    sub: 'tributary@my-project.iam.gserviceaccount.com',
    aud: 'https://pubsub.googleapis.com/',
  })
  const text = Buffer.from(`${header}.${claims}`)
  const isSigned = verify(
    'RSA-SHA256',
    text,
    createPublicKey(known.publicKey.export({ type: 'spki', format: 'pem' })),
    Buffer.from(signature, 'base64url'),
  )
  return isSigned && exp === iat + 3600 && Math.abs(Date.now() / 1000 - iat) < 60
}

// google/pubsub/v1/pubsub.proto of @google-cloud/pubsub 6.3.2: the paths, the messages, and their IDs.
const vendor = ({ method, path, headers, body }: VendorRequest): PeerAnswer => {
  if (!isValid((headers['authorization'] ?? '').replace('Bearer ', ''))) return errorOf(401, 'UNAUTHENTICATED')
  if (method !== 'POST') return errorOf(404, 'NOT_FOUND')
  if (path === `/v1/${topic}:testIamPermissions`)
    return { status: 200, body: JSON.stringify({ permissions: ['pubsub.topics.publish'] }) }
  if (path !== `/v1/${topic}:publish`) return errorOf(404, 'NOT_FOUND')
  const { messages } = body as { messages: { data: string; orderingKey?: string }[] }
  if (new Set(messages.map(({ orderingKey }) => orderingKey)).size > 1) return errorOf(400, 'INVALID_ARGUMENT')
  if (messages.some(({ data }) => data === base64(refused.json))) return errorOf(400, 'INVALID_ARGUMENT')
  return { status: 200, body: JSON.stringify({ messageIds: messages.map((_, index) => `${index}`) }) }
}

testDestination(pubSub, {
  origins,
  settings: () => settings,
  secrets: [known.privateKey, known.privateKey.split('\n')[3] ?? ''],
  vendor,
  events: [track, identify],
  requests: [
    {
      method: 'POST',
      path: `/v1/${topic}:publish`,
      body: {
        messages: [
          { data: base64(track.json), attributes: { type: 'track', event: 'Order Completed' } },
          { data: base64(identify.json), attributes: { type: 'identify' } },
        ],
      },
    },
  ],
  connected: `The account can publish to ${topic}.`,
  badCredentials: {
    settings: () => ({ topic, service_account_key: keyText(other.privateKey) }),
    message: 'UNAUTHENTICATED: About UNAUTHENTICATED.',
  },
  partialFailure: {
    events: [track, refused, identify],
    outcomes: [
      { kind: 'delivered' },
      { kind: 'rejected', reason: 'INVALID_ARGUMENT: About INVALID_ARGUMENT.' },
      { kind: 'delivered' },
    ],
  },
  oversize: {
    events: [track, outgoingEvent({ eventId: '0-4-0', properties: { text: 'x'.repeat(maxBytes) } })],
    outcomes: [{ kind: 'delivered' }, { kind: 'rejected', reason: expect.stringContaining(`${maxBytes}`) as string }],
    requests: 1,
  },
})

it('messages with ordering keys have one key in each request, in their order', async () => {
  const { asked, rebase } = await startVendor({ origins }, vendor)
  const ordered = { ...settings, ordering: true }
  const { outcomes } = await runConnector(pubSub, ordered, [track, identify, track], { rebase })
  expect(outcomes).toEqual([track, identify, track].map(() => ({ kind: 'delivered' })))
  expect(
    asked.map(({ body }) => (body as { messages: { orderingKey: string }[] }).messages.map((one) => one.orderingKey)),
  ).toEqual([['user-1', 'user-1'], ['user-2']])
})

it('messages of an accepted request are not sent again if a later request fails', async () => {
  let count = 0
  const { rebase } = await startVendor({ origins }, (request) =>
    ++count === 2 ? errorOf(503, 'UNAVAILABLE') : vendor(request),
  )
  const { outcomes } = await runConnector(pubSub, { ...settings, ordering: true }, [track, identify], { rebase })
  expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'retry', reason: 'UNAVAILABLE: About UNAVAILABLE.' }])
})

it.each([
  [403, 'PERMISSION_DENIED', ConfigurationError],
  [404, 'NOT_FOUND', ConfigurationError],
  [429, 'RESOURCE_EXHAUSTED', RetryableError],
  [409, 'ABORTED', RetryableError],
  [500, 'INTERNAL', RetryableError],
])('the response %i %s holds or repeats all events', async (code, status, kind) => {
  const { rebase } = await startVendor({ origins }, () => errorOf(code, status))
  await expect(runConnector(pubSub, settings, [track, identify], { rebase })).rejects.toThrow(kind)
})

it('the connection test fails for an account that cannot publish', async () => {
  const { rebase } = await startVendor({ origins }, () => ({ status: 200, body: '{}' }))
  expect(await runConnectionTest(pubSub, settings, { rebase })).toMatchObject({ ok: false })
})

it.each([
  ['topic', { topic: 'events' }],
  ['topic', { topic: 'projects/my-project/topics/../x' }],
  ['topic', { topic: 'projects/my-project/topics/a?b' }],
  ['service_account_key', { service_account_key: 'x' }],
  ['service_account_key', { service_account_key: '{"type":"authorized_user"}' }],
])('the setting %s is rejected if it is invalid: %j', (name, given) => {
  const checked = validateSettings(pubSub, { ...settings, ...given })
  expect(checked).toMatchObject({ ok: false, errors: { [name]: expect.any(String) } })
})

it('a private key that cannot be read holds the events', async () => {
  const broken = {
    topic,
    service_account_key: keyText('-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n'),
  }
  await expect(runConnector(pubSub, broken, [track])).rejects.toThrow('The private key in the service account key')
})
