import { type Peer, startPeer } from '@tributary/connector-kit/testing'
import { ownDescription } from '@tributary/connector-kit/testing-own-connector'
import { methods } from '@tributary/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { ownText, publishOwn } from '../testing/own-connectors.ts'

let harness: Harness
let organization: Organization
let peer: Peer
let workspace: string

beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
  workspace = organization.workspaceId
  peer = await startPeer((request) => ({
    status: 200,
    headers: { 'x-answer': 'yes' },
    body: JSON.stringify({ echo: request.headers['x-api-key'] ?? '' }),
  }))
})
afterAll(async () => {
  await peer.close()
  await harness[Symbol.asyncDispose]()
})
beforeEach(() => {
  peer.requests.length = 0
})

const origin = (): string => peer.url.replace(/\/$/, '')
const editor = () => organization.collaborator
const settings = () => ({ url: origin(), api_key: 'very-secret-key' })

const destinationOf = async (own_connector: string) => {
  const { app } = await editor().ok(methods.ownConnectors.get, { workspace, own_connector })
  const body = { title: 'My service', app: { name: app }, settings: settings() }
  return idIn((await editor().ok(methods.destinations.create, { workspace }, { body })).name)
}

const sending = async (own_connector: string, body: object) =>
  await editor().call('POST', `/workspaces/${workspace}/ownConnectors/${own_connector}:try`, body)

const trackPayload = JSON.stringify({ type: 'track', event: 'Signed Up', userId: 'u1' })

test('a trial shows the exact request and the answer of an event, without the secret', async () => {
  const own_connector = await publishOwn(workspace, editor())
  const { status, body } = await sending(own_connector, { settings: settings(), payload: trackPayload })
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      outcome: 'delivered',
      preset: 'presets.0',
      action: 'track',
      payload: '{"name":"Signed Up","user":"u1"}',
      calls: [
        {
          request: { method: 'POST', url: `${origin()}/events`, body: '{"name":"Signed Up","user":"u1"}' },
          response: { status: 200, body: '{"echo":"[redacted]"}', is_cut: false },
        },
      ],
    },
  })
  expect(peer.requests.map(({ url, headers }) => [url, headers['x-api-key']])).toEqual([['/events', 'very-secret-key']])
  expect(JSON.stringify(body)).not.toContain('very-secret-key')
  const connection = await sending(own_connector, { settings: settings(), kind: 'connection' })
  expect(connection.body).toMatchObject({ outcome: 'delivered', reason: 'The key works.' })
})

test('a trial sends nothing without the settings, for a broken description, or to a blocked address', async () => {
  const own_connector = await publishOwn(workspace, editor())
  expect(await sending(own_connector, { payload: trackPayload })).toMatchObject({
    status: 400,
    body: { metadata: { 'settings.url': 'Required', 'settings.api_key': 'Required' } },
  })
  expect((await sending(own_connector, { description: '{}', payload: trackPayload })).body).toMatchObject({
    outcome: 'none',
    problems: expect.arrayContaining([expect.objectContaining({ path: 'title' })]),
  })
  const inner = { ...settings(), url: 'http://169.254.169.254/latest' }
  expect((await sending(own_connector, { settings: inner, payload: trackPayload })).body).toMatchObject({
    outcome: expect.stringMatching(/held|rejected/),
    calls: [{ response: null }],
  })
  expect(peer.requests).toEqual([])
})

test('a draft that is tried with a destination gets its secrets only for their own hosts', async () => {
  const thief = await startPeer()
  try {
    const own_connector = await publishOwn(workspace, editor())
    const destination = `workspaces/${workspace}/destinations/${await destinationOf(own_connector)}`
    const given = { destination, payload: trackPayload }
    expect((await sending(own_connector, given)).body).toMatchObject({ outcome: 'delivered' })
    const elsewhere = { status: 400, body: { metadata: { 'settings.api_key': expect.stringMatching(/another host/) } } }
    const moved = { ...given, settings: { url: thief.url } }
    expect(await sending(own_connector, moved)).toMatchObject(elsewhere)
    const { url: _, ...others } = ownDescription().settings
    const second = {
      settings: { ...others, url: ownDescription().settings.url, other: { ...ownDescription().settings.url } },
      servers: { api: { setting: 'other' } },
    }
    const description = ownText(second)
    expect(await sending(own_connector, { ...given, description, settings: { other: thief.url } })).toMatchObject(
      elsewhere,
    )
    expect(thief.requests).toEqual([])
    const entered = { ...moved, settings: { url: thief.url, api_key: 'another-key' } }
    expect((await sending(own_connector, entered)).body).toMatchObject({ outcome: 'delivered' })
    expect(thief.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['another-key'])
  } finally {
    await thief.close()
  }
})

test('a destination of another connector cannot lend its settings to a trial', async () => {
  const first = await publishOwn(workspace, editor())
  const second = await publishOwn(workspace, editor())
  const destination = `workspaces/${workspace}/destinations/${await destinationOf(first)}`
  expect(await sending(second, { destination, payload: trackPayload })).toMatchObject({
    status: 400,
    body: { metadata: { destination: 'This destination does not use this connector' } },
  })
})

/** The text of a description to whose contacts syncs write rows. */
const textWithRows = (): string => {
  const { actions, objects, requests } = ownDescription()
  return ownText({
    requests: { ...requests, remove: { method: 'DELETE', server: 'api', path: '/contacts/{{ user }}' } },
    actions: { ...actions, remove: { ...actions.track, request: 'remove', item: undefined } },
    objects: [
      {
        ...objects[0],
        actions: ['track', 'remove'],
        rows: { upsert: 'track', delete: 'remove', identifiers: ['user'] },
      },
    ],
  })
}

test('a row that is tried is sent as a sync sends it, and a row that is none is refused with its place', async () => {
  const own_connector = await publishOwn(workspace, editor(), textWithRows())
  const trying = (row: object | undefined) => sending(own_connector, { kind: 'row', settings: settings(), row })
  const row = { object: 'events', operation: 'upsert', identifier: 'user', values: '{"user":"ada","name":"Ada"}' }
  expect((await trying(row)).body).toMatchObject({
    outcome: 'delivered',
    event: '',
    action: 'track',
    payload: row.values,
    calls: [{ request: { method: 'POST', url: `${origin()}/events`, body: '{"name":"Ada","user":"ada"}' } }],
  })
  expect((await trying({ ...row, operation: 'delete', values: '{"user":"ada"}' })).body).toMatchObject({
    outcome: 'delivered',
    action: 'remove',
    calls: [{ request: { method: 'DELETE', url: `${origin()}/contacts/ada` } }],
  })
  expect((await trying({ ...row, operation: 'insert' })).body).toMatchObject({
    outcome: 'rejected',
    reason: 'Events take no insert of a row',
    action: '',
    calls: [],
  })
  peer.requests.length = 0
  for (const [given, metadata] of [
    [undefined, { row: 'Required' }],
    [{ ...row, object: 'none' }, { row: 'There is no object none with rows' }],
    [{ ...row, values: '[1]' }, { 'row.values': 'Must be a JSON object' }],
    [{ ...row, values: '{"name":"Ada"}' }, { row: 'A row needs a value of user' }],
    [{ ...row, operation: 'replace' }, { 'row.operation': expect.any(String) }],
  ] as const)
    expect(await trying(given)).toMatchObject({ status: 400, body: { metadata } })
  expect(peer.requests).toEqual([])
})
