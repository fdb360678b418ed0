import { createHmac } from 'node:crypto'
import { type PeerAnswer, startPeer } from '@tributary/connector-kit/testing'
import { maxAlertChannels, methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { queueAlerts } from '../../../syncs/src/alert-channels/queue.ts'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  publicUrl,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'
import { makeSync } from '../testing/requests.ts'

const stack = new AsyncDisposableStack()
let harness: Harness
let organization: Organization
let other: Organization
let peer: Awaited<ReturnType<typeof startPeer>>
let answers: PeerAnswer = { status: 200 }

beforeAll(async () => {
  harness = stack.use(await startControl())
  organization = await startOrganization(harness)
  other = await startOrganization(harness)
  peer = await startPeer(() => answers)
  stack.defer(() => peer.close())
})
afterAll(() => stack.disposeAsync())
afterEach(async () => {
  answers = { status: 200 }
  peer.requests.length = 0
  await harness.db.deleteFrom('alert_channels').execute()
})

const create = (given: object = {}, { administrator, workspaceId: workspace } = organization) =>
  administrator.ok(
    methods.alertChannels.create,
    { workspace },
    { body: { title: 'On call', kind: 'webhook', url: `${peer.url}s3cret-path`, syncs: null, ...given } },
  )
const paramsOf = (name: string) => ({ workspace: name.split('/')[1] ?? '', alert_channel: idIn(name) })
const list = async ({ administrator, workspaceId: workspace } = organization) =>
  (await administrator.ok(methods.alertChannels.list, { workspace })).alert_channels
const newSync = async (of = organization) => {
  const { destination } = await makeResources(of.workspaceId, of.administrator)
  return await makeSync(harness, of, destination.name)
}

/** Queues an alert of a sync. Resolves to the IDs of the messages to send. */
const queueAlert = async (syncId: string, { workspaceId } = organization): Promise<string[]> => {
  await harness.db.transaction().execute((tx) =>
    queueAlerts(
      tx,
      { jobs: harness.jobs, clock: harness.now },
      { workspaceId, syncId },
      {
        type: 'sync.alert',
        sync: `workspaces/${workspaceId}/syncs/${syncId}`,
        run: '',
        title: 'People <!channel> needs attention',
        text: 'The run failed: a < b & <https://evil.example|c>.',
        url: `${publicUrl}/x`,
      },
    ),
  )
  const rows = await harness.db.selectFrom('alert_messages').select('id').orderBy('create_time').execute()
  return rows.map(({ id }) => id)
}
const send = (message: string) =>
  harness.sendAlert({ message }, { signal: new AbortController().signal }).then(
    () => 'sent',
    (error: Error) => `${error.name}: ${error.message}`,
  )

test('the URL and the signing secret of a channel are encrypted, and are in no list, no audit record, and no queued message', async () => {
  const { signing_secret, ...made } = await create()
  expect(made).toMatchObject({ title: 'On call', kind: 'webhook', host: new URL(peer.url).host, syncs: null })
  expect(await list()).toEqual([made])
  await queueAlert(await newSync())
  for (const table of ['alert_channels', 'alert_messages', 'audit_log']) {
    const { rows } = await sql<{ text: string }>`select to_json(t)::text as text from ${sql.table(table)} t`.execute(
      harness.db,
    )
    const text = rows.map((row) => row.text).join('\n')
    expect(text).not.toBe('')
    expect(text).not.toContain('s3cret-path')
    expect(text).not.toContain(signing_secret)
    expect(text).not.toContain(Buffer.from('s3cret-path').toString('hex'))
  }
})

test('a webhook gets signed JSON with an id that stays the same, and an accepted message is not sent again', async () => {
  const { signing_secret } = await create()
  const sync = await newSync()
  const [message = ''] = await queueAlert(sync)
  answers = { status: 503 }
  expect(await send(message)).toBe('Error: HTTP 503')
  expect(await list()).toMatchObject([{ failure: 'HTTP 503', failure_time: expect.any(String), last_sent_time: null }])
  answers = { status: 204 }
  expect(await send(message)).toBe('sent')
  expect(await send(message)).toBe('sent')
  expect(await list()).toMatchObject([{ failure: '', failure_time: null, last_sent_time: expect.any(String) }])
  expect(peer.requests).toHaveLength(2)
  expect(new Set(peer.requests.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set([message]))
  for (const { headers, body } of peer.requests) {
    const { t = '', v1 } = Object.fromEntries(
      String(headers['x-tributary-signature'])
        .split(',')
        .map((part) => part.split('=')),
    )
    expect(v1).toBe(createHmac('sha256', signing_secret).update(`${t}.${body}`).digest('hex'))
    expect(JSON.parse(body)).toMatchObject({
      id: message,
      type: 'sync.alert',
      sync: `workspaces/${organization.workspaceId}/syncs/${sync}`,
      title: 'People <!channel> needs attention',
    })
  }
})

test('Slack gets one text, in which nothing of a title or a failure is a link or a mention', async () => {
  await create({ kind: 'slack' })
  const [message = ''] = await queueAlert(await newSync())
  expect(await send(message)).toBe('sent')
  const [request] = peer.requests
  expect(request?.headers['x-tributary-signature']).toBeUndefined()
  expect(JSON.parse(request?.body ?? '').text).toBe(
    `*People &lt;!channel&gt; needs attention*\nThe run failed: a &lt; b &amp; &lt;https://evil.example¦c&gt;.\n<${publicUrl}/x|Open in Tributary>`,
  )
})

test.each([
  ['refuses', { status: 404, body: 'no_service' }, 'JobGivenUp: HTTP 404: no_service'],
  ['quotes what it was sent', { status: 400, body: '{"got":"People"}' }, 'JobGivenUp: HTTP 400'],
  ['redirects', { status: 302, headers: { location: 'http://127.0.0.1/' } }, 'JobGivenUp: HTTP 302'],
  ['breaks off', 'reset', 'Error: '],
] as const)('if the server %s the message, the channel shows what happened to it', async (_, answer, outcome) => {
  await create()
  answers = answer
  const [message = ''] = await queueAlert(await newSync())
  const failureText = await send(message)
  expect(failureText).toContain(outcome)
  expect((await list())[0]?.failure).toBe(failureText.slice(failureText.indexOf(': ') + 2))
  const left = await harness.db.selectFrom('alert_messages').select('id').execute()
  expect(left).toHaveLength(outcome.startsWith('JobGivenUp') ? 0 : 1)
})

test('an ordinary web page is refused as a Slack webhook, and so is an address that may not be reached', async () => {
  answers = { status: 200, body: '<!doctype html><p>Sign in</p>' }
  await create({ kind: 'slack' })
  const [page = ''] = await queueAlert(await newSync())
  expect(await send(page)).toContain('JobGivenUp: The URL returned a web page')
  await harness.db.deleteFrom('alert_channels').execute()
  await create({ url: 'http://192.168.77.1/hook' })
  const [guarded = ''] = await queueAlert(await newSync())
  expect(await send(guarded)).toMatch(/^JobGivenUp: /)
  expect(peer.requests).toHaveLength(1)
})

test('a channel receives alerts of the syncs chosen for it, and alerts of later syncs only if it is for all syncs', async () => {
  const first = await newSync()
  const second = newId()
  const row = await harness.db.selectFrom('syncs').selectAll().where('id', '=', first).executeTakeFirstOrThrow()
  await harness.db
    .insertInto('syncs')
    .values({ ...row, id: second })
    .execute()
  const nameOf = (sync: string) => `workspaces/${organization.workspaceId}/syncs/${sync}`
  const { signing_secret: _, ...made } = await create({ syncs: [nameOf(first), nameOf(first)] })
  expect(made.syncs).toEqual([nameOf(first)])
  expect(await queueAlert(second)).toEqual([])
  expect(await queueAlert(first)).toHaveLength(1)
  const { administrator } = organization
  const update = (body: object) => administrator.ok(methods.alertChannels.update, paramsOf(made.name), { body })
  expect(await update({ syncs: null, title: 'All' })).toMatchObject({ syncs: null, title: 'All' })
  expect(await queueAlert(second)).toHaveLength(2)
  await update({ syncs: [nameOf(first), nameOf(second)] })
  await administrator.ok(methods.syncs.delete, { workspace: organization.workspaceId, sync: first })
  expect(await list()).toMatchObject([{ syncs: [nameOf(second)] }])
})

test('a test sends one message immediately, reports its outcome, and is refused beyond its limit', async () => {
  const made = await create()
  const { administrator } = organization
  const test = () => administrator.ok(methods.alertChannels.test, paramsOf(made.name), { body: {} })
  expect(await test()).toMatchObject({ ok: true, message: 'The test message was accepted' })
  expect(JSON.parse(peer.requests[0]?.body ?? '')).toMatchObject({ type: 'test' })
  answers = { status: 410, body: 'gone' }
  expect(await test()).toMatchObject({ ok: false, message: 'HTTP 410: gone' })
  expect(await list()).toMatchObject([{ failure: 'HTTP 410: gone' }])
  let status = 200
  for (let tries = 0; tries < 40 && status === 200; tries++)
    status = (await administrator.call('POST', `/${made.name}:test`, {})).status
  expect(status).toBe(429)
})

test('a channel of another workspace is not found, and gets no alerts about the syncs of this workspace', async () => {
  const made = await create()
  const elsewhere = `/workspaces/${other.workspaceId}/alertChannels/${idIn(made.name)}`
  for (const [verb, path, body] of [
    ['PATCH', elsewhere, { title: 'Mine' }],
    ['DELETE', elsewhere, undefined],
    ['POST', `${elsewhere}:test`, {}],
  ] as const)
    expect((await other.administrator.call(verb, path, body)).status).toBe(404)
  const foreign = `workspaces/${other.workspaceId}/syncs/${await newSync(other)}`
  const [, , , id] = foreign.split('/')
  for (const name of [foreign, `workspaces/${organization.workspaceId}/syncs/${id}`])
    expect((await organization.administrator.call('PATCH', `/${made.name}`, { syncs: [name] })).status).toBe(404)
  expect(await queueAlert(id ?? '', other)).toEqual([])
  expect(peer.requests).toEqual([])
})

test.each(['ftp://example.com/x', 'example.com/hook', 'https://', 'https://a:b@example.com/', 'javascript:alert(1)'])(
  '%s is refused as the address of a channel',
  async (url) => {
    const { administrator, workspaceId } = organization
    const body = { title: 'On call', kind: 'webhook', url }
    const reply = await administrator.call('POST', `/workspaces/${workspaceId}/alertChannels`, body)
    expect(reply).toMatchObject({ status: 400, body: { metadata: { url: expect.any(String) } } })
  },
)

test(`a workspace can have at most ${maxAlertChannels} channels`, async () => {
  for (let n = 0; n < maxAlertChannels; n++) await create()
  const { administrator, workspaceId } = organization
  const body = { title: 'More', kind: 'webhook', url: peer.url }
  expect((await administrator.call('POST', `/workspaces/${workspaceId}/alertChannels`, body)).status).toBe(400)
})
