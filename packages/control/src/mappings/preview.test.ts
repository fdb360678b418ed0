import { createHash } from 'node:crypto'
import { type EventMapping, type MappingPreview, methods } from '@tributary/contract'
import { newId, noMetrics } from '@tributary/kernel'
import { createLearning } from '@tributary/profiles'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { field, mappedCatalog, mappingsOf, purchase, startMapped } from '../testing/mapped-destination.ts'

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
    preview: (event_mapping: EventMapping, given: object = {}): Promise<MappingPreview> =>
      organization.collaborator.ok(methods.mappings.preview, mapped.params, { body: { event_mapping, ...given } }),
    refuse: (event_mapping: object, given: object = {}) =>
      organization.collaborator.call('POST', mapped.path(':preview'), { event_mapping, ...given }),
  }
}
const order = (total: unknown, more: object = {}) => ({
  type: 'track',
  event: 'Order Completed',
  userId: 'u1',
  properties: { total },
  context: { traits: { email: 'Ada@Example.com ' } },
  ...more,
})
const mapping = purchase({ 'user.em': field('context.traits.email'), value: field('properties.total') })
const em = createHash('sha256').update('ada@example.com').digest('hex')
const parsed = (preview: MappingPreview): unknown => (preview.payload === '' ? undefined : JSON.parse(preview.payload))

describe('a preview', () => {
  test('a preview shows the result of a delivery for the latest matching event', async () => {
    const { preview, store } = await start()
    await store([
      order(1),
      order('12.5'),
      { type: 'track', event: 'Other' },
      { type: 'page', event: 'Order Completed' },
    ])
    const shown = await preview(mapping)
    expect(shown).toMatchObject({ fits: true, reason: '', problems: [] })
    expect(parsed(shown)).toEqual({ user: { em }, value: 12.5 })
    expect(shown.event).toMatchObject({ title: 'Order Completed', receive_time: expect.any(String) })
    expect(JSON.parse(shown.event?.payload ?? '')).toMatchObject({
      eventId: idIn(shown.event?.name ?? ''),
      properties: { total: '12.5' },
      receivedAt: shown.event?.receive_time,
    })
  })

  test("a preview uses the latest profile of the event's user, as far as consent allows it", async () => {
    const { preview, store, destinationId } = await start()
    const { db } = harness
    await store([order(1, { context: {} })])
    const known = purchase({
      'user.em': { type: 'PROFILE', name: 'traits.email' },
      value: field('properties.total'),
    })
    expect(await preview(known)).toMatchObject({
      payload: '',
      reason: '"Email" (user.em) is required, but the profile is not known',
    })
    const event = {
      eventId: '0-1-0',
      type: 'identify',
      userId: 'u1',
      traits: { email: 'Ada@example.com' },
      context: {},
    }
    const time = new Date(harness.now()).toISOString()
    const json = JSON.stringify({ ...event, receivedAt: time, timestamp: time })
    const { workspaceId } = organization
    await createLearning({ db, metrics: noMetrics })([{ workspaceId, sourceId: newId(), eventId: event.eventId, json }])
    expect(parsed(await preview(known))).toEqual({ user: { em }, value: 1 })
    await db
      .updateTable('destinations')
      .set({ consent_categories: ['ads'] })
      .where('id', '=', destinationId)
      .execute()
    expect(await preview(known)).toMatchObject({
      reason: '"Email" (user.em) is required, but no consent allows values of the profile',
    })
  })

  test('a preview takes the latest event whose profile meets the conditions, and says why none does', async () => {
    const { preview, store, destinationId } = await start()
    const { db } = harness
    const { workspaceId } = organization
    await store([order(1, { userId: 'f1' }), order(2, { userId: 'f2' }), order(3, { userId: 'f3' })])
    const filters = [{ id: 'c001', field: 'profile.traits.plan', operator: 'equals', value: 'pro' }]
    const [filtered] = mappingsOf({ ...mapping, filters })
    if (filtered === undefined) throw new Error('none')
    const pasted = { payload: JSON.stringify(order(4, { userId: 'f2' })) }
    expect(await preview(filtered)).toMatchObject({ event: null })
    expect(await preview(filtered, pasted)).toMatchObject({
      fits: false,
      reason: 'This mapping does not match the event: the profile is not known',
    })
    const time = new Date(harness.now()).toISOString()
    const identify = { eventId: '0-2-0', type: 'identify', userId: 'f2', traits: { plan: 'pro' }, context: {} }
    const json = JSON.stringify({ ...identify, receivedAt: time, timestamp: time })
    await createLearning({ db, metrics: noMetrics })([
      { workspaceId, sourceId: newId(), eventId: identify.eventId, json },
    ])
    expect(parsed(await preview(filtered))).toMatchObject({ value: 2 })
    expect(parsed(await preview(filtered, pasted))).toMatchObject({ value: 4 })
    const categories = { consent_categories: ['ads'] }
    await db.updateTable('destinations').set(categories).where('id', '=', destinationId).execute()
    expect(await preview(filtered, pasted)).toMatchObject({
      reason: 'This mapping does not match the event: no consent allows values of the profile',
    })
  })

  test('a preview applies the filters of the mapping and of the connection', async () => {
    const { preview, store, connection } = await start()
    const { administrator, workspaceId } = organization
    await store([order(1), order(20), order(300)])
    const over = (value: string) => [{ id: 'c001', field: 'properties.total', operator: 'less_than', value }]
    const [filtered] = mappingsOf({ ...mapping, filters: over('100') })
    if (filtered === undefined) throw new Error('none')
    expect(parsed(await preview(filtered))).toMatchObject({ value: 20 })
    await administrator.ok(
      methods.connections.update,
      { workspace: workspaceId, connection: idIn(connection.name) },
      {
        body: {
          filter: { match: 'all', conditions: mappingsOf({ ...mapping, filters: over('10') })[0]?.filters ?? [] },
        },
      },
    )
    expect(parsed(await preview(mapping))).toMatchObject({ value: 1 })
  })

  test('a preview shows an event unchanged if the action sends it as a whole, even if the mapping is disabled', async () => {
    const { preview, store } = await start()
    await store([order(5)])
    const [whole] = mappingsOf({ id: 'aaaa', destination: 'send', enabled: false, field_mappings: [] })
    if (whole === undefined) throw new Error('none')
    const shown = await preview(whole)
    expect(shown.payload).toBe(shown.event?.payload)
    expect(parsed(shown)).toMatchObject({ properties: { total: 5 }, userId: 'u1' })
  })

  test('a preview shows a named event, and why the mapping skips it', async () => {
    const { preview, store } = await start()
    const [other = ''] = await store([order(1, { event: 'Order Refunded' })])
    expect(await preview(mapping, { event: other })).toMatchObject({
      event: { name: other, title: 'Order Refunded' },
      fits: false,
      reason: 'This mapping does not match the event',
      payload: '',
    })
  })

  test('a preview names the fields that an event lacks, and those with a wrong type', async () => {
    const { preview, store } = await start()
    const [name = ''] = await store([order('many', { context: {} })])
    const currency = { type: 'FIELD', name: 'properties' }
    const items = { type: 'CONSTANT', value: 7 }
    const shown = await preview(
      purchase({ 'user.em': field('context.traits.email'), value: field('properties.total'), currency, items }),
      { event: name },
    )
    expect(shown).toMatchObject({
      fits: true,
      payload: '',
      reason:
        '"Value" (value): properties.total is text that is not a number; "Email" (user.em) is required, but context.traits.email is empty',
      problems: [
        { field: 'f001', message: '"Value" (value): properties.total is text that is not a number' },
        { field: 'f000', message: '"Email" (user.em) is required, but context.traits.email is empty' },
      ],
    })
  })

  test('a preview shows an optional field that cannot be mapped as a problem, and omits it', async () => {
    const { preview } = await start()
    const items = { type: 'FIELD', name: 'context.traits' }
    const shown = await preview(
      purchase({
        'user.em': field('context.traits.email'),
        value: field('properties.total'),
        event_source_url: items,
        items,
      }),
      { payload: JSON.stringify(order(1)) },
    )
    expect(parsed(shown)).toMatchObject({ items: [{ email: 'Ada@Example.com ' }], value: 1 })
    const broken = await preview(mapping, { payload: JSON.stringify(order(true)) })
    expect(broken).toMatchObject({ payload: '', problems: [{ field: 'f001' }] })
  })

  test('a preview names required fields without a mapping, and shows the error of a template at its place', async () => {
    const { preview } = await start()
    const template = { type: 'TEMPLATE', value: '{{ a' }
    const payload = JSON.stringify(order(1))
    expect(await preview(purchase({ 'user.em': field('userId') }), { payload })).toMatchObject({
      payload: '',
      problems: [{ field: 'value', message: '"Value" (value) is required and not mapped', severity: 'error' }],
    })
    const shown = await preview(purchase({ 'user.em': template, value: field('properties.total') }), { payload })
    expect(shown).toMatchObject({
      payload: '',
      problems: [{ field: 'f000', message: expect.stringMatching(/^Error at >> 1\| \{\{ a\n/), severity: 'error' }],
    })
  })

  test('a preview shows copied numbers exactly, and says that templates may change numbers', async () => {
    const { preview } = await start()
    const odd = '{"id":9223372036854775807,"b":1.0,"10":null,"2":[1e400]}'
    const copied = { id: 'f00a', source: { type: 'FIELD', name: 'properties' }, target: { name: 'all' } }
    const computed = {
      id: 'f00b',
      source: { type: 'TEMPLATE', value: '{{ properties.b | plus: 1 }}' },
      target: { name: 'sum' },
    }
    const [given] = mappingsOf({ id: 'aaaa', destination: 'send', field_mappings: [copied, computed] })
    if (given === undefined) throw new Error('none')
    const shown = await preview(given, {
      payload: `{"event":"Bought","userId":12345678901234567890,"properties":${odd}}`,
    })
    expect(shown.event?.payload).toContain(`"userId":"12345678901234567890","properties":${odd}`)
    expect(shown.payload).toBe(`{"all":${odd},"sum":"2"}`)
    expect(shown.problems).toEqual([
      { field: 'f00b', message: expect.stringMatching(/^A template may change a number/), severity: 'note' },
    ])
    expect((await preview(given, { payload: '{"event":"Bought","properties":{"b":1}}' })).problems).toEqual([])
  })

  test('a preview accepts a call of the tracking API, and an event that a preview has shown', async () => {
    const { preview, sourceId } = await start()
    const [given] = mappingsOf({
      id: 'aaaa',
      destination: 'send',
      field_mappings: ['event_name', 'user_key', 'source_id', 'message_id'].map((name, index) => ({
        id: `v00${index}`,
        source: { type: 'VARIABLE', name },
        target: { name },
      })),
    })
    if (given === undefined) throw new Error('none')
    const first = await preview(given, { payload: '{"type":"page","name":"Home","anonymousId":"a1","channel":"web"}' })
    expect(first.event).toMatchObject({ name: '', title: 'Home', receive_time: null })
    expect(parsed(first)).toEqual({ event_name: 'Home', user_key: 'a1', source_id: sourceId, message_id: 'preview' })
    const again = await preview(given, { payload: first.event?.payload ?? '' })
    expect(again.event?.payload).toBe(first.event?.payload)
    expect(JSON.parse(again.event?.payload ?? '')).toMatchObject({ extra: { channel: 'web' } })
  })

  test('a preview without an event says what to do', async () => {
    const { preview, connection } = await start()
    expect(await preview(mapping)).toMatchObject({
      event: null,
      fits: false,
      payload: '',
      reason: 'None of the latest 300 events match this mapping. Send one, or paste one',
    })
    await organization.administrator.call('DELETE', `/${connection.name}`)
    expect(await preview(mapping)).toMatchObject({
      event: null,
      reason: 'No source is connected yet. Connect one, or paste an event',
    })
  })

  test.each<[string, object, object, number, Record<string, unknown>]>([
    [
      'an unknown action',
      { id: 'aaaa', destination: 'fly', field_mappings: [] },
      { payload: '{}' },
      400,
      { 'event_mapping.destination': 'Mapped has no action "fly"' },
    ],
    ['a text that is no JSON', mapping, { payload: '{' }, 400, { payload: 'Must be a JSON object' }],
    ['a list', mapping, { payload: '[]' }, 400, { payload: 'Must be a JSON object' }],
    [
      'a type that there is none of',
      mapping,
      { payload: '{"type":"call"}' },
      400,
      { payload: expect.stringContaining('must be one of') },
    ],
    ['a name that is none', mapping, { event: 'x' }, 400, { event: expect.any(String) }],
    [
      'templates that are too much',
      purchase(
        {},
        {
          field_mappings: Array.from({ length: 11 }, (_, n) => ({
            id: `t${String(n).padStart(3, '0')}`,
            source: { type: 'TEMPLATE', value: 'x'.repeat(9999) },
            target: { name: `t${n}` },
          })),
        },
      ),
      { payload: '{}' },
      400,
      { event_mapping: 'Templates of at most 100000 characters together' },
    ],
    ['no mapping', {}, {}, 400, { 'event_mapping.id': expect.any(String) }],
  ])('a preview is refused for %s', async (_, given, more, status, metadata) => {
    const { refuse } = await start()
    expect(await refuse(given, more)).toMatchObject({ status, body: { metadata } })
  })

  test('a preview shows no event of another workspace, and no rejected event', async () => {
    const { refuse, store } = await start()
    const [rejected = ''] = await store([order(1)], { status: 'rejected', type: '' })
    expect(await refuse(mapping, { event: rejected })).toMatchObject({
      status: 400,
      body: { metadata: { event: 'This event was rejected and is not sent to any destination' } },
    })
    const [own = ''] = await store([order(1)])
    const foreign = own.replace(organization.workspaceId, organization.otherWorkspaceId)
    expect(await refuse(mapping, { event: foreign })).toMatchObject({ status: 404 })
    expect(await refuse(mapping, { event: own.replace(/[^/]+$/, newId()) })).toMatchObject({ status: 404 })
  })
})
