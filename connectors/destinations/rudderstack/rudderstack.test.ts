import { ConfigurationError, validateSettings } from '@tributary/connector-kit'
import {
  outgoingEvent,
  type Peer,
  type PeerAnswer,
  type PeerRequest,
  runConnectionTest,
  runConnector,
  startPeer,
} from '@tributary/connector-kit/testing'
import { afterEach, expect, it } from 'vitest'
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
const ids = (requests: readonly PeerRequest[]): string[] => requests.flatMap(batchOf).map(({ messageId }) => messageId)

/**
 * What a data plane documents and answers: rudderstack.com/docs/api/http-api, and rudder-server's gateway/response: the
 * key first, then the batch; `OK` as plain text.
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

it.each(['', 'v1', 'v1/', 'v1/batch'])('a data plane given as …/%s is asked at /v1/batch', async (path) => {
  const at = await dataPlane()
  const settings = { data_plane_url: `${at.url}${path}`, write_key: key }
  const { outcomes } = await runConnector(rudderstack, settings, [outgoingEvent()])
  expect(outcomes).toEqual([{ kind: 'delivered' }])
  expect(batchOf(at.requests[0] as PeerRequest)).toMatchObject([
    { type: 'track', messageId: 'message-1', event: 'Order Completed', timestamp: '2026-01-02T03:04:05.000Z' },
  ])
})

it('a data plane below a path of its own stays there', async () => {
  const at = await dataPlane(() => ({ status: 200 }))
  await runConnector(rudderstack, { data_plane_url: `${at.url}rudder/`, write_key: key }, [outgoingEvent()])
  expect(at.requests[0]?.url).toBe('/rudder/v1/batch')
})

it('an event that nobody is behind has its batch sent in halves, and is refused alone', async () => {
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

it.each([
  ['an-unknown-key', 'RudderStack refuses the write key (HTTP 401)'],
  [disabled, 'This URL does not accept events, or its source is disabled (HTTP 404)'],
])('with the key %s events are held, and the test of the connection says why', async (writeKey, message) => {
  const at = await dataPlane()
  const failure = await runConnector(rudderstack, settingsOf(at, writeKey), [outgoingEvent()]).catch(
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(ConfigurationError)
  expect(failure).toMatchObject({ message })
  expect(JSON.stringify(failure)).not.toContain(writeKey)
  expect(await runConnectionTest(rudderstack, settingsOf(at, writeKey))).toEqual({ ok: false, message })
})

it('the test of a connection brings no event and tells a key that is right', async () => {
  const at = await dataPlane()
  expect(await runConnectionTest(rudderstack, settingsOf(at))).toEqual({
    ok: true,
    message: 'The data plane accepted this write key.',
  })
  expect(ids(at.requests)).toEqual([])
})

it('a data plane that is away is an answer of the test too', async () => {
  const at = await dataPlane()
  await at.close()
  peer = undefined
  expect(await runConnectionTest(rudderstack, settingsOf(at))).toEqual({
    ok: false,
    message: 'Could not connect: Connection refused (ECONNREFUSED)',
  })
})

it('takes 429 for what it is, though it names no time', async () => {
  const at = await dataPlane(() => ({ status: 429, body: 'Max Events Limit reached' }))
  const { outcomes } = await runConnector(rudderstack, settingsOf(at), [outgoingEvent()])
  expect(outcomes).toEqual([{ kind: 'retry', reason: 'HTTP 429' }])
})

it('asks for address and key', () => {
  expect(validateSettings(rudderstack, {})).toEqual({
    ok: false,
    errors: { data_plane_url: 'Required', write_key: 'Required' },
  })
})
