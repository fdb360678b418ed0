import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProfileKeyCache } from '@tributary/configuration'
import { methods, type ProfileKeyKind } from '@tributary/contract'
import { newId, noMetrics, silentLogger } from '@tributary/kernel'
import { createLearning } from '@tributary/profiles'
import { openRelational } from '@tributary/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProfileApi } from '../index.ts'
import { type Harness, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { profileApiRates } from './profile-api.ts'

let harness: Harness
let organization: Organization
let origin: string
let keys: ReturnType<typeof createProfileKeyCache>
let queries = 0
let now = 0
const stack = new AsyncDisposableStack()

beforeAll(async () => {
  harness = stack.use(await startControl())
  organization = await startOrganization(harness)
  const relational = stack.use(openRelational({ url: harness.database.url, logger: silentLogger, maxConnections: 4 }))
  keys = createProfileKeyCache({ db: relational.db, pool: relational.pool, logger: silentLogger, pollMs: 3_600_000 })
  await keys.start()
  stack.defer(() => keys.stop())
  const counted = new Proxy(relational.pool, {
    get(pool, name) {
      if (name === 'query') queries += 1
      const value: unknown = Reflect.get(pool, name, pool)
      return typeof value === 'function' ? value.bind(pool) : value
    },
  })
  const api = createProfileApi({ pool: counted, keys, clock: () => now, logger: silentLogger, metrics: noMetrics })
  const server = createServer(api.handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack.defer(() => void server.close())
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => stack.disposeAsync())

const makeKey = async (kind: ProfileKeyKind, traits: string[] = [], of = organization): Promise<string> => {
  const body = kind === 'secret' ? { kind, title: 'Key' } : { kind, title: 'Key', traits }
  const { key } = await of.administrator.ok(methods.profileKeys.create, { workspace: of.workspaceId }, { body })
  await keys.refresh()
  return key
}

let serial = 0
const identify = (event: { userId?: string; anonymousId?: string; traits?: string }, of = organization) => {
  const [eventId, time] = [`0-${++serial}-0`, '2026-01-01T00:00:00.000Z']
  const { traits = '{}', ...ids } = event
  const head = JSON.stringify({ eventId, type: 'identify', ...ids }).slice(0, -1)
  const json = `${head},"traits":${traits},"context":{},"receivedAt":"${time}","timestamp":"${time}"}`
  return createLearning({ db: harness.db, metrics: noMetrics })([
    { workspaceId: of.workspaceId, sourceId: newId(), eventId, json },
  ])
}

const ask = async (path: string, key = '', headers: Record<string, string> = {}) => {
  // A second passes, so that requests of other tests do not count.
  now += 1000
  const authorization = key === '' ? undefined : { authorization: `Basic ${btoa(`${key}:`)}` }
  const response = await fetch(`${origin}/profiles/v1/${path}`, { headers: { ...authorization, ...headers } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('a person is found by any identifier, traits keep all digits, and only the included traits are returned', async () => {
  const key = await makeKey('secret')
  await identify({
    userId: 'ada:1/ä',
    anonymousId: 'a1',
    traits: '{"n":12345678901234567890.10,"plan":"team","o":{"x":[1]}}',
  })
  const all = '{"traits":{"n":12345678901234567890.10,"o":{"x":[1]},"plan":"team"}}'
  expect(await ask(`user_id:${encodeURIComponent('ada:1/ä')}/traits`, key)).toMatchObject({ status: 200, text: all })
  expect(await ask('anonymous_id:a1/traits', '', { authorization: `Bearer ${key}` })).toMatchObject({ text: all })
  expect((await ask('anonymous_id:a1/traits?include=plan,none', key)).text).toBe('{"traits":{"plan":"team"}}')
  expect(JSON.parse((await ask('anonymous_id:a1/external_ids', key)).text)).toMatchObject({
    data: [
      { type: 'user_id', id: 'ada:1/ä', collection: 'users', encoding: 'none' },
      { type: 'anonymous_id', id: 'a1' },
    ],
  })
  await identify({ userId: 'nothing-known' })
  expect(await ask('user_id:nothing-known/traits', key)).toMatchObject({ status: 200, text: '{"traits":{}}' })
})

test('for a trait that two identifiers of a person have, the latest value is returned', async () => {
  const key = await makeKey('secret')
  await identify({ anonymousId: 'a-two', traits: '{"city":"Oslo","plan":"free"}' })
  await identify({ userId: 'two', traits: '{"plan":"team"}' })
  await identify({ userId: 'two', anonymousId: 'a-two' })
  const all = '{"traits":{"city":"Oslo","plan":"team"}}'
  for (const person of ['user_id:two', 'anonymous_id:a-two'])
    expect(await ask(`${person}/traits`, key), person).toMatchObject({ status: 200, text: all })
})

test('an unknown user gets 404, and so does a user of another workspace', async () => {
  const other = await startOrganization(harness)
  await identify({ userId: 'theirs' }, other)
  const key = await makeKey('secret')
  for (const path of [
    'user_id:theirs/traits',
    'user_id:nobody/traits',
    'user_id:nobody/external_ids',
    'shop:ada/traits',
  ])
    expect((await ask(path, key)).status, path).toBe(404)
  expect((await ask('user_id:theirs/traits', await makeKey('secret', [], other))).status).toBe(200)
})

test('a deleted user gets 404', async () => {
  const key = await makeKey('secret')
  await identify({ userId: 'gone', traits: '{"plan":"team"}' })
  expect((await ask('user_id:gone/traits', key)).status).toBe(200)
  const body = { kind: 'delete_and_suppress' as const, identifiers: [{ type: 'user_id', value: 'gone' }] }
  await organization.administrator.ok(methods.privacyRequests.create, { workspace: organization.workspaceId }, { body })
  expect((await ask('user_id:gone/traits', key)).status).toBe(404)
})

test('a suppressed user gets 404 by each identifier until the suppression is lifted', async () => {
  const { administrator, workspaceId: workspace } = organization
  const key = await makeKey('secret')
  await identify({ anonymousId: 'a-quiet', traits: '{}' })
  await identify({ userId: 'quiet', anonymousId: 'a-quiet', traits: '{"plan":"team"}' })
  const body = { kind: 'suppress' as const, identifiers: [{ type: 'user_id', value: 'quiet' }] }
  await administrator.ok(methods.privacyRequests.create, { workspace }, { body })
  const statuses = async () => {
    const paths = ['user_id:quiet/traits', 'anonymous_id:a-quiet/traits', 'anonymous_id:a-quiet/external_ids']
    return (await Promise.all(paths.map((path) => ask(path, key)))).map(({ status }) => status)
  }
  expect(await statuses()).toEqual([404, 404, 404])
  const { suppressions } = await administrator.ok(methods.suppressions.list, { workspace })
  for (const { name } of suppressions) await administrator.call('DELETE', `/${name}`)
  expect(await statuses()).toEqual([200, 200, 200])
})

test('without a valid key, no query is sent: a missing, wrong, or revoked key, or a write key', async () => {
  const revoked = await makeKey('secret')
  const [found] = (
    await organization.administrator.ok(methods.profileKeys.list, { workspace: organization.workspaceId })
  ).profile_keys
  await organization.administrator.call('DELETE', `/${found?.name}`)
  await keys.refresh()
  queries = 0
  for (const key of ['', 'x', `profile_secret_${'a'.repeat(32)}`, revoked, 'y'.repeat(10_000)])
    expect(await ask('user_id:ada/traits', key), key).toMatchObject({ status: 401 })
  expect(await ask(`user_id:ada/traits?key=${await makeKey('secret')}`)).toMatchObject({ status: 401 })
  expect(queries).toBe(0)
})

test('a secret key is refused from a browser, and pages of other origins cannot read the response', async () => {
  const key = await makeKey('secret')
  for (const [name, value] of [
    ['origin', 'https://shop.example'],
    ['sec-fetch-site', 'cross-site'],
  ] as const) {
    const { status, text, headers } = await ask('user_id:ada/traits', key, { [name]: value })
    expect({ status, reason: (JSON.parse(text) as { reason: string }).reason }).toEqual({
      status: 403,
      reason: 'SECRET_KEY_IN_BROWSER',
    })
    expect(headers.has('access-control-allow-origin')).toBe(false)
  }
  const preflight = await fetch(`${origin}/profiles/v1/user_id:ada/traits`, { method: 'OPTIONS' })
  expect([preflight.status, preflight.headers.has('access-control-allow-origin')]).toEqual([405, false])
})

test('a public key reads only the traits that the workspace chose, by anonymous ID, from any page', async () => {
  const key = await makeKey('public', ['plan', 'city'])
  await identify({ userId: 'eve', anonymousId: 'a-eve', traits: '{"plan":"team","email":"eve@example.com"}' })
  const page = { origin: 'https://shop.example' }
  const { text, headers } = await ask(`anonymous_id:a-eve/traits?key=${key}`, '', page)
  expect(text).toBe('{"traits":{"plan":"team"}}')
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect((await ask(`anonymous_id:a-eve/traits?key=${key}&include=email,plan`)).text).toBe(text)
  for (const path of ['anonymous_id:a-eve/external_ids', 'user_id:eve/traits'])
    expect((await ask(`${path}?key=${key}`, '', page)).status, path).toBe(403)
})

test(`a key has ${profileApiRates.key} requests a second, and further requests get the time to retry`, async () => {
  const key = await makeKey('secret')
  const headers = { authorization: `Bearer ${key}` }
  now += 1000
  const statuses = await Promise.all(
    Array.from({ length: profileApiRates.key + 20 }, async () => {
      const response = await fetch(`${origin}/profiles/v1/user_id:nobody/traits`, { headers })
      await response.text()
      return [response.status, response.headers.get('retry-after')].join(' ').trim()
    }),
  )
  const count = (status: string): number => statuses.filter((each) => each === status).length
  // This many concurrent requests exceed the limit of database queries.
  expect(count('404') + count('503 1')).toBe(profileApiRates.key)
  expect(count('429 1')).toBe(20)
  expect((await ask('user_id:nobody/traits', key)).status).toBe(404)
})

test.each(['user_id:%/traits', 'user_id:%00/traits'])('the address %s is refused with 400', async (path) => {
  expect((await ask(path, await makeKey('secret'))).status).toBe(400)
})
