import { createHash } from 'node:crypto'
import { type Peer, type PeerAnswer, startPeer } from '@tributary/connector-kit/testing'
import { type EventMapping, methods } from '@tributary/contract'
import { createSecretBox } from '@tributary/kernel'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import {
  field,
  mappedCatalog,
  mappingsOf,
  purchase,
  secretOfMapped,
  startMapped,
} from '../testing/mapped-destination.ts'

let harness: Harness
let organization: Organization
let peer: Peer | undefined
beforeAll(async () => {
  harness = await startControl({ catalog: mappedCatalog })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())
afterEach(async () => {
  await peer?.close()
  peer = undefined
})

const mapping = purchase({ 'user.em': field('userId'), value: field('properties.total') })
const order = { type: 'track', event: 'Order Completed', userId: 'ada@shop.example', properties: { total: 5 } }

const start = async (answer: PeerAnswer = { status: 200, body: 'taken' }) => {
  peer = await startPeer(() => answer)
  const mapped = await startMapped(harness, organization, peer.url)
  return {
    ...mapped,
    requests: peer.requests,
    send: (event_mapping: EventMapping, given: object = {}) =>
      organization.collaborator.ok(methods.mappings.sendTest, mapped.params, { body: { event_mapping, ...given } }),
  }
}

describe('a test event', () => {
  test('a test event is sent like a delivery, and its request and response are shown without secrets', async () => {
    const { send, store, requests, destination } = await start({ status: 200, body: `taken, ${secretOfMapped}` })
    await store([order], { message_id: 'kept' })
    const [whole] = mappingsOf({ id: 'aaaa', destination: 'send', field_mappings: [] })
    if (whole === undefined) throw new Error('none')
    const sent = await send(whole)
    expect(sent).toMatchObject({ outcome: 'delivered', reason: '', http_status: 200, fits: true })
    expect(sent.latency_ms).toBeGreaterThanOrEqual(0)
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ method: 'POST', headers: { authorization: `Bearer ${secretOfMapped}` } })
    expect(requests[0]?.body).toBe(sent.payload)
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ messageId: 'kept', properties: { total: 5 } })
    expect(sent.request).toContain('"messageId":"kept"')
    expect(sent.request).toContain('authorization: [redacted]')
    expect(sent.response).toContain('HTTP 200')
    expect(sent.response).toContain('taken, [redacted]')
    expect(JSON.stringify(sent)).not.toContain(secretOfMapped)
    expect((await harness.audits()).at(-1)).toMatchObject({
      action: 'mappings.sendTest',
      resource: destination.name,
      detail: { action: 'send', event: sent.event?.name, sent: true },
    })
    const logged = await harness.eventStore.query('select event_id from deliveries')
    expect(logged).toEqual([])
  })

  test('a test request contains the result of the mapping', async () => {
    const { send, requests } = await start()
    const sent = await send(mapping, { payload: JSON.stringify(order) })
    expect(sent).toMatchObject({ outcome: 'delivered', event: { name: '' } })
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      user: { em: createHash('sha256').update('ada@shop.example').digest('hex') },
      value: 5,
    })
  })

  test.each<[PeerAnswer, object]>([
    [
      { status: 503, body: 'busy' },
      { outcome: 'retry', reason: 'HTTP 503', http_status: 503 },
    ],
    [
      { status: 422, body: 'no such field' },
      { outcome: 'rejected', reason: 'HTTP 422', http_status: 422 },
    ],
    ['reset', { outcome: 'retry', http_status: 0, reason: expect.stringMatching(/closed the connection|reset/i) }],
  ])('a test event that gets the response %j shows it', async (answer, wanted) => {
    const { send } = await start(answer)
    const sent = await send(mapping, { payload: JSON.stringify(order) })
    expect(sent).toMatchObject(wanted)
    expect(sent.request).toContain('POST http://127.0.0.1')
    if (typeof answer === 'object') expect(sent.response).toContain(answer.body)
  })

  test('a test event is not sent if the mapping skips it', async () => {
    const { send, requests } = await start()
    const none = { outcome: 'none', http_status: 0, request: '', response: '' }
    expect(await send(mapping, { payload: '{"event":"Other"}' })).toMatchObject({
      ...none,
      fits: false,
      reason: 'This mapping does not match the event',
    })
    expect(await send(mapping, { payload: JSON.stringify({ ...order, properties: {} }) })).toMatchObject({
      ...none,
      fits: true,
      reason: '"Value" (value) is required, but properties.total is empty',
    })
    expect(requests).toEqual([])
  })

  test('a test event is not sent without the secrets of its destination', async () => {
    const { path, destinationId, requests } = await start()
    const secrets_encrypted = createSecretBox(Buffer.alloc(32, 9)).seal('{}', 'x')
    await harness.db.updateTable('destinations').set({ secrets_encrypted }).where('id', '=', destinationId).execute()
    const body = { event_mapping: mapping, payload: JSON.stringify(order) }
    expect(await organization.administrator.call('POST', path(':sendTest'), body)).toMatchObject({
      status: 409,
      body: { reason: 'SECRETS_UNREADABLE' },
    })
    expect(requests).toEqual([])
  })
})
