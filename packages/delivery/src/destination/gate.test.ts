import {
  defaultPersonDataPaths,
  type EventMapping,
  eventMappings,
  outboundBody,
  type PipelineEvent,
} from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import { type DeliveryRecord, openRecord } from '../log/record.ts'
import type { DestinationEntry, ForgottenUsers } from '../ports.ts'
import { relay } from '../testing-connector.ts'
import { createGate } from './gate.ts'

const event: PipelineEvent = {
  eventId: '0-1-0',
  messageId: 'm1',
  type: 'track',
  event: 'Order Completed',
  userId: 'u1',
  properties: { total: 5 },
  context: {},
  test: false,
  receivedAt: '2026-01-08T00:00:00.000Z',
  timestamp: '2026-01-08T00:00:00.000Z',
}
const now = Date.parse(event.timestamp)

const noneForgotten: ForgottenUsers = { until: () => 0, version: () => '', isOf: () => false }

const recordOf = (more: Partial<PipelineEvent>, meta: object = {}, total = '5'): DeliveryRecord => {
  const text = `[${JSON.stringify({ ...event, ...more }).replace('"total":5', `"total":${total}`)}]\n`
  const made = { partition: 0, offset: 1, incarnation: '', time: now, key: 'w', body: Buffer.from(text) }
  const record = openRecord({ ...made, meta: JSON.stringify({ w: 'w', s: 's1', d: ['d'], n: 1, ...meta }) })
  if (record === undefined) throw new Error('no record')
  return record
}
const entry: DestinationEntry = {
  id: 'D-1',
  workspaceId: 'w',
  title: 'My orders',
  app: 'relay',
  enabled: true,
  settings: {},
  mappings: undefined,
  presetVersion: 2,
  consentCategories: [],
  filters: new Map(),
}
const check = (
  of: Partial<DestinationEntry>,
  more: Partial<PipelineEvent> = {},
  options: {
    definition?: Partial<typeof relay>
    meta?: { p?: string }
    later?: number
    forgotten?: ForgottenUsers
  } = {},
) =>
  createGate({ ...relay, ...options.definition }, { ...entry, ...of }, options.forgotten ?? noneForgotten)(
    recordOf(more, options.meta),
    0,
    now + (options.later ?? 0),
  )
const sent = { kind: 'pass', action: 'send' }

describe('events of deleted users', () => {
  const forgotten = (time: number, userId: string): ForgottenUsers => ({
    until: () => time,
    version: () => String(time),
    isOf: (_, each) => each.userId === userId && Date.parse(each.receivedAt) <= time,
  })
  const left = { kind: 'filtered', reason: 'The user was deleted' }
  it.each<[string, number, string, Partial<PipelineEvent>, object]>([
    ['received before', now, 'u1', {}, left],
    ['received later', now - 1, 'u1', {}, sent],
    ['of another user', now, 'u2', {}, sent],
    ['with another time in it', now, 'u1', { extra: { receivedAt: '2027-01-01T00:00:00.000Z' } }, left],
  ])('an event of a deleted user, %s, is delivered or filtered', (_, time, userId, more, expected) => {
    expect(check({}, more, { forgotten: forgotten(time, userId) })).toEqual(expected)
  })
  const rowOf = (operation: 'upsert' | 'delete', ids: object, kind: 'audience' | 'sync' = 'audience') => {
    const payload = { timestamp: event.receivedAt, userIds: [], anonymousIds: [], ...ids }
    const text = outboundBody([{ recordId: 'r', operation, object: 'audience_members', key: 'p', payload }])
    const made = { partition: 0, offset: 1, incarnation: '', time: now, key: 'w', body: Buffer.from(text) }
    const meta = { w: 'w', s: 's1', d: ['d'], n: 1, b: { k: kind, n: 'a' } }
    const record = openRecord({ ...made, meta: JSON.stringify(meta) })
    if (record === undefined) throw new Error('no record')
    const gone: ForgottenUsers = {
      ...forgotten(now, 'u1'),
      isOf: (_, { userId, anonymousId, receivedAt }) =>
        (userId === 'u1' || (userId === undefined && anonymousId === 'a1')) && Date.parse(receivedAt) <= now,
    }
    const rows = { ...relay, deliverRows: async () => ({ outcomes: [], httpStatus: 200, latencyMs: 0 }) }
    return createGate(rows, entry, gone)(record, 0, now)
  }
  const passed = { kind: 'pass', action: 'rows of audience_members' }
  it.each<[string, Parameters<typeof rowOf>, object]>([
    ['entered', ['upsert', { userIds: ['u2', 'u1'] }], left],
    ['entered by a device', ['upsert', { anonymousIds: ['a1'] }], left],
    ['came back and entered', ['upsert', { userIds: ['u1'], timestamp: '2026-01-09T00:00:00.000Z' }], passed],
    ['is another user on the device', ['upsert', { userIds: ['u2'], anonymousIds: ['a1'] }], passed],
    ['left, so that the destination forgets them, too,', ['delete', { userIds: ['u1'] }], passed],
    ['is a row of another producer', ['upsert', { userIds: ['u1'] }, 'sync'], passed],
  ])('a row about an audience member who %s is sent or filtered', (_, given, expected) => {
    expect(rowOf(...given)).toEqual(expected)
  })
  it('a replay does not send events of deleted users', () => {
    expect(check({}, {}, { forgotten: forgotten(now, 'u1'), meta: { p: 'r' } })).toEqual(left)
  })
})

it('a destination of an earlier version of presets does not send events of later presets', () => {
  const presets = [
    { action: 'send', eventType: 'page' as const, fields: {}, since: 2 },
    { action: 'send', eventType: 'track' as const, fields: {} },
  ]
  const kindOf = (presetVersion: number, type: 'page' | 'track') =>
    check({ presetVersion }, { type }, { definition: { presets } })
  expect(kindOf(1, 'track')).toEqual(sent)
  expect(kindOf(1, 'page')).toMatchObject({ kind: 'filtered' })
  expect(kindOf(2, 'page')).toEqual(sent)
  // Own mappings apply in each version.
  const own = eventMappings.parse([{ id: 'aaaa', destination: 'send', field_mappings: [] }])
  expect(check({ presetVersion: 1, mappings: own }, { type: 'page' }, { definition: { presets } })).toEqual(sent)
})

describe('defaults of the destination', () => {
  const [action] = relay.actions
  const target = {
    name: 'currency',
    label: 'Currency',
    help: 'h',
    type: 'string' as const,
    required: false,
    recommended: false,
    kind: 'property' as const,
    default: { setting: 'default_currency' },
  }
  const definition = action === undefined ? {} : { actions: [{ ...action, targets: [target] }] }
  const mappings = eventMappings.parse([
    {
      id: 'aaaa',
      destination: action?.name,
      field_mappings: [
        { id: 'f001', source: { type: 'FIELD', name: 'properties.currency' }, target: { name: 'currency' } },
        { id: 'f002', source: { type: 'FIELD', name: 'properties.total' }, target: { name: 'total' } },
      ],
    },
  ])

  it('a default of the settings is sent for an absent value, and the delivery names it', () => {
    expect(check({ mappings, settings: { default_currency: 'EUR' } }, {}, { definition })).toEqual({
      ...sent,
      payload: { total: 5, currency: 'EUR' },
      note: 'currency: the default EUR is used',
    })
    expect(check({ mappings }, {}, { definition })).toEqual({ ...sent, payload: { total: 5 } })
  })
})

describe('integrations of an event', () => {
  const left = { kind: 'filtered', reason: "Left out by the event's integrations" }
  it.each<[Record<string, unknown> | undefined, object]>([
    [undefined, sent],
    [{}, sent],
    [{ All: true }, sent],
    [{ All: false }, left],
    [{ all: false }, left],
    [{ All: false, 'my ORDERS': true }, sent],
    [{ All: false, relay: {} }, sent],
    [{ All: false, RELAY: true }, sent],
    [{ All: false, 'd-1': true }, sent],
    [{ All: false, Webhook: true }, left],
    [{ Webhook: false }, sent],
    [{ 'My orders': false }, left],
    [{ relay: false, 'My orders': true }, left],
    [{ All: true, Relay: false }, left],
    [{ All: 'no' }, sent],
  ])('an event with the integrations %j is delivered or filtered', (integrations, wanted) => {
    expect(check({}, integrations === undefined ? {} : { integrations })).toEqual(wanted)
  })

  it('integrations apply only at the top level of the event, not in nested objects with the same name', () => {
    expect(check({}, { properties: { integrations: { All: false } } })).toEqual(sent)
  })
})

describe('consent', () => {
  const asks = { consentCategories: ['advertising', 'analytics'] }
  const given = (categoryPreferences: unknown) => ({ context: { consent: { categoryPreferences } } })
  it.each<[string, Record<string, unknown>, object]>([
    ['none given', {}, sent],
    ['an object without preferences', { context: { consent: {} } }, sent],
    ['both', given({ advertising: true, analytics: true, other: false }), sent],
    [
      'one refused',
      given({ advertising: false, analytics: true }),
      { kind: 'filtered', reason: 'No consent for advertising' },
    ],
    ['one not there', given({ analytics: true }), { kind: 'filtered', reason: 'No consent for advertising' }],
    ['an empty object', given({}), { kind: 'filtered', reason: 'No consent for advertising, analytics' }],
    [
      'something else than true',
      given({ advertising: 'yes', analytics: true }),
      { kind: 'filtered', reason: 'No consent for advertising' },
    ],
  ])('%s', (_, more, wanted) => {
    expect(check(asks, more)).toEqual(wanted)
  })

  it('consent is checked only if the destination requires it', () => {
    expect(check({}, given({ advertising: false }))).toEqual(sent)
  })
})

describe('the filter of a connection', () => {
  const filter = {
    match: 'all' as const,
    conditions: [{ id: 'aaaa', field: 'properties.total', operator: 'greater_than' as const, value: '10' }],
  }
  const left = { kind: 'filtered', reason: 'Filter of the connection' }
  it('the filter of a connection filters only events of its source, if they do not match', () => {
    expect(check({ filters: new Map([['s1', filter]]) })).toEqual(left)
    expect(check({ filters: new Map([['s1', filter]]) }, { properties: { total: 11 } })).toEqual(sent)
    expect(check({ filters: new Map([['s2', filter]]) })).toEqual(sent)
  })

  it("a connection's filter and integrations do not block replayed events; missing consent does", () => {
    const replay = { meta: { p: 'r' } }
    expect(check({ filters: new Map([['s1', filter]]) }, {}, replay)).toEqual(sent)
    expect(check({}, { integrations: { All: false } }, replay)).toEqual(sent)
    const refused = { context: { consent: { categoryPreferences: { ads: false } } } }
    expect(check({ consentCategories: ['ads'] }, refused, replay)).toMatchObject({ kind: 'filtered' })
  })

  it('an event that several rules filter gets the reason', () => {
    expect(check({ filters: new Map([['s1', filter]]) }, { integrations: { All: false } })).toEqual(left)
  })
})

describe('the age of an event', () => {
  it.each([
    [7 * 86_400_000, 'Older than 7 days'],
    [86_400_000, 'Older than 1 day'],
    [90_000 * 60, 'Older than 90 minutes'],
    [36 * 3_600_000, 'Older than 36 hours'],
  ])('an event with an age of %i ms gets the reason "%s"', (maxEventAgeMs, reason) => {
    const definition = { maxEventAgeMs }
    expect(check({}, {}, { definition, later: maxEventAgeMs })).toEqual(sent)
    expect(check({}, {}, { definition, later: maxEventAgeMs + 1 })).toEqual({ kind: 'filtered', reason })
  })
})

describe('mappings', () => {
  it("a mapping copies a number with all digits if the record's meta marks it, and a filter compares its value", () => {
    const own = mappings({
      destination: 'order',
      field_mappings: [
        { id: 'abcd', source: { type: 'FIELD', name: 'properties.total' }, target: { name: 'total', type: 'number' } },
      ] as never,
      filters: [{ id: 'abcd', field: 'properties.total', operator: 'greater_than', value: '9' }],
    })
    const gate = createGate(relay, { ...entry, mappings: own }, noneForgotten)
    const payloadOf = (total: string, meta: object) => JSON.stringify(gate(recordOf({}, meta, total), 0, now))
    expect(payloadOf('9223372036854775807', { e: true })).toContain('"payload":{"total":9223372036854775807}')
    expect(payloadOf('10.0', { e: true })).toContain('"payload":{"total":10.0}')
    expect(payloadOf('10', {})).toContain('"payload":{"total":10}')
    expect(payloadOf('9.0', { e: true })).toContain('No mapping matches')
  })

  const mappings = (...list: Partial<EventMapping>[]) =>
    eventMappings.parse(list.map((one, n) => ({ id: `000${n}`, destination: 'send', field_mappings: [], ...one })))
  const field = (name: string) => [
    { id: 'aaaa', source: { type: 'FIELD', name: `properties.${name}` }, target: { name: 'total' } },
  ]
  it('a mapping sets the action and its payload', () => {
    const own = mappings({ destination: 'order', field_mappings: field('total') as never })
    expect(check({ mappings: own })).toEqual({ kind: 'pass', action: 'order', payload: { total: 5 } })
  })

  it("a variable of the user's data reads the paths of the workspace, and needs the profile only at paths of the profile", () => {
    const source = { type: 'VARIABLE', name: 'user_email' }
    const own = mappings({
      destination: 'order',
      field_mappings: [{ id: 'aaaa', source, target: { name: 'total' } }] as never,
    })
    const gateOf = (email: string) =>
      createGate(
        relay,
        { ...entry, mappings: own, personData: { ...defaultPersonDataPaths, email: [email] } },
        noneForgotten,
      )
    expect(gateOf('properties.total')(recordOf({}), 0, now)).toMatchObject({ payload: { total: '5' } })
    expect(gateOf('properties.total').needs).toEqual([])
    expect(gateOf('profile.traits.email').needs).toEqual(['traits.email'])
  })

  it('an event is filtered if no mapping matches', () => {
    const own = mappings({ event_name: 'Signed Up' })
    expect(check({ mappings: own })).toEqual({ kind: 'filtered', reason: 'No mapping matches' })
    expect(check({ mappings: [] })).toEqual({ kind: 'filtered', reason: 'No mapping matches' })
  })

  it('a mapping that cannot be applied fails the event with the reason', () => {
    const own = mappings({ destination: 'order', field_mappings: field('nothing') as never })
    expect(check({ mappings: own })).toMatchObject({ kind: 'failed', reason: expect.stringContaining('total') })
  })
})

it('an event that is sent as a whole is not parsed', () => {
  const record = recordOf({ integrations: { All: true } })
  let taken = 0
  const watched = { ...record, values: (index: number) => (taken++, record.values(index)) }
  expect(createGate(relay, { ...entry, consentCategories: ['ads'] }, noneForgotten)(watched, 0, now)).toEqual(sent)
  expect(taken).toBe(0)
})

describe('the work of one event is bounded', () => {
  const conditions = (count: number, field: string) =>
    Array.from({ length: count }, (_, index) => ({
      id: String(index).padStart(4, '0'),
      field,
      operator: 'contains' as const,
      value: `${'a'.repeat(900)}b`,
    }))
  const large = { properties: { text: 'a'.repeat(30_000), list: Array(3000).fill('aaaa') } }

  it('conditions that need too much work fail the event with that reason', () => {
    const filters = new Map([['s1', { match: 'any' as const, conditions: conditions(20, 'properties.text') }]])
    expect(check({ filters }, large)).toEqual({
      kind: 'failed',
      reason: 'The filter of the connection takes more work than one event may: make its conditions fewer',
    })
    const few = new Map([['s1', { match: 'any' as const, conditions: conditions(2, 'properties.text') }]])
    expect(check({ filters: few }, large)).toEqual({ kind: 'filtered', reason: 'Filter of the connection' })
  })

  it.each<[string, object[]]>([
    [
      'conditions of many mappings',
      Array.from({ length: 100 }, (_, index) => ({
        id: String(index).padStart(4, '0'),
        destination: 'send',
        field_mappings: [],
        filter_match: 'all',
        filters: conditions(20, 'properties'),
      })),
    ],
    [
      'fields that carry the whole event many times',
      [
        {
          id: 'aaaa',
          destination: 'send',
          field_mappings: Array.from({ length: 200 }, (_, index) => ({
            id: String(index).padStart(4, '0'),
            source: { type: 'FIELD', name: 'properties' },
            target: { name: `t${index}` },
          })),
        },
      ],
    ],
  ])('%s also fail the event because of too much work', (_, given) => {
    expect(check({ mappings: eventMappings.parse(given) }, large)).toEqual({
      kind: 'failed',
      reason:
        'The mappings use more work than one event allows. Use fewer conditions, templates, or fields with large values',
    })
  })
})

describe('conversions of signals', () => {
  const target = { label: '', help: '', type: 'any', required: false, recommended: false, kind: 'custom' } as const
  const platform: typeof relay = {
    ...relay,
    actions: [
      ...relay.actions,
      { ...relay.actions[0]!, name: 'convert', targets: [{ ...target, name: 'event_name' }] },
    ],
    conversions: {
      platform: 'meta',
      maxAgeMs: { online: 1 },
      action: 'convert',
      eventName: 'event_name',
      eventId: { target: 'event_id', pixelParameter: 'eventID' },
      fields: { value: { type: 'FIELD', name: 'context.signal.value' } },
      identifiers: {},
      needs: [],
    },
  }
  const settings = { eventName: 'Purchase', testCode: '', fields: undefined }
  const of = (signals: DestinationEntry['signals'], mappings?: EventMapping[]) => {
    const context = { signal: { kind: 'conversion', value: 5 } }
    const meta = { s: 'signal-1', b: { k: 'signal', n: 'signal signal-1', e: ['k'] } }
    return createGate(platform, { ...entry, mappings, signals }, noneForgotten)(recordOf({ context }, meta), 0, now)
  }
  it("conversions are mapped by the fields of their signal, regardless of the destination's mappings", () => {
    const conversion = { kind: 'pass', action: 'convert', payload: { event_name: 'Purchase', value: 5 } }
    expect(of(new Map([['signal-1', settings]]))).toEqual(conversion)
    expect(of(new Map([['signal-1', settings]]), [])).toEqual(conversion)
  })
  it('conversions of a signal that no longer sends to the destination are filtered with that reason', () => {
    const left = { kind: 'filtered', reason: 'The signal does not send to this destination any more' }
    expect([of(undefined), of(new Map([['another', settings]]))]).toEqual([left, left])
  })
})
