import { type Method, methodList, resourceNames } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { type OpenIdProvider, startOpenIdProvider } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Caller,
  type Harness,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from './testing/control-harness.ts'
import { createRequests, type RequestOf } from './testing/requests.ts'
import { loopbackUrl, openIdSettings } from './testing/sign-ins.ts'
import { signalsCatalog } from './testing/signals.ts'

type Request = { path: string; body?: unknown }

/** In the long run (`npm run soak`) every variant is tried; otherwise a few of each method, spread over all kinds. */
const isLong = Number(process.env.SOAK_ROUNDS ?? 0) > 0
const fewVariants = 3

const sampleOf = (requests: readonly Request[]): readonly Request[] => {
  const step = isLong ? 1 : Math.ceil(requests.length / fewVariants)
  return requests.filter((_, index) => index % step === 0)
}

let harness: Harness
let provider: OpenIdProvider
let organization: Organization
let stranger: Organization
let requestOf: RequestOf

beforeAll(async () => {
  provider = await startOpenIdProvider()
  harness = await startControl({
    catalog: signalsCatalog,
    openId: openIdSettings(provider),
    publicUrl: () => loopbackUrl,
  })
  organization = await startOrganization(harness)
  stranger = await startOrganization(harness)
  requestOf = await createRequests(harness, organization, provider)
})
afterAll(async () => {
  await harness[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const callerFor = ({ access }: Method): Caller | undefined =>
  access.scope === 'anybody'
    ? undefined
    : access.scope === 'staff' || ('roles' in access && access.roles.length === 0)
      ? organization.platformAdmin
      : organization.administrator

/** Texts that are not references, or of a kind that no field accepts. */
const wrongTexts = ['99999999999999999999', 'a\u0000b', '\ud800']
const wrongNames = ['x', 'workspaces/x/sources/y']

/** IDs that no resource has, by their defect. */
const wrongIds = ['x', '99999999999999999999', newId().toUpperCase(), newId(), 'a'.repeat(128)]

/** A value with each of its leaves, one after the other, replaced. */
const replaced = (value: unknown, replace: (leaf: unknown) => readonly unknown[]): unknown[] => {
  if (Array.isArray(value))
    return value.flatMap((item, index) => replaced(item, replace).map((other) => value.with(index, other)))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, item]) =>
      replaced(item, replace).map((other) => ({ ...value, [key]: other })),
    )
  return [...replace(value)]
}

const isName = (text: unknown): text is string => typeof text === 'string' && /^\w+\/[^/]+/.test(text)

/** The fields that a body or query may have. */
const fieldsOf = (schema: Method['request']): string[] => {
  const shape = schema !== undefined && 'shape' in schema ? schema.shape : {}
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : []
}

const withQuery = (path: string, key: string, value: string): string => {
  const [address = '', query = ''] = path.split('?')
  const given = new URLSearchParams(query)
  given.set(key, value)
  return `${address}?${given}`
}

/** Replaces one of the IDs in the path of a request. The IDs of the workspace and organization stay. */
const withIds = (path: string, ids: () => readonly string[]): string[] => {
  const [address = '', query] = path.split('?')
  const segments = address.split('/')
  return segments.flatMap((segment, index) =>
    index < 4 || index % 2 === 1
      ? []
      : ids().map((id) => {
          const [, verb] = segment.split(':')
          const other = segments.with(index, verb === undefined ? id : `${id}:${verb}`).join('/')
          return query === undefined ? other : `${other}?${query}`
        }),
  )
}

/** Paths of resources of another tenant, by which their names and ids are known. */
const strangersKinds = ['sources', 'destinations', 'signals', 'audiences', 'models', 'syncs', 'profiles'].map(
  (kind) => `${kind}.get`,
)

/** Requests with references that are not the caller's, or not of the kind that the method takes. */
const variants = (method: Method, own: Request, others: readonly string[]): Request[] => {
  const referring = (name: string): readonly string[] => [
    ...(name in resourceNames ? [...others, ...wrongNames] : []),
    ...wrongTexts,
  ]
  const paths = withIds(own.path, () => [...wrongIds, ...others.map((name) => name.split('/').at(-1) ?? '')])
  const query = fieldsOf(method.query).flatMap((key) => referring(key).map((value) => withQuery(own.path, key, value)))
  const added = fieldsOf(method.request).filter((key) => !Object.hasOwn(Object(own.body), key))
  const bodies =
    own.body === undefined
      ? []
      : [
          ...added.flatMap((key) => referring(key).map((text) => ({ ...Object(own.body), [key]: text }))),
          ...replaced(own.body, (leaf) => (isName(leaf) ? [...others, ...wrongNames] : wrongTexts)),
        ]
  // A request that the schema refuses reaches no handler.
  const reaches = ({ path, body }: Request): boolean =>
    (method.request?.safeParse(body ?? {}).success ?? true) &&
    (method.query?.safeParse(Object.fromEntries(new URLSearchParams(path.split('?')[1]))).success ?? true)
  return [
    ...[...paths, ...query].map((path) => ({ path, body: own.body })),
    ...bodies.map((body) => ({ path: own.path, body })),
  ].filter(reaches)
}

/** The calls with a 5xx response. */
const failuresOf = async (method: Method, requests: readonly Request[]) => {
  const caller = callerFor(method)
  const failed: string[] = []
  for (let from = 0; from < requests.length; from += 12)
    await Promise.all(
      requests.slice(from, from + 12).map(async ({ path, body }) => {
        const reply = await harness.call(
          caller?.token ?? '',
          method.verb,
          path,
          method.request === undefined ? undefined : body,
        )
        if (reply.status >= 500) failed.push(`${reply.status} ${path} ${JSON.stringify(body) ?? ''}`)
      }),
    )
  return failed
}

let others: string[]
beforeAll(async () => {
  const { source, destination } = await makeResources(organization.workspaceId, organization.administrator)
  others = [source.name, destination.name]
  const requests = await createRequests(harness, stranger, provider)
  for (const kind of strangersKinds) others.push((await requests(kind, stranger.administrator)).path.slice(1))
})

describe('no reference makes a call fail with 5xx, whether to another kind, another tenant, or nothing', () => {
  const referring = methodList.filter(({ name }) => name !== 'users.logout')
  test.each(referring.map((method) => [method.name, method] as const))('%s', async (name, method) => {
    const own = await requestOf(name, callerFor(method))
    expect(await failuresOf(method, sampleOf(variants(method, own, others)))).toEqual([])
  })
})

test('six concurrent privacy requests with one request_id make one request and one audit record', async () => {
  const before = (await harness.audits()).length
  const { workspaceId, administrator } = await startOrganization(harness)
  const body = { kind: 'delete_and_suppress', identifiers: [{ type: 'user_id', value: newId() }], request_id: newId() }
  const path = `/workspaces/${workspaceId}/privacyRequests`
  const replies = await Promise.all(Array.from({ length: 6 }, () => administrator.call('POST', path, body)))
  expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(200))
  expect(new Set(replies.map(({ body: { name } }) => name)).size).toBe(1)
  const { body: listed } = await administrator.call('GET', path)
  expect(listed.privacy_requests).toHaveLength(1)
  const records = (await harness.audits()).slice(before).filter(({ action }) => action === 'privacyRequests.create')
  expect(records).toHaveLength(1)
})

test('attribution does not find a signal of another or no workspace', async () => {
  const period = 'start_date.seconds=1767225600&end_date.seconds=1767312000'
  const names = others.filter((name) => name.includes('/signals/'))
  const ofOwn = `${organization.workspace}/signals/${newId()}`
  for (const verb of ['getAttribution', 'exportAttribution'])
    for (const name of [...names, ofOwn, `workspaces/x/signals/${newId()}`, `${organization.workspace}/signals/x`]) {
      const path = `/${organization.workspace}/signals:${verb}?${period}&signal=${name}`
      expect((await organization.administrator.call('GET', path)).status).toBe(404)
    }
})

describe('a change that is sent several times at once gets no 5xx, and makes one resource with one request_id', () => {
  const changes = methodList.filter(({ verb, reads }) => verb !== 'GET' && !reads)
  // Last of all, since it ends the session.
  const ordered = changes.toSorted((a, b) => Number(a.name === 'users.logout') - Number(b.name === 'users.logout'))
  test.each(ordered.map((method) => [method.name, method] as const))('%s', async (name, method) => {
    // A code is mailed once a minute.
    harness.advance(61_000)
    const caller = callerFor(method)
    const { path, body } = await requestOf(name, caller)
    const isRepeatable = fieldsOf(method.request).includes('request_id')
    const given = isRepeatable ? { ...Object(body), request_id: newId() } : body
    const payload = method.request === undefined ? undefined : given
    const times = isRepeatable || isLong ? 6 : 3
    const replies = await Promise.all(
      Array.from({ length: times }, () => harness.call(caller?.token ?? '', method.verb, path, payload)),
    )
    expect(replies.filter(({ status }) => status >= 500)).toEqual([])
    if (!isRepeatable) return
    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(200))
    const made = replies.map((reply) => JSON.stringify(reply.body.name ?? reply.body.organization ?? reply.body))
    expect(new Set(made).size).toBe(1)
  })
})
