import {
  type AudienceQuery,
  type EventConditions,
  formatPath,
  type LiveMessage,
  methodList,
  methods,
  type SelectedAttribute,
} from '@tributary/contract'
import { newId, noMetrics } from '@tributary/kernel'
import { createLearning } from '@tributary/profiles'
import { type OpenIdProvider, startOpenIdProvider } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maskLiveMessage } from './index.ts'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from './testing/control-harness.ts'
import { makeSetAsideRequest } from './testing/held-work.ts'
import { createRequests, makeSync, trialAudience, trialComputedTrait } from './testing/requests.ts'
import { loopbackUrl, openIdSettings } from './testing/sign-ins.ts'
import { signalsCatalog, trialSignal } from './testing/signals.ts'
import { warehouseParams } from './testing/warehouses.ts'

/** Values that no guest may read: a text, and a number. */
const mark = 'planted-value-7f3a'
const markedNumber = 48_151_623
const hasMark = (text: string): boolean => text.includes(mark) || text.includes(String(markedNumber))

let harness: Harness
let provider: OpenIdProvider
let organization: Organization
/** Path parameters of methods, with the IDs of the planted resources. */
const params: Record<string, string> = {}

const condition = (value: string): EventConditions => ({
  match: 'all',
  conditions: [{ id: 'aaaa', field: 'properties.card', operator: 'equals', value }],
})

const attribute = (part: Partial<SelectedAttribute>): SelectedAttribute => ({
  id: 'dddd',
  name: 'card',
  valueType: 'text',
  operator: 'equals',
  value: mark,
  values: [],
  ...part,
})

/** Comparisons of every type and form. */
const attributes: SelectedAttribute[] = [
  attribute({}),
  attribute({ id: 'd001', operator: 'equals_any', value: '', values: [mark, `${mark} 2`] }),
  attribute({ id: 'd002', valueType: 'number', operator: 'greater_than', value: String(markedNumber) }),
  attribute({ id: 'd003', valueType: 'number', operator: 'equals_any', value: '', values: [String(markedNumber)] }),
]

const markedAudience = (): AudienceQuery => {
  const query = structuredClone(trialAudience)
  for (const group of Object.values(query.groups))
    for (const segment of group.segments) for (const each of segment.queries) each.selectedAttributes = attributes
  return query
}

const plantEvents = async (sourceId: string): Promise<void> => {
  const { workspaceId } = organization
  const original = {
    type: 'track',
    event: 'Ordered',
    messageId: 'm-1',
    userId: mark,
    properties: { card: mark, amount: markedNumber, list: [mark], deep: { card: mark } },
    context: { traits: { email: `${mark}@x.test` }, ip: mark },
    integrations: { All: true, Ads: { id: mark } },
    anything: mark,
  }
  const row = {
    workspace_id: workspaceId,
    source_id: sourceId,
    event_id: '0-7-0',
    message_id: 'm-1',
    type: 'track',
    event: 'Ordered',
    user_id: mark,
    anonymous_id: mark,
    group_id: mark,
    previous_id: mark,
    ip: mark,
    status: 'accepted',
    receive_time: '2026-03-04 04:00:00.000',
    timestamp: '2026-03-04 04:00:00.000',
    properties: original.properties,
    context: JSON.stringify(original.context),
    integrations: JSON.stringify(original.integrations),
    original: JSON.stringify(original),
  }
  const rejected = {
    ...row,
    event_id: '0-8-0',
    status: 'rejected',
    reason: `invalid_object: "${mark}" is no object`,
    original: `["${mark}"`,
  }
  await harness.eventStore.insert('events', [row, rejected].map((each) => JSON.stringify(each)).join('\n'), {
    token: newId(),
  })
  const delivery = {
    workspace_id: workspaceId,
    source_id: sourceId,
    destination_id: params.destination,
    event_id: '0-7-0',
    message_id: 'm-1',
    event_type: 'track',
    event: 'Ordered',
    time: harness.now(),
    attempt: 1,
    status: 'dead',
    http_status: 400,
    latency_ms: 1,
    reason: `HTTP 400: ${mark} is not valid`,
    request: `POST https://a.example/${mark}\n\n{"card":"${mark}","n":${markedNumber}}`,
    response: `HTTP 400\n\n{"error":"${mark}"}`,
  }
  const ofRow = { ...delivery, event_id: newId(), producer: 'sync', operation: 'upsert', object: 'r', key: mark }
  await harness.eventStore.insert('deliveries', [delivery, ofRow].map((each) => JSON.stringify(each)).join('\n'), {
    token: newId(),
  })
}

const plantRows = async (sourceId: string): Promise<void> => {
  const { workspaceId } = organization
  const now = new Date(harness.now())
  await harness.db
    .insertInto('parked_deliveries')
    .values({
      id: newId(),
      workspace_id: workspaceId,
      source_id: sourceId,
      destination_id: params.destination ?? '',
      log_partition: 0,
      log_offset: 7,
      event_indexes: [0],
      event_ids: ['0-7-0'],
      event_count: 1,
      state: 'dead',
      attempts: 1,
      first_time: now,
      next_time: now,
      last_status: 400,
      last_reason: `HTTP 400: ${mark}`,
      request: `POST https://a.example/\n\n{"card":"${mark}"}`,
      response: `HTTP 400\n\n${mark}`,
    })
    .execute()
  await harness.db
    .insertInto('refused_requests')
    .values({
      workspace_id: workspaceId,
      source_id: sourceId,
      key_hint: 'a',
      reason: 'INVALID_JSON',
      code: 400,
      count: 1,
      hour: now,
      last_time: now,
      message: `The event has no type "${mark}"`,
      sample: JSON.stringify({ method: 'POST', body: JSON.stringify({ userId: mark, n: markedNumber }) }),
    })
    .execute()
}

const plantHeldWork = async (): Promise<void> => {
  await makeSetAsideRequest(harness, organization.workspaceId, `SyntaxError: "${mark}" is not valid JSON`)
}

/** The path parameters of the methods about a warehouse whose load and comparison have failed. */
const warehouse: Record<string, string> = {}

const plantLoad = async (): Promise<void> => {
  Object.assign(warehouse, { workspace: organization.workspaceId }, await warehouseParams(organization))
  const reason = `The value "${mark}" is no number`
  await harness.db
    .updateTable('warehouse_loads')
    .set({ state: 'failed', reason, statement: `INSERT INTO tracks VALUES ('${mark}')` })
    .where('id', '=', warehouse.warehouse_load ?? '')
    .execute()
  const comparison = { day: '2026-03-03', compare_time: new Date(harness.now()).toISOString(), tables: [], reason }
  await harness.db
    .insertInto('warehouse_states')
    .values({
      destination_id: warehouse.destination ?? '',
      next_load_time: new Date(harness.now()),
      comparison: JSON.stringify(comparison),
    })
    .onConflict((conflict) => conflict.column('destination_id').doUpdateSet({ comparison: JSON.stringify(comparison) }))
    .execute()
}

const plantProfile = async (): Promise<void> => {
  const time = new Date(harness.now()).toISOString()
  const traits = { card: mark, amount: markedNumber, email: `${mark}@x.test` }
  const event = { eventId: '0-9-0', type: 'identify', userId: mark, anonymousId: `${mark}-a`, traits, context: {} }
  const { workspaceId } = organization
  const json = JSON.stringify({ ...event, receivedAt: time, timestamp: time })
  await createLearning({ db: harness.db, metrics: noMetrics })([
    { workspaceId, sourceId: newId(), eventId: '0-9-0', json },
  ])
  const found = await harness.db
    .selectFrom('profile_identifiers')
    .select('profile_id')
    .where('value', '=', mark)
    .executeTakeFirstOrThrow()
  params.profile = found.profile_id
}

const plant = async (): Promise<void> => {
  const { administrator, workspaceId: workspace } = organization
  const within = { workspace }
  Object.assign(params, { workspace, organization: organization.organizationId, event: '0-7-0', version: '1' })
  const made = await makeResources(workspace, administrator)
  const source = idIn(made.source.name)
  Object.assign(params, { source, destination: idIn(made.destination.name) })
  const named = { workspace, destination: params.destination ?? '' }
  const connection = { workspace, connection: idIn(made.connection.name) }
  await administrator.call('PATCH', `${formatPath(methods.connections.update.path, connection)}?update_mask=filter`, {
    filter: condition(mark),
  })
  const mapping = {
    id: 'aaaa',
    destination: 'send',
    filters: condition(mark).conditions,
    field_mappings: [
      { id: 'bbbb', source: { type: 'CONSTANT' as const, value: mark }, target: { name: 'a' } },
      { id: 'cccc', source: { type: 'CONSTANT' as const, value: markedNumber }, target: { name: 'b' } },
      { id: 'dddd', source: { type: 'TEMPLATE' as const, value: `{{ userId }} ${mark}` }, target: { name: 'c' } },
    ],
  }
  await administrator.ok(methods.mappings.update, named, { body: { event_mappings: [mapping] } })
  const audience = await administrator.ok(methods.audiences.create, within, {
    body: { title: 'Marked', query: markedAudience() },
  })
  params.audience = idIn(audience.name)
  const definition = { ...trialComputedTrait, conditions: attributes }
  const trait = await administrator.ok(methods.computedTraits.create, within, { body: { trait: 'marked', definition } })
  params.computed_trait = idIn(trait.name)
  const trigger = { ...trialSignal(made.source.name, []).trigger, filters: condition(mark).conditions }
  const signal = await administrator.ok(methods.signals.create, within, {
    body: { title: 'Marked', ...trialSignal(made.source.name, []), trigger },
  })
  params.signal = idIn(signal.name)
  const now = new Date(harness.now())
  await harness.db
    .insertInto('signal_conversions')
    .values({
      signal_id: params.signal,
      workspace_id: workspace,
      key: Buffer.alloc(16, 7),
      origin: 'event',
      // The event ID is an order ID, or any other value that the signal uses as one.
      event_id: mark,
      source_event: '0-7-0',
      event_time: now,
      create_time: now,
      amount: 1,
      currency: 'EUR',
      test: false,
      subjects: [],
      platforms: '[]',
    })
    .execute()
  await plantEvents(source)
  await plantRows(source)
  await plantHeldWork()
  await plantLoad()
  await plantProfile()
  await makeSync(harness, organization, made.destination.name)
  await harness.db
    .updateTable('models')
    .set({ query: JSON.stringify({ sql: `select id from customers where card = '${mark}'` }) })
    .execute()
  const replay = await administrator.ok(methods.replays.create, named, {
    body: {
      kind: 'history',
      start_time: '2026-03-04T00:00:00Z',
      end_time: '2026-03-04T05:00:00Z',
      filter: condition(mark),
    },
  })
  params.replay = idIn(replay.name)
  const group = await administrator.ok(methods.failureGroups.list, named)
  params.failure_group = idIn(group.failure_groups[0]?.name ?? '')
}

let requestOf: Awaited<ReturnType<typeof createRequests>>
beforeAll(async () => {
  provider = await startOpenIdProvider()
  harness = await startControl({
    catalog: signalsCatalog,
    openId: openIdSettings(provider),
    publicUrl: () => loopbackUrl,
  })
  organization = await startOrganization(harness)
  await plant()
  requestOf = await createRequests(harness, organization, provider)
})
afterAll(async () => {
  await harness[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const period = 'start_date.seconds=1767225600&end_date.seconds=1767312000'
const queries: Readonly<Record<string, () => string>> = {
  'profiles.getTraitHistory': () => '?trait=card',
  'audiences.getHistory': () => `?${period}`,
  'deliveryOverviews.get': () => `?${period}`,
  'leftOutCounts.get': () => `?${period}`,
  'signals.getQuality': () => `?${period}`,
  'signals.getOverview': () => `?${period}`,
  'metrics.get': () => `?metric=events_received&${period}`,
  'events.batchGetBySource': () => '?event_ids=0-7-0,0-8-0',
  'audiences.explain': () => `?profile=workspaces/${params.workspace}/profiles/${params.profile}`,
}

/** The methods that a guest may call to read: GETs, and reads with a body, of a workspace or organization. */
const readable = methodList.filter(
  ({ access, verb, reads }) =>
    (access.scope === 'workspace' || access.scope === 'organization') &&
    access.roles.includes('ORG_GUEST') &&
    (verb === 'GET' || reads === true),
)

/** A call for the planted resources if its path contains their IDs, and otherwise for any resource. */
const planted = async (name: string): Promise<{ path: string; body?: unknown }> => {
  const method = methodList.find((each) => each.name === name)
  if (method !== undefined && name.startsWith('warehouseLoads')) return { path: formatPath(method.path, warehouse) }
  const wanted = [...(method?.path.matchAll(/\{(\w+)\}/g) ?? [])].map((match) => match[1] ?? '')
  if (method === undefined || method.verb !== 'GET' || wanted.some((each) => params[each] === undefined)) {
    const { path, body } = await requestOf(name, organization.administrator)
    const own = path.replace(/destinations\/[^/:]+/, `destinations/${params.destination}`)
    return { path: own, body }
  }
  if (name === 'signals.getAttribution' || name === 'signals.exportAttribution')
    return await requestOf(name, organization.administrator)
  const path = formatPath(method.path, params)
  return { path: `${path}${queries[name]?.() ?? ''}` }
}

/** Methods whose response contains a planted value for callers who may read it. */
const telling = new Set([
  'audiences.get',
  'audiences.getVersion',
  'audiences.getStatements',
  'audiences.explain',
  'computedTraits.list',
  'computedTraits.get',
  'connections.list',
  'deliveries.list',
  'deliveries.listParked',
  'events.list',
  'events.listBySource',
  'events.get',
  'events.batchGetBySource',
  'failureGroups.list',
  'failureGroups.get',
  'heldWork.list',
  'mappings.get',
  'mappings.suggest',
  'models.list',
  'profiles.list',
  'profiles.get',
  'profiles.getTraitHistory',
  'profiles.listEvents',
  'refusedRequests.list',
  'refusedRequests.listBySource',
  'replays.list',
  'replays.get',
  'signals.get',
  'signals.listConversions',
  'warehouseLoads.list',
  'warehouseLoads.get',
  'warehouseLoads.getStatus',
])

describe('values of people are masked for guests in every method, and for no other caller', () => {
  test.each(readable.map((method) => [method.name, method] as const))('%s', async (name, { verb }) => {
    const { path, body } = await planted(name)
    const read = async (token: string): Promise<string> => {
      const reply = await harness.call(token, verb, path, verb === 'GET' ? undefined : body)
      expect([reply.status, reply.status === 200 ? '' : reply.body.message]).toEqual([200, ''])
      return JSON.stringify(reply.body)
    }
    const { guest, collaborator, administrator, platformAdmin } = organization
    expect(hasMark(await read(guest.token))).toBe(false)
    for (const { token } of [collaborator, administrator, platformAdmin])
      expect(hasMark(await read(token))).toBe(telling.has(name))
  })
})

test('an event for a guest keeps its names, type, and times', async () => {
  const event = await organization.guest.ok(methods.events.get, { workspace: organization.workspaceId, event: '0-7-0' })
  expect(event).toMatchObject({
    type: 'track',
    title: 'Ordered',
    payload: { type: 'track', event: 'Ordered', messageId: 'm-1', properties: { card: '•••', deep: { card: '•••' } } },
  })
})

describe("a guest's search for an existing value gets the same response as for an unknown value", () => {
  const searches: [name: string, query: (value: string) => string][] = [
    ['events.list', (value) => `user_id=${value}`],
    ['events.list', (value) => `property=card&property_value=${value}`],
    ['events.list', (value) => `property=card&property_value=${value}&status=rejected`],
    ['events.listBySource', (value) => `user_id=${value}`],
    ['events.listBySource', (value) => `property=amount&property_value=${value === mark ? markedNumber : 1}`],
    ['profiles.list', (value) => `search=${value}`],
    ['profiles.list', (value) => `search=${encodeURIComponent(`${value}@x.test`)}`],
    ['profiles.list', (value) => `search=${value === mark ? markedNumber : 1}`],
    ['signals.listConversions', (value) => `event_id=${value}`],
    ['workspaces.search', (value) => `search=${value}`],
  ]
  test.each(searches)('the method %s does not let a guest search for hidden values %#', async (name, query) => {
    const method = methodList.find((each) => each.name === name)
    const path = formatPath(method?.path ?? '', params)
    const ask = async (token: string, value: string) =>
      JSON.stringify((await harness.call(token, 'GET', `${path}?${query(value)}`)).body)
    const { guest, collaborator } = organization
    expect(await ask(guest.token, mark)).toBe(await ask(guest.token, 'unknown-value'))
    if (name !== 'workspaces.search' && !query(mark).includes('rejected'))
      expect(await ask(collaborator.token, mark)).not.toBe(await ask(collaborator.token, 'unknown-value'))
  })
})

test('no response for guests contains a value of an event, and live messages keep only fields that are not personal', () => {
  const message: LiveMessage = {
    events: [
      {
        eventId: '0-1-0',
        messageId: 'm',
        type: 'track',
        title: 'Ordered',
        test: false,
        receiveTime: '2026-03-04T00:00:00.000Z',
        userId: mark,
        anonymousId: mark,
        status: 'rejected',
        reason: `invalid_object: "${mark}" is no object`,
        values: { card: mark, amount: markedNumber, none: null, yes: true },
      },
    ],
    skipped: 3,
  }
  const masked = JSON.stringify(maskLiveMessage(message))
  expect(hasMark(masked)).toBe(false)
  expect(JSON.parse(masked)).toMatchObject({
    events: [
      { title: 'Ordered', reason: expect.stringMatching(/^invalid_object: /), values: { card: '•••', yes: '•••' } },
    ],
    skipped: 3,
  })
  expect(maskLiveMessage({ other: mark })).toEqual({})
})
