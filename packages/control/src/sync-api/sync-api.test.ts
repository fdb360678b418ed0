import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSyncTokenCache } from '@tributary/configuration'
import { maxSyncTokens, methods } from '@tributary/contract'
import { newId, noMetrics, silentLogger } from '@tributary/kernel'
import { openRelational } from '@tributary/storage'
import { eventually } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSyncApi } from '../index.ts'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'
import { makeSync } from '../testing/requests.ts'
import { syncApiRates } from './sync-api.ts'

let harness: Harness
let organization: Organization
let other: Organization
let origin: string
let tokens: ReturnType<typeof createSyncTokenCache>
let queries = 0
let now = Date.parse('2026-01-01T00:00:00Z')
const stack = new AsyncDisposableStack()

beforeAll(async () => {
  harness = stack.use(await startControl())
  organization = await startOrganization(harness)
  other = await startOrganization(harness)
  const relational = stack.use(openRelational({ url: harness.database.url, logger: silentLogger, maxConnections: 4 }))
  tokens = createSyncTokenCache({ db: relational.db, pool: relational.pool, logger: silentLogger, pollMs: 3_600_000 })
  await tokens.start()
  stack.defer(() => tokens.stop())
  const db = relational.db.withPlugin({
    transformQuery: ({ node }) => {
      queries += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const { eventStore, jobs } = harness
  const api = createSyncApi({
    db,
    jobs,
    eventStore,
    tokens,
    clock: () => now,
    logger: silentLogger,
    metrics: noMetrics,
  })
  const server = createServer(api.handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack.defer(() => void server.close())
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => stack.disposeAsync())

const makeToken = async ({ administrator, workspaceId }: Organization = organization) => {
  const made = await administrator.ok(
    methods.syncTokens.create,
    { workspace: workspaceId },
    { body: { title: 'Airflow' } },
  )
  await tokens.refresh()
  return made
}

const makeTrialSync = async (of = organization): Promise<string> => {
  const { destination } = await makeResources(of.workspaceId, of.administrator)
  return await makeSync(harness, of, destination.name)
}

const ask = async (method: string, path: string, token = '', headers: Record<string, string> = {}) => {
  // A second passes, so that requests of other tests do not count.
  now += 1000
  const authorization = token === '' ? undefined : { authorization: `Bearer ${token}` }
  const response = await fetch(`${origin}/syncs/v1/${path}`, { method, headers: { ...authorization, ...headers } })
  const body = (await response.json()) as Record<string, unknown>
  return { status: response.status, body, id: String(body.id) }
}

/** Ends a run as if it had sent everything. */
const end = (run: string) =>
  harness.db
    .updateTable('sync_runs')
    .set({ state: 'succeeded', finish_time: new Date(now) })
    .where('id', '=', run)
    .execute()

const triggers = async (sync: string, { administrator, workspaceId }: Organization = organization) =>
  (await administrator.ok(methods.syncRuns.list, { workspace: workspaceId, sync })).runs.map(({ trigger }) => trigger)

test('a started run blocks a second one, whose refusal names the first, and can be read until it ends', async () => {
  const sync = await makeTrialSync()
  const { token, name } = await makeToken()
  const started = await ask('POST', `${sync}/runs`, token)
  expect(started).toMatchObject({ status: 201, body: { state: 'queued', trigger: 'api', ended: false } })
  const { id } = started
  expect(await ask('POST', `${sync}/runs`, token)).toMatchObject({
    status: 409,
    body: { reason: 'SYNC_RUNNING', metadata: { run: id } },
  })
  expect(await ask('GET', `${sync}/runs/${id}`, token)).toMatchObject({
    status: 200,
    body: { id, ended: false, counts: null },
  })
  await end(id)
  expect((await ask('GET', `${sync}/runs/${id}`, token)).body).toMatchObject({ ended: true, state: 'succeeded' })
  expect((await ask('POST', `${sync}/runs?resync=true`, token)).body).toMatchObject({ resync: true })
  expect(await triggers(sync)).toEqual(['api', 'api'])
  const audited = await harness.db
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', 'syncs.run')
    .orderBy('create_time')
    .execute()
  expect(audited).toMatchObject([
    { actor_id: null, workspace_id: organization.workspaceId, detail: { resync: false, token: name } },
    { actor_id: null, detail: { resync: true } },
  ])
})

test('a request that is repeated with its key starts one run, also concurrently', async () => {
  const sync = await makeTrialSync()
  const { token } = await makeToken()
  const send = (key: string) => ask('POST', `${sync}/runs`, token, { 'idempotency-key': key })
  const [first, second] = await Promise.all([send('dag/1'), send('dag/1')])
  expect([first.status, second.status].toSorted()).toEqual([200, 201])
  expect(second.id).toBe(first.id)
  await end(first.id)
  expect(await send('dag/1')).toMatchObject({ status: 200, body: { id: first.id, ended: true } })
  expect(await send('dag/2')).toMatchObject({ status: 201 })
  expect(await triggers(sync)).toEqual(['api', 'api'])
  for (const key of ['', 'a b', 'x'.repeat(201)])
    expect(await ask('POST', `${sync}/runs`, token, { 'idempotency-key': key }), key).toMatchObject({ status: 400 })
  // The same key for another sync is independent.
  const next = await makeTrialSync(other)
  const theirs = await makeToken(other)
  const headers = { 'idempotency-key': 'dag/2' }
  expect(await ask('POST', `${next}/runs`, theirs.token, headers)).toMatchObject({ status: 201 })
})

test('a token of another workspace finds neither the sync nor its run, and starts nothing', async () => {
  const sync = await makeTrialSync()
  const mine = await makeToken()
  const { token } = await makeToken(other)
  const { id } = await ask('POST', `${sync}/runs`, mine.token)
  expect((await ask('GET', `${sync}/runs/${id}`, token)).status).toBe(404)
  await end(id)
  expect((await ask('POST', `${sync}/runs`, token)).status).toBe(404)
  expect(await triggers(sync)).toEqual(['api'])
  for (const path of [`${newId()}/runs`, 'x/runs', `${sync}/runs/${newId()}`, `${sync}/runs/x`, `${sync}`, ''])
    expect((await ask(path.includes('/runs/') ? 'GET' : 'POST', path, mine.token)).status, path).toBe(404)
  for (const [method, path] of [
    ['GET', `${sync}/runs`],
    ['DELETE', `${sync}/runs/${id}`],
  ] as const)
    expect((await ask(method, path, mine.token)).status).toBe(405)
})

test("without a valid token, no query is sent: a missing, wrong, or revoked token, or a person's token", async () => {
  const sync = await makeTrialSync()
  const revoked = await makeToken()
  await organization.administrator.call('DELETE', `/${revoked.name}`)
  await tokens.refresh()
  queries = 0
  for (const token of [
    '',
    'x',
    `sync_${'a'.repeat(32)}`,
    organization.administrator.token,
    revoked.token,
    'y'.repeat(10_000),
  ])
    for (const [method, path] of [
      ['POST', `${sync}/runs`],
      ['GET', `${sync}/runs/${newId()}`],
    ] as const)
      expect(await ask(method, path, token), token).toMatchObject({ status: 401, body: { reason: 'INVALID_TOKEN' } })
  expect(queries).toBe(0)
  expect(await triggers(sync)).toEqual([])
})

test('a token is shown once at its creation; the list, the database, and the audit log do not contain it', async () => {
  const { administrator, workspaceId } = organization
  const { token, ...made } = await makeToken()
  expect(token).toMatch(/^sync_[\w-]{32}$/)
  expect(made).toMatchObject({ hint: token.slice(-4), last_used_time: null })
  const list = async () => (await administrator.ok(methods.syncTokens.list, { workspace: workspaceId })).sync_tokens
  expect((await list())[0]).toEqual(made)
  const stored = await harness.db.selectFrom('sync_tokens').selectAll().execute()
  const audited = await harness.db.selectFrom('audit_log').selectAll().execute()
  expect(JSON.stringify([stored, audited])).not.toContain(token.slice(5))
  await ask('GET', `${newId()}/runs/${newId()}`, token)
  await eventually('its use is noted', async () => (await list())[0]?.last_used_time === new Date(now).toISOString())
  expect((await organization.administrator.call('DELETE', `/${made.name}`)).status).toBe(200)
  expect((await organization.administrator.call('DELETE', `/${made.name}`)).status).toBe(404)
  const elsewhere = `/workspaces/${other.workspaceId}/syncTokens/${idIn((await makeToken()).name)}`
  expect((await other.administrator.call('DELETE', elsewhere)).status).toBe(404)
})

test(`a workspace can have at most ${maxSyncTokens} tokens without the revoked ones`, async () => {
  const full = await startOrganization(harness)
  const made = []
  for (let n = 0; n < maxSyncTokens; n++) made.push(await makeToken(full))
  const path = `/workspaces/${full.workspaceId}/syncTokens`
  expect((await full.administrator.call('POST', path, { title: 'More' })).status).toBe(400)
  await full.administrator.call('DELETE', `/${made[0]?.name}`)
  await makeToken(full)
})

test(`a token has ${syncApiRates.token} requests a second, and further requests get the time to retry`, async () => {
  const { token } = await makeToken()
  now += 1000
  const headers = { authorization: `Bearer ${token}` }
  const statuses = await Promise.all(
    Array.from({ length: syncApiRates.token + 5 }, async () => {
      const response = await fetch(`${origin}/syncs/v1/${newId()}/runs/${newId()}`, { headers })
      await response.text()
      return [response.status, response.headers.get('retry-after')].join(' ').trim()
    }),
  )
  expect(statuses.filter((each) => each === '404')).toHaveLength(syncApiRates.token)
  expect(statuses.filter((each) => each === '429 1')).toHaveLength(5)
})
