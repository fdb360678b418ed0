import {
  ConfigurationError,
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
import { rudderstack } from './definition.ts'

let peer: Peer | undefined
afterEach(async () => {
  await peer?.close()
  peer = undefined
})

const key = 'rudder-write-key-1'
const disabled = 'key-of-a-disabled-source'

type Sent = { messageId: string; userId?: string; anonymousId?: string }
const batchOf = ({ body }: PeerRequest): Sent[] => (JSON.parse(body) as { batch: Sent[] }).batch

/**
 * Responds like a data plane by its documentation: rudderstack.com/docs/api/http-api, and rudder-server's
 * gateway/response: checks the key first, then the batch; `OK` as plain text.
 */
const documented = (request: PeerRequest): PeerAnswer => {
  if (request.method !== 'POST' || request.url !== '/v1/batch') return { status: 404, body: 'page not found' }
  const given = /^Basic (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const [user = ''] = Buffer.from(given, 'base64').toString().split(':')
  if (user === '') return { status: 401, body: 'Failed to read writeKey from header' }
  if (user === disabled) return { status: 404, body: 'Source is disabled' }
  if (user !== key) return { status: 401, body: 'Invalid Write Key' }
  if (Buffer.byteLength(request.body) > 4_000 * 1024) return { status: 413, body: 'Request size exceeds max limit' }
  const batch = batchOf(request)
  if (batch.length === 0) return { status: 400, body: 'Empty batch payload' }
  if (batch.some((event) => event.userId === undefined && event.anonymousId === undefined))
    return { status: 400, body: 'Request neither has anonymousId nor userId' }
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'OK' }
}

const dataPlane = async (answer: (request: PeerRequest) => PeerAnswer = documented): Promise<Peer> => {
  peer = await startPeer(answer)
  return peer
}
const settingsOf = ({ url }: Peer, writeKey = key): Record<string, unknown> => ({
  data_plane_url: url,
  write_key: writeKey,
})

testDestination(rudderstack, {
  settings: (url) => ({ data_plane_url: url, write_key: key }),
  secrets: [key, Buffer.from(`${key}:`).toString('base64')],
  vendor: ({ raw }) => documented(raw),
  events: [outgoingEvent({ messageId: 'm-1' }), outgoingEvent({ messageId: 'm-2' })],
  requests: [
    {
      method: 'POST',
      path: '/v1/batch',
      body: {
        batch: [
          { type: 'track', messageId: 'm-1', event: 'Order Completed', timestamp: '2026-01-02T03:04:05.000Z' },
          { messageId: 'm-2' },
        ],
      },
    },
  ],
  connected: 'The data plane accepted this write key.',
  badCredentials: {
    settings: (url) => ({ data_plane_url: url, write_key: 'an-unknown-key' }),
    message: 'RudderStack refuses the write key (HTTP 401)',
  },
})

it.each(['', 'v1', 'v1/', 'v1/batch'])('a data plane with the URL …/%s is called at /v1/batch', async (path) => {
  const at = await dataPlane()
  const settings = { data_plane_url: `${at.url}${path}`, write_key: key }
  const { outcomes } = await runConnector(rudderstack, settings, [outgoingEvent()])
  expect(outcomes).toEqual([{ kind: 'delivered' }])
  expect(batchOf(at.requests[0] as PeerRequest)).toMatchObject([
    { type: 'track', messageId: 'message-1', event: 'Order Completed', timestamp: '2026-01-02T03:04:05.000Z' },
  ])
})

it('a data plane with its own path keeps that path', async () => {
  const at = await dataPlane(() => ({ status: 200 }))
  await runConnector(rudderstack, { data_plane_url: `${at.url}rudder/`, write_key: key }, [outgoingEvent()])
  expect(at.requests[0]?.url).toBe('/rudder/v1/batch')
})

it('a batch with an event without a user is sent in halves, and only that event is rejected', async () => {
  const at = await dataPlane()
  const nobody = outgoingEvent({ messageId: 'nobody' })
  const { userId: _, ...rest } = JSON.parse(nobody.json) as Record<string, unknown>
  const refused = { ...nobody, json: JSON.stringify(rest) }
  const settings = settingsOf(at)
  expect((await runConnector(rudderstack, settings, [outgoingEvent(), refused])).outcomes).toMatchObject({
    kind: 'split',
  })
  const result = await runConnector(rudderstack, settings, [refused])
  expect(result.outcomes).toEqual([{ kind: 'rejected', reason: 'HTTP 400' }])
  expect(result.response).toContain('Request neither has anonymousId nor userId')
  expect((await runConnector(rudderstack, settings, [outgoingEvent()])).outcomes).toEqual([{ kind: 'delivered' }])
})

it('while its source is disabled, events are held, and the connection test shows the reason', async () => {
  const at = await dataPlane()
  const message = 'This URL does not accept events, or its source is disabled (HTTP 404)'
  const failure = await runConnector(rudderstack, settingsOf(at, disabled), [outgoingEvent()]).catch(
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(ConfigurationError)
  expect(failure).toMatchObject({ message })
  expect(await runConnectionTest(rudderstack, settingsOf(at, disabled))).toEqual({ ok: false, message })
})

it('the connection test reports an unreachable data plane', async () => {
  const at = await dataPlane()
  await at.close()
  peer = undefined
  expect(await runConnectionTest(rudderstack, settingsOf(at))).toEqual({
    ok: false,
    message: 'Could not connect: Connection refused (ECONNREFUSED)',
  })
})

it('a 429 without a retry time is retried', async () => {
  const at = await dataPlane(() => ({ status: 429, body: 'Max Events Limit reached' }))
  const { outcomes } = await runConnector(rudderstack, settingsOf(at), [outgoingEvent()])
  expect(outcomes).toEqual([{ kind: 'retry', reason: 'HTTP 429' }])
})

it('RudderStack requires URL and key', () => {
  expect(validateSettings(rudderstack, {})).toEqual({
    ok: false,
    errors: { data_plane_url: 'Required', write_key: 'Required' },
  })
})

describe('deleting users', () => {
  const token = 'rudder-access-token'
  const deletion = (number: number, userIds: string[], anonymousIds: string[] = []): OutgoingRow => ({
    recordId: `r.${number}`,
    operation: 'delete',
    object: 'users',
    key: userIds[0] ?? '',
    json: JSON.stringify({ userIds, anonymousIds, externalIds: [] }),
  })
  /**
   * Responds as documented: rudderstack.com/docs/api/user-suppression-api, "Add a suppression with delete regulation".
   */
  const regulations = ({ method, url, headers, body }: PeerRequest): PeerAnswer => {
    if (method !== 'POST' || url !== '/v2/regulations') return { status: 404 }
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: `no ${headers.authorization}` }
    const { regulationType, destinationIds, users } = JSON.parse(body) as {
      regulationType?: string
      destinationIds?: string[]
      users?: { userId?: string }[]
    }
    const isValid =
      regulationType === 'suppress_with_delete' &&
      (destinationIds?.length ?? 0) > 0 &&
      (users?.length ?? 0) > 0 &&
      users?.every(({ userId }) => typeof userId === 'string')
    return isValid ? { status: 200, body: '[{"id":"r-1","canceled":false}]' } : { status: 400, body: 'bad request' }
  }
  const sendDeletions = async (
    rows: readonly OutgoingRow[],
    given: Record<string, unknown> = {},
    answer: (request: PeerRequest) => PeerAnswer = regulations,
  ) => {
    const at = await dataPlane(answer)
    const own = { access_token: token, destination_ids: 'd1, d2\nd1', api_url: at.url, ...given }
    const telling: DestinationDefinition = {
      ...rudderstack,
      deliver: async (_, context) => (await rudderstack.deliverRows?.(rows, context)) as DeliverResult,
    }
    const result = await runConnector(telling, { ...settingsOf(at), ...own }, [])
    return { ...result, bodies: at.requests.map(({ body }) => JSON.parse(body) as unknown) }
  }

  it('deleting users sends one regulation with all user IDs, for every listed destination', async () => {
    const { outcomes, bodies } = await sendDeletions([deletion(0, ['u1'], ['a1']), deletion(1, ['u2', 'u1'])])
    expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'delivered' }])
    expect(bodies).toEqual([
      {
        regulationType: 'suppress_with_delete',
        destinationIds: ['d1', 'd2'],
        users: [{ userId: 'u1' }, { userId: 'u2' }],
      },
    ])
  })

  it('deleting users rejects users without a user ID and other rows, and sends the rest', async () => {
    const other: OutgoingRow = { ...deletion(2, ['u3']), object: 'audience_members' }
    const { outcomes, bodies } = await sendDeletions([deletion(0, [], ['a1']), deletion(1, ['u2']), other])
    expect(outcomes).toEqual([
      { kind: 'rejected', reason: 'RudderStack knows users by user ID only' },
      { kind: 'delivered' },
      { kind: 'rejected', reason: 'RudderStack takes deletions of users, and no other rows' },
    ])
    expect(bodies).toMatchObject([{ users: [{ userId: 'u2' }] }])
    expect((await sendDeletions([deletion(0, [], ['a1'])])).bodies).toEqual([])
  })

  it('deleting users is rejected with a wrong token, which is never shown, and events continue', async () => {
    const { outcomes, request, response } = await sendDeletions([deletion(0, ['u1'])], { access_token: 'rudder-other' })
    expect(outcomes).toEqual([{ kind: 'rejected', reason: 'RudderStack refuses the access token (HTTP 401)' }])
    expect(`${request}${response}`).not.toContain('rudder-other')
  })

  it.each<[string, PeerAnswer, object]>([
    ['is retried when the quota is available again', { status: 429 }, { kind: 'retry', reason: 'HTTP 429' }],
    ['is retried after an error of the server', { status: 503 }, { kind: 'retry', reason: 'HTTP 503' }],
    ['is rejected when RudderStack refuses it', { status: 400 }, { kind: 'rejected', reason: 'HTTP 400' }],
    [
      'is rejected when a web page responds',
      { status: 200, body: '<!doctype html><html></html>' },
      { kind: 'rejected', reason: 'The API URL answers with a web page' },
    ],
  ])('%s', async (_, answer, outcome) => {
    expect((await sendDeletions([deletion(0, ['u1'])], {}, () => answer)).outcomes).toEqual([outcome])
  })

  it.each([
    [{ access_token: undefined }, 'no access token'],
    [{ destination_ids: ' , ' }, 'no destination IDs'],
  ])('deleting users requires a token and destination IDs: rejected with %j', async (lacking, lacks) => {
    const { deletesUsers } = rudderstack
    if (typeof deletesUsers !== 'function') throw new Error('It depends on the settings')
    const whole = { access_token: token, destination_ids: 'd1' }
    expect([deletesUsers(whole), deletesUsers({ ...whole, ...lacking })]).toEqual([undefined, lacks])
    const { outcomes, bodies } = await sendDeletions([deletion(0, ['u1'])], lacking)
    expect(outcomes).toEqual([{ kind: 'rejected', reason: `Not sent to RudderStack: ${lacks}` }])
    expect(bodies).toEqual([])
  })
})
