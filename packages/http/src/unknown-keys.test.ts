import { type Method, methodList } from '@tributary/contract'
import { expect, test, vi } from 'vitest'
import { ignoredBy, unknownBodyKeys, unknownQueryKeys } from './unknown-keys.ts'

const methodNamed = (name: string): Method => {
  const method = methodList.find((known) => known.name === name)
  if (method === undefined) throw new Error(`There is no method ${name}`)
  return method
}

const unknownIn = (name: string, body: unknown, kind: 'always' | 'masked' = 'always'): Record<string, string> => {
  const method = methodNamed(name)
  const issues = unknownBodyKeys(method, ignoredBy(method, methodList)[kind], body)
  return Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message]))
}

const nearest = (key: string, known: string): string => `Unknown field "${key}". The nearest known field is "${known}"`

const query = (over: object, type = 'event') => ({
  groups: {
    g001: { segments: [{ id: 's001', queries: [{ id: 'q001', type, selectedEvent: 'Order Completed', ...over }] }] },
  },
})
const place = 'query.groups.g001.segments.0.queries.0'

test.each<[string, string, unknown, string, string, string]>([
  [
    'an audience',
    'audiences.create',
    { title: 'A', query: query({ time_frame: {} }) },
    place,
    'time_frame',
    'timeframe',
  ],
  [
    'a preview',
    'audiences.preview',
    { query: query({ selectedAttribute: [] }) },
    place,
    'selectedAttribute',
    'selectedAttributes',
  ],
  [
    'an attribute of a condition',
    'audiences.update',
    { query: query({ selectedAttributes: [{ id: 'a001', name: 'city', operater: 'equals' }] }) },
    `${place}.selectedAttributes.0`,
    'operater',
    'operator',
  ],
  [
    'a computed trait',
    'computedTraits.create',
    { trait: 'x', definition: { event: 'A', operation: 'count', windowDays: 7 } },
    'definition',
    'windowDays',
    'window_days',
  ],
  [
    'a mapping, by the type of its source',
    'mappings.update',
    {
      event_mappings: [
        {
          id: 'm001',
          destination: 'track',
          field_mappings: [{ id: 'f001', source: { type: 'FIELD', name: 'x', value: 'y' }, target: { name: 'z' } }],
        },
      ],
    },
    'event_mappings.0.field_mappings.0.source',
    'value',
    'name',
  ],
  ['a sync', 'syncs.create', { title: 'S', intervalMinutes: 5 }, '', 'intervalMinutes', 'interval_minutes'],
  ['a patch', 'workspaces.update', { titel: 'New' }, '', 'titel', 'title'],
  ['a call with one field', 'organizations.delete', { titles: 'Gone' }, '', 'titles', 'title'],
  ['a body that is converted', 'invitations.batchCreate', { emails: [], roles: 0 }, '', 'roles', 'role'],
])(
  '%s with a misspelled field is reported with that field and the nearest known one',
  (_, name, body, at, key, known) => {
    expect(unknownIn(name, body)).toEqual({ [at === '' ? key : `${at}.${key}`]: nearest(key, known) })
  },
)

test('a call without fields accepts none, and reports only the first 100 unknown ones, each shortened', () => {
  expect(unknownIn('audiences.compute', { force: true })).toEqual({
    force: 'Unknown field "force". No fields are known here',
  })
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`${'k'.repeat(1000)}${index}`, 1]))
  const method = methodNamed('users.logout')
  const issues = unknownBodyKeys(method, { answers: [], fields: [] }, many)
  expect(issues).toHaveLength(100)
  for (const { path, message } of issues) expect(path.join('').length + message.length).toBeLessThan(300)
})

test('an unknown query parameter is reported, and parameters of lists and masks are known', () => {
  const unknown = (name: string, query: unknown): string[] =>
    unknownQueryKeys(methodNamed(name), query).map(({ message }) => message)
  expect(unknown('sources.list', { page_sise: '1' })).toEqual([nearest('page_sise', 'page_size')])
  expect(unknown('sources.update', { updateMask: 'title' })).toEqual([nearest('updateMask', 'update_mask')])
  expect(unknown('users.get', { fields: 'name' })).toEqual(['Unknown field "fields". No fields are known here'])
  expect(unknown('sources.list', { page_size: '1', page_token: '', target_product: 'CDP' })).toEqual([])
  expect(unknown('sources.update', { update_mask: 'schema', force_refresh: 'false' })).toEqual([])
})

test('members of free-form JSON, and keys that name other objects, are not treated as fields', () => {
  expect(
    unknownIn('destinations.create', { title: 'D', app: { name: 'x' }, settings: { anything: 1, 'x-y': { a: 'b' } } }),
  ).toEqual({})
  expect(unknownIn('audiences.create', { title: 'A', query: { groups: { wild: { segments: 'no list' } } } })).toEqual(
    {},
  )
  for (const body of [null, 7, 'text', [1, { a: 1 }]]) expect(unknownIn('users.logout', body)).toEqual({})
})

test('a resource may be sent back as it was received: fields that only the server sets are ignored', () => {
  const audience = { name: 'n', title: 'A', size: 3, state: 'live', author: '', version: 2, as_of: null }
  expect(unknownIn('audiences.create', { ...audience, query: query({}) })).toEqual({})
  expect(unknownIn('audiences.update', { ...audience, query: query({}) })).toEqual({})
  expect(unknownIn('sources.update', { title: 'New', app: { anything: 1 }, has_received: true })).toEqual({})
  expect(unknownIn('mappings.update', { event_mappings: null, name: 'n', is_preset: true, actions: [{}] })).toEqual({})
  expect(unknownIn('audiences.pause', { size: 3 })).not.toEqual({})
})

test.each<[string, object]>([
  [
    'sources.create',
    { title: 'S', app: { name: 'a' }, schema: { initial_template: { name: 't' } }, target_product: 'CDP' },
  ],
  ['writekeys.create', { source: 's', title: 't', workspace: 'workspaces/w' }],
  ['sources.update', { propertyId: '/user', schema: '{}' }],
  ['destinations.create', { title: 'D', app: { name: 'a', display_name: 'A' } }],
  [
    'destinations.updateSetting',
    { name: 'url', value: 'v', display_name: 'URL', help_text: '', default: '', editable: true },
  ],
  [
    'sources.updateSetting',
    { name: 'url', value: 'v', display_name: 'URL', help_text: '', default: '', editable: true },
  ],
  ['users.login', { email: 'a@b.co', password: 'p' }],
  ['users.loginOtp', { email: 'a@b.co', otp_token: 'x', password: '' }],
  ['users.signup', { email: 'a@b.co', otp: 'x' }],
  ['users.oauthLoginCallback', { provider: 'google', mode: 'login', otp_token: 'x', code: 'c', state: 's' }],
  ['users.setPassword', { name: 'users/u', otp_token: 't', password: 'p' }],
  ['users.update', { first_name: 'A', last_name: 'B', name: 'users/u', email: 'a@b.co' }],
  ['organizations.join', { user: 'users/u' }],
  ['invitations.batchCreate', { emails: ['a@b.co'], role: 0 }],
  ['subscriptions.update', { plan: 'plans/team', recurring_interval: 'MONTHLY', name: 'n' }],
  ['customDomains.create', { domain_name: 'a.co' }],
  ['workspaces.actOnBehalf', { workspaceId: 'w' }],
])('%s accepts all fields that clients send according to the specification', (name, body) => {
  expect(unknownIn(name, body)).toEqual({})
})

test('a preview, a dry run and a test row accept the whole object that would be created', () => {
  for (const name of ['audiences.preview', 'signals.preview', 'replays.preview', 'computedTraits.preview'])
    expect(unknownIn(name, { request_id: 'x', title: 't', trait: 't', events_per_second: 1 })).not.toHaveProperty(
      name === 'replays.preview' ? 'events_per_second' : 'request_id',
    )
  for (const name of ['syncDryRuns.create', 'syncTestRows.preview', 'syncTestRows.send'])
    expect(unknownIn(name, { title: 'S', interval_minutes: 5, cron: null, alerts: [] })).toEqual({})
})

test('a field that only create accepts is unknown to an update, unless the mask excludes it', () => {
  const body = { title: 'New', settings: { url: 'x' } }
  expect(Object.keys(unknownIn('destinations.update', body))).toEqual(['settings'])
  expect(unknownIn('destinations.update', body, 'masked')).toEqual({})
  expect(Object.keys(unknownIn('destinations.update', { tilte: 'New' }, 'masked'))).toEqual(['tilte'])
})

test.each<[string, string, (many: object[]) => unknown]>([
  ['mappings', 'mappings.update', (many) => ({ event_mappings: many })],
  ['fields of a mapping', 'mappings.update', (many) => ({ event_mappings: [{ id: 'aaaa', field_mappings: many }] })],
  [
    'sources of several types',
    'mappings.update',
    (many) => ({ event_mappings: [{ id: 'aaaa', field_mappings: many.map((source) => ({ source })) }] }),
  ],
  ['conditions', 'audiences.create', (many) => ({ query: { groups: { a: { segments: [{ queries: many }] } } } })],
  ['groups by names of the caller', 'audiences.create', (many) => ({ query: { groups: { ...many } } })],
])('the schemas are analyzed only once for twenty thousand %s', (_title, name, bodyOf) => {
  const method = methodNamed(name)
  const ignored = ignoredBy(method, methodList).always
  /** Counts how many fields of object schemas are visited. */
  const workOf = (count: number): number => {
    const body = bodyOf(Array.from({ length: count }, (__, index) => (index % 2 === 0 ? {} : { type: `t${index}` })))
    const { entries } = Object
    let fields = 0
    const spied = vi.spyOn(Object, 'entries').mockImplementation((of: object) => {
      const found = entries(of)
      if (found.some(([, value]) => value instanceof Object && '_zod' in value)) fields += found.length
      return found
    })
    try {
      unknownBodyKeys(method, ignored, body)
    } finally {
      spied.mockRestore()
    }
    return fields
  }
  workOf(10)
  expect(workOf(20_000)).toBe(workOf(20))
})
