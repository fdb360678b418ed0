import type { DestinationDefinition } from '@tributary/connector-kit'
import { type Peer, type PeerAnswer, startPeer } from '@tributary/connector-kit/testing'
import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Harness, listed, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { mappedCatalog, mappedDestination, secretOfMapped, startMapped } from '../testing/mapped-destination.ts'

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

const ask = async (answer: PeerAnswer) => {
  peer = await startPeer(() => answer)
  const mapped = await startMapped(harness, organization, peer.url)
  return {
    ...mapped,
    answer: await organization.collaborator.ok(methods.destinations.testConnection, mapped.params, { body: {} }),
  }
}

test("a connection test uses the destination's settings without an event, and is recorded", async () => {
  const { answer, destination } = await ask({ status: 200, body: `welcome ${secretOfMapped}` })
  expect(answer).toEqual({ ok: true, message: 'HTTP 200: welcome [redacted]', latency_ms: expect.any(Number) })
  expect(peer?.requests).toMatchObject([
    { method: 'GET', body: '', headers: { authorization: `Bearer ${secretOfMapped}` } },
  ])
  expect((await harness.audits()).at(-1)).toMatchObject({
    action: 'destinations.testConnection',
    resource: destination.name,
    actor_id: organization.collaborator.userId,
  })
})

test('a connection test that the destination refuses returns a successful response', async () => {
  expect((await ask({ status: 401, body: 'no' })).answer).toMatchObject({ ok: false, message: 'HTTP 401: no' })
})

test('a connection test reports network failures in words', async () => {
  expect((await ask('reset')).answer).toMatchObject({
    ok: false,
    message: expect.stringContaining('Could not connect'),
  })
})

test('an error of the connector reveals no internals, and a connection test that never ends is aborted', async () => {
  const failing = (testConnection: DestinationDefinition['testConnection']) =>
    startControl({ catalog: { ...mappedCatalog, destinations: listed({ ...mappedDestination, testConnection }) } })
  await using faulty = await failing(() => Promise.reject(new TypeError('undefined is not a function')))
  const its = await startOrganization(faulty)
  const { params } = await startMapped(faulty, its)
  expect(await its.administrator.ok(methods.destinations.testConnection, params, { body: {} })).toMatchObject({
    ok: false,
    message: 'The test failed. Try again in a moment',
  })
  await using silent = await failing(() => new Promise(() => undefined))
  const own = await startOrganization(silent)
  const waiting = await startMapped(silent, own)
  expect(await own.administrator.ok(methods.destinations.testConnection, waiting.params, { body: {} })).toMatchObject({
    ok: false,
    message: 'No response within 10 seconds',
  })
})

test('a workspace can test connections and send test events at most 60 times in 15 minutes', async () => {
  const { path } = await startMapped(harness, organization)
  const trial = { event_mapping: { id: 'aaaa', destination: 'purchase', field_mappings: [] }, payload: '{}' }
  const { collaborator } = organization
  const before = (await harness.audits()).length
  const replies = await Promise.all(
    Array.from({ length: 61 }, () => collaborator.call('POST', path(':sendTest'), trial)),
  )
  expect(replies.filter(({ status }) => status === 429)).toMatchObject([
    { body: { reason: 'RATE_LIMITED', message: 'Too many test events. Try again in 15 minutes' } },
  ])
  expect((await harness.audits()).length - before).toBe(60)
})

test('only permitted users can test a connection, and only of existing destinations', async () => {
  const { destination } = await startMapped(harness, organization)
  const path = `/${destination.name}:testConnection`
  const { administrator, guest, outsider, otherWorkspaceId, workspaceId } = organization
  expect(await harness.call('', 'POST', path, {})).toMatchObject({ status: 401 })
  expect(await guest.call('POST', path, {})).toMatchObject({ status: 403 })
  expect(await outsider.call('POST', path, {})).toMatchObject({ status: 404 })
  expect(await outsider.call('POST', path.replace(workspaceId, otherWorkspaceId), {})).toMatchObject({ status: 404 })
  const gone = `/workspaces/${workspaceId}/destinations/${newId()}:testConnection`
  expect(await administrator.call('POST', gone, {})).toMatchObject({ status: 404 })
  expect(await administrator.call('POST', path, [])).toMatchObject({ status: 400 })
})
