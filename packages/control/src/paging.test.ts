import { methodList } from '@tributary/contract'
import { encodePageToken, pageScope } from '@tributary/http'
import { newId } from '@tributary/kernel'
import { type OpenIdProvider, startOpenIdProvider } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Harness, type Organization, startControl, startOrganization } from './testing/control-harness.ts'
import { createRequests, type RequestOf } from './testing/requests.ts'
import { loopbackUrl, openIdSettings } from './testing/sign-ins.ts'
import { signalsCatalog } from './testing/signals.ts'

let harness: Harness
let organization: Organization
let provider: OpenIdProvider
let requestOf: RequestOf
beforeAll(async () => {
  provider = await startOpenIdProvider()
  harness = await startControl({
    catalog: signalsCatalog,
    openId: openIdSettings(provider),
    publicUrl: () => loopbackUrl,
  })
  organization = await startOrganization(harness)
  requestOf = await createRequests(harness, organization, provider)
})
afterAll(async () => {
  await harness[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const id = newId()
const moment = '2026-01-01T00:00:00.000Z'
/** A valid value of each form that page tokens have. */
const sound: unknown[] = [
  [moment, id],
  [moment, 'a'.repeat(64)],
  ['a'.repeat(64), 1_767_225_600_000],
  [1_767_225_600_000, '0-1-0'],
  [1_767_225_600_000, '0-1-0', 1],
  5,
  [moment, id, { change: '1', change_time: moment, as_of: null }],
]

const times = [
  '0000-01-01T00:00:00.000Z',
  '0000-01-01T00:00:00Z',
  `2026-01-01T00:00:00.${'1'.repeat(200)}Z`,
  '2026-02-30T00:00:00.000Z',
  '+275760-09-13T00:00:00.000Z',
  '-000001-01-01T00:00:00.000Z',
  'infinity',
  'now',
  '',
]
const numbers = [-1, 9e15, 2 ** 31, 2 ** 53, -(2 ** 53), 1e300, 0.5, '1', null, true]
const texts = ['\0', '\ud800', 'é', `${'1'.repeat(201)}`, 7, null]
const forged: unknown[] = [
  ...times.map((time) => [time, id]),
  ...['', 'x', `${id}'`, null].map((text) => [moment, text]),
  ...numbers,
  ...[...numbers, 10_413_792_000_000].flatMap((ms) =>
    ms === 2 ** 31
      ? []
      : [
          [ms, '0-1-0'],
          [ms, '0-1-0', 1],
        ],
  ),
  ...numbers.map((attempt) => [1_767_225_600_000, '0-1-0', attempt]),
  ...texts.flatMap((text) => [
    [1_767_225_600_000, text],
    [1_767_225_600_000, text, 1],
  ]),
  [],
  {},
  [moment],
  [moment, id, id],
  ...['9'.repeat(19), '-1', '1e3', '', 1, null].map((change) => [
    moment,
    id,
    { change, change_time: null, as_of: null },
  ]),
  [moment, id, { change: '1', change_time: 'now', as_of: moment }],
  [moment, id, { change: '1', change_time: moment, as_of: '0000-01-01T00:00:00.000Z' }],
  [[moment], [id]],
]

const isList = ({ response }: (typeof methodList)[number]): boolean =>
  response instanceof z.ZodObject && 'next_page_token' in response.shape
const lists = methodList.filter(isList)

test('more than 20 methods return pages', () => {
  expect(lists.length).toBeGreaterThan(20)
})

test.each(lists.map((method) => [method.name, method] as const))(
  '%s answers 400 to every forged page token, and accepts a valid one',
  async (name, method) => {
    const caller = method.access.scope === 'staff' ? organization.platformAdmin : organization.administrator
    const { path } = await requestOf(name, caller)
    const url = new URL(path, 'http://api.example')
    const names = [...method.path.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => key)
    const pattern = new RegExp(`^${method.path.replace(/\{\w+\}/g, '([^/:]+)')}$`)
    const params = Object.fromEntries(names.map((key, at) => [key, pattern.exec(url.pathname)?.[at + 1] ?? '']))
    const query = method.query?.parse(Object.fromEntries(url.searchParams)) ?? {}
    const ask = async (cursor: unknown) => {
      const asked = new URL(url)
      asked.searchParams.set('page_token', encodePageToken(pageScope(name, params, query), cursor))
      const { status, body } = await caller.call('GET', `${asked.pathname}${asked.search}`)
      return { cursor, status, reason: body.reason }
    }
    const taken = await Promise.all(sound.map(ask))
    expect(taken.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = forged.map((cursor) => ({ cursor, status: 400, reason: 'INVALID_PAGE_TOKEN' }))
    expect(await Promise.all(forged.map(ask))).toEqual(refused)
  },
)
