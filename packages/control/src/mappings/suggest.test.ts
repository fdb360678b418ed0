import { methods } from '@tributary/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { mappedCatalog, purchase, startMapped } from '../testing/mapped-destination.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl({ catalog: mappedCatalog })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const start = async () => {
  const mapped = await startMapped(harness, organization)
  return {
    ...mapped,
    suggest: (body: { destination: string; event_name?: string; event_type?: 'track' | 'identify' }) =>
      organization.collaborator.ok(methods.mappings.suggest, mapped.params, {
        body: { event_name: '', event_type: '', ...body },
      }),
    describe: (schema: object) =>
      organization.administrator.ok(
        methods.sources.update,
        { workspace: organization.workspaceId, source: mapped.sourceId },
        { body: { schema: JSON.stringify(schema) } },
      ),
  }
}
type Suggested = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['suggest']>>
/** Targets with the name or value that is proposed for them. */
const proposed = ({ field_mappings }: Suggested) =>
  Object.fromEntries(
    field_mappings.map(({ source, target }) => [
      target.name,
      'name' in source ? source.name : 'value' in source ? source.value : source.type,
    ]),
  )

describe('suggested field mappings', () => {
  test('fields with the same name in the newest events are suggested, in any letter case', async () => {
    const { suggest, store } = await start()
    await store([
      {
        event: 'Signed Up',
        properties: { Revenue: 5, CURRENCY: 'EUR', Items: [{ sku: 'a' }], nested: { email: 'x' } },
        context: { traits: { Email: 'a@b.co' }, page: { url: 'https://a.example/' } },
      },
    ])
    expect(proposed(await suggest({ destination: 'purchase', event_name: 'Signed Up' }))).toEqual({
      'user.em': 'context.traits.Email',
      value: 'properties.Revenue',
      currency: 'EUR',
      event_source_url: 'context.page.url',
      items: 'properties.Items',
    })
  })

  test("the connector's own mappings are suggested if events have the fields, and are complete for saving", async () => {
    const { suggest, store, params } = await start()
    await store([
      {
        event: 'Order Completed',
        properties: { total: 5, revenue: 4, email: 'b@b.co' },
        context: { traits: { email: 'a@b.co' } },
      },
    ])
    const given = await suggest({ destination: 'purchase', event_name: 'Order Completed', event_type: 'track' })
    expect(proposed(given)).toMatchObject({
      'user.em': 'context.traits.email',
      value: 'properties.total',
      currency: 'EUR',
    })
    const mapping = { ...purchase({}), field_mappings: given.field_mappings }
    await organization.administrator.ok(methods.mappings.update, params, { body: { event_mappings: [mapping] } })
    expect(await suggest({ destination: 'purchase', event_name: 'Order Completed', event_type: 'track' })).toEqual(
      given,
    )
  })

  test('fields are suggested from the schema of a source, also before its first event', async () => {
    const { suggest, describe: describeEvents } = await start()
    await describeEvents({
      events: {
        'Order Completed': {
          properties: { total: { type: 'number' }, 'gift.wrap': { type: 'boolean' }, lines: { type: 'array' } },
        },
        Other: { properties: { more: { type: 'string' } } },
      },
      user: { properties: { plan: { type: 'string' }, email: { type: 'string' } } },
    })
    const given = await suggest({ destination: 'send', event_name: 'Order Completed', event_type: 'track' })
    expect(given.field_mappings.map(({ source, target }) => ({ source, target }))).toEqual([
      {
        source: {
          type: 'FIELD',
          name: 'properties.total',
          display_name: 'total',
          is_event_name_key: false,
          kind: 'property',
        },
        target: {
          name: 'total',
          display_name: 'total',
          is_required: false,
          is_recommended: false,
          type: 'number',
          kind: 'property',
        },
      },
      {
        source: expect.objectContaining({ name: 'properties.gift\\.wrap' }),
        target: expect.objectContaining({ name: 'gift\\.wrap', type: 'boolean' }),
      },
      {
        source: expect.objectContaining({ name: 'properties.lines' }),
        target: expect.objectContaining({ name: 'lines', type: 'array' }),
      },
    ])
    expect(proposed(await suggest({ destination: 'send', event_type: 'identify' }))).toEqual({
      plan: 'traits.plan',
      email: 'traits.email',
    })
    expect(given.events).toEqual([
      { event_name: 'Order Completed', event_type: 'track' },
      { event_name: 'Other', event_type: 'track' },
    ])
  })

  test('the suggestions list the fields that a mapping can use, with types and examples', async () => {
    const { suggest, store } = await start()
    const properties = { total: 5, none: null, address: { city: 'Berlin' }, long: 'x'.repeat(200), ok: true, 'a\nb': 1 }
    await store([
      { event: 'Older', properties: { total: 4, old: 'x' } },
      { event: 'Newer', userId: 'u1', properties, context: { traits: { plan: 'pro' } }, channel: 'web' },
    ])
    const { fields, events } = await suggest({ destination: 'send' })
    const byName = Object.fromEntries(fields.map((each) => [each.name, each]))
    expect(byName).toMatchObject({
      event: { kind: 'event', type: 'string', example: 'Newer' },
      userId: { kind: 'identity', type: 'string', example: 'u1' },
      'properties.total': { display_name: 'total', kind: 'property', type: 'number', example: '5' },
      'properties.address': { type: 'object', example: '' },
      'properties.address.city': { display_name: 'address.city', type: 'string', example: 'Berlin' },
      'properties.long': { example: `${'x'.repeat(99)}…` },
      'properties.ok': { type: 'boolean', example: 'true' },
      'properties.old': { example: 'x' },
      'context.traits.plan': { display_name: 'plan', kind: 'trait', example: 'pro' },
      'context.page.url': { kind: 'context', example: '' },
      'extra.channel': { kind: 'custom', example: 'web' },
    })
    for (const name of ['properties.none', 'properties.a\nb', 'eventId']) expect(byName[name]).toBeUndefined()
    expect(events).toEqual([
      { event_name: 'Newer', event_type: 'track' },
      { event_name: 'Older', event_type: 'track' },
    ])
  })

  test('a named event gets no fields that only other events have', async () => {
    const { suggest, describe: describeEvents, store } = await start()
    await describeEvents({
      events: { 'Order Completed': { properties: { total: { type: 'number' }, currency: { type: 'string' } } } },
      user: { properties: { email: { type: 'string' } } },
    })
    await store([
      { event: 'Order Completed', properties: { total: 5, email: 'a@b.co' } },
      { event: 'Lead Sent', properties: { score: 3, products: [{ sku: 'a', price: 5 }] } },
      { type: 'identify', traits: { email: 'c@b.co' } },
    ])
    const given = await suggest({ destination: 'purchase', event_name: 'Lead Sent', event_type: 'track' })
    expect(proposed(given)).toEqual({ currency: 'EUR', event_source_url: 'context.page.url' })
    const names = given.fields.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['properties.score', 'properties.products.0.sku']))
    for (const other of ['properties.total', 'properties.currency', 'properties.email', 'traits.email'])
      expect(names).not.toContain(other)
    const identified = await suggest({ destination: 'send', event_type: 'identify' })
    expect(proposed(identified)).toEqual({ email: 'traits.email' })
  })

  test('a value in a list of the event is not suggested for a field of the event', async () => {
    const { suggest, store } = await start()
    await store([{ event: 'Lead Sent', properties: { products: [{ value: 5, currency: 'USD' }] } }])
    const given = await suggest({ destination: 'purchase', event_name: 'Lead Sent', event_type: 'track' })
    expect(proposed(given)).toEqual({ currency: 'EUR', event_source_url: 'context.page.url' })
  })

  test('without a connected source, only fields that clients always fill are suggested', async () => {
    const { suggest, connection } = await start()
    await organization.administrator.call(
      'DELETE',
      `/workspaces/${organization.workspaceId}/connections/${idIn(connection.name)}`,
    )
    const given = await suggest({ destination: 'purchase' })
    expect(proposed(given)).toMatchObject({ currency: 'EUR', event_source_url: 'context.page.url' })
    expect(given.events).toEqual([])
  })
})

test('suggestions for an unknown action are refused', async () => {
  const { path } = await start()
  expect(await organization.administrator.call('POST', path(':suggest'), { destination: 'fly' })).toMatchObject({
    status: 400,
    body: { metadata: { destination: 'Mapped has no action "fly"' } },
  })
  expect(await organization.administrator.call('POST', path(':suggest'), {})).toMatchObject({ status: 400 })
})
