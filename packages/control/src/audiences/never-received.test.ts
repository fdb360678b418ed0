import {
  audienceQuery,
  type ComputedTraitDefinition,
  type EventMapping,
  methods,
  type NameWarning,
  type SignalDefinition,
} from '@tributary/contract'
import { EventStoreUnavailable } from '@tributary/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  listed,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'
import { field, mappedDestination, purchase, startMapped } from '../testing/mapped-destination.ts'
import { receiveEvents } from '../testing/receive-events.ts'
import { signalsCatalog, trialSignal } from '../testing/signals.ts'

let harness: Harness
let organization: Organization
let workspace: string

beforeAll(async () => {
  const destinations = [...signalsCatalog.destinations, ...listed(mappedDestination)]
  harness = await startControl({ catalog: { ...signalsCatalog, destinations } })
  organization = await startOrganization(harness)
  workspace = organization.workspaceId
  await receiveEvents(harness, workspace, [
    { event: 'Order Completed', userId: 'ada', properties: { total: 12, address: { city: 'Bath' } } },
    { type: 'identify', userId: 'ada', traits: { plan: 'pro', home: { postal_code: 'x' } } },
    { event: 'Order Refunded', userId: 'ada', properties: { order: 7, products: [{ sku: 'a' }] } },
  ])
})
afterAll(() => harness[Symbol.asyncDispose]())

const named = (name: string, id = 'aaaa') => ({ id, name, operator: 'exists' as const })
const queryOf = (...queries: object[]) =>
  audienceQuery.parse({ groups: { g001: { segments: [{ id: 's001', queries }] } } })
const event = (selectedEvent: string, ...names: string[]) => ({
  id: 'q001',
  type: 'event',
  selectedEvent,
  selectedAttributes: names.map((name) => named(name)),
})
const traits = (...names: string[]) => ({
  id: 'q001',
  type: 'attribute',
  selectedAttributes: names.map((name) => named(name)),
})

test.each([
  ['an event', event('Order Complete'), 'q001', 'selectedEvent', 'Order Completed'],
  ['the type of a call', event('page'), 'q001', 'selectedEvent', 'identify'],
  ['a property', event('Order Completed', 'totl'), 'aaaa', 'name', 'total'],
  ['a property inside an object', event('Order Completed', 'adress.city'), 'aaaa', 'name', 'address.city'],
  ['a trait', traits('plam'), 'aaaa', 'name', 'plan'],
  ['a trait inside an object', traits('home.city'), 'aaaa', 'name', 'home'],
])(
  '%s that was never received is accepted with a warning that names the most similar one',
  async (_, query, id, field, nearest) => {
    const body = { title: 'Audience', query: queryOf(query) }
    const made = await organization.collaborator.ok(methods.audiences.create, { workspace }, { body })
    const preview = await organization.collaborator.ok(
      methods.audiences.preview,
      { workspace },
      { body: { query: body.query } },
    )
    for (const { warnings } of [made, preview])
      expect(warnings).toEqual([{ id, field, nearest, message: expect.stringContaining(nearest) }])
  },
)

test('received names of events, calls, properties, objects, and traits cause no warning', async () => {
  const query = queryOf(
    event('Order Completed', 'total', 'address', 'address.city'),
    { ...event('identify', 'plan'), id: 'q002' },
    { ...traits('plan', 'home', 'home.postal_code'), id: 'q003' },
  )
  const { warnings } = await organization.collaborator.ok(methods.audiences.preview, { workspace }, { body: { query } })
  expect(warnings).toEqual([])
})

test('a computed trait with an unknown name gets the same warning, and can be saved while the event store is unavailable', async () => {
  const definition: ComputedTraitDefinition = {
    event: 'Order Completed',
    operation: 'sum',
    property: 'totals',
    window_days: null,
    conditions: [],
  }
  const create = (trait: string) =>
    organization.collaborator.ok(methods.computedTraits.create, { workspace }, { body: { trait, definition } })
  expect((await create('spent')).warnings).toMatchObject([{ id: '', field: 'property', nearest: 'total' }])
  const { query } = harness.eventStore
  harness.eventStore.query = async () => Promise.reject(new EventStoreUnavailable('away'))
  expect((await create('spent_too')).warnings).toEqual([])
  harness.eventStore.query = query
})

type Told = readonly [field: string, nearest: string]
const warned = (warnings: readonly NameWarning[]): Told[] => warnings.map(({ field: at, nearest }) => [at, nearest])

const given = { 'user.em': field('properties.address.city'), value: field('properties.total') }
const condition = (path: string) => ({ id: 'c001', field: path, operator: 'exists' as const, value: '' })

test.each<[string, EventMapping, Told[]]>([
  ['the event', purchase(given, { event_name: 'Order Complete' }), [['event_name', 'Order Completed']]],
  ['a field', purchase({ ...given, value: field('properties.totl') }), [['field_mappings.1.source.name', 'total']]],
  [
    'a field inside an object',
    purchase({ ...given, currency: field('properties.adress.city') }),
    [['field_mappings.2.source.name', 'address.city']],
  ],
  [
    'a trait of who the event is about',
    purchase({ ...given, 'user.em': field('context.traits.plam') }),
    [['field_mappings.0.source.name', 'plan']],
  ],
  [
    'a condition',
    purchase(given, { filters: [condition('properties.total'), { ...condition('properties.totals'), id: 'c002' }] }),
    [['filters.1.field', 'total']],
  ],
  [
    'a trait of a call without a name',
    purchase(given, { event_name: '', event_type: 'identify', filters: [condition('traits.plaan')] }),
    [
      ['filters.0.field', 'plan'],
      ['field_mappings.0.source.name', ''],
      ['field_mappings.1.source.name', ''],
    ],
  ],
  ['nothing', purchase(given), []],
  ['items of a list', purchase(given, { filters: [condition('properties.address.0.sku')] }), []],
  ['what clients fill', purchase({ ...given, event_source_url: field('context.page.url') }), []],
  [
    'fields of any event',
    purchase({ ...given, value: field('properties.nowhere') }, { event_name: '', event_type: 'track' }),
    [],
  ],
  [
    'an event of audiences',
    purchase({ ...given, value: field('properties.audience') }, { event_name: 'Audience Entered' }),
    [],
  ],
])(
  'a mapping with %s that was never received is accepted with a warning at the field',
  async (_, mapping, expected) => {
    const { params } = await startMapped(harness, organization)
    const { collaborator } = organization
    const preview = await collaborator.ok(methods.mappings.preview, params, { body: { event_mapping: mapping } })
    expect(warned(preview.warnings)).toEqual(expected.map(([at, nearest]) => [`event_mapping.${at}`, nearest]))
    const body = { event_mappings: [mapping] }
    const saved = await collaborator.ok(methods.mappings.update, params, { body })
    expect(warned(saved.warnings)).toEqual(expected.map(([at, nearest]) => [`event_mappings.0.${at}`, nearest]))
    expect((await organization.guest.ok(methods.mappings.get, params)).warnings).toEqual([])
  },
)

const events = (...event_names: string[]) =>
  event_names.map((event_name) => ({ event_type: 'track' as const, event_name }))

test('a signal with names that were never received is accepted with a warning at each field, in preview, creation, and update', async () => {
  const { collaborator, workspaceId } = organization
  const params = { workspace: workspaceId }
  const body = { title: 'Shop', app: { name: 'catalogSources/http' } }
  const source = (await collaborator.ok(methods.sources.create, params, { body })).name
  const trial = trialSignal(source, [])
  const trigger = trial.trigger as Extract<SignalDefinition['trigger'], { type: 'events' }>
  const definition: SignalDefinition = {
    ...trial,
    trigger: {
      ...trigger,
      events: events('Order Completed', 'Order Complet'),
      filters: [condition('properties.totall')],
    },
    value: { type: 'event', amount_path: 'properties.total', currency_path: 'properties.address.cty', currency: 'EUR' },
    event_id: { type: 'path', path: 'properties.id' },
    refunds: {
      events: events('Order Refunded', 'Orders Refunded'),
      order_path: 'properties.orders',
      amount_path: 'properties.products[0].price',
    },
  }
  const expected: Told[] = [
    ['trigger.events.1.event_name', 'Order Completed'],
    ['refunds.events.1.event_name', 'Order Refunded'],
    ['trigger.filters.0.field', 'total'],
    ['value.currency_path', 'address.city'],
    ['event_id.path', expect.any(String)],
    ['refunds.order_path', 'order'],
  ]
  const preview = await collaborator.ok(methods.signals.preview, params, { body: definition })
  expect(warned(preview.warnings)).toEqual(expected)
  const made = await collaborator.ok(methods.signals.create, params, { body: { title: 'Orders', ...definition } })
  expect(warned(made.warnings)).toEqual(expected)
  const own = { ...params, signal: idIn(made.name) }
  expect((await organization.guest.ok(methods.signals.get, own)).warnings).toEqual([])

  const change = (fields: object) =>
    collaborator.call('PATCH', `/${made.name}?update_mask=${Object.keys(fields).join()}`, fields)
  const right = {
    trigger: { ...trigger, filters: [] },
    value: { type: 'fixed', amount: 1, currency: 'EUR' },
    event_id: { type: 'message_id' },
    refunds: null,
  }
  expect(await change(right)).toMatchObject({ status: 200, body: { warnings: [] } })
  expect(await change({ event_id: { type: 'path', path: 'properties.totl' } })).toMatchObject({
    status: 200,
    body: { warnings: [{ field: 'event_id.path', nearest: 'total' }] },
  })
  expect(await change({ title: 'Renamed' })).toMatchObject({ status: 200, body: { warnings: [] } })
})
