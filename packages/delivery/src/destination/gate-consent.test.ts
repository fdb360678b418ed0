import { eventMappings, type PipelineEvent } from '@tributary/contract'
import { expect, it } from 'vitest'
import { type DeliveryRecord, openRecord } from '../log/record.ts'
import type { DestinationEntry } from '../ports.ts'
import { relay } from '../testing-connector.ts'
import { createGate, type GateResult } from './gate.ts'

const now = Date.parse('2026-01-08T00:00:00.000Z')

const recordOf = (context: PipelineEvent['context'], meta: object = {}): DeliveryRecord => {
  const time = new Date(now).toISOString()
  const event = {
    eventId: '0-1-0',
    messageId: 'm1',
    type: 'track',
    event: 'Order',
    context,
    receivedAt: time,
    timestamp: time,
  }
  const made = {
    partition: 0,
    offset: 1,
    incarnation: '',
    time: now,
    key: 'w',
    body: Buffer.from(`[${JSON.stringify(event)}]\n`),
  }
  const record = openRecord({ ...made, meta: JSON.stringify({ w: 'w', s: 's1', d: ['d'], n: 1, ...meta }) })
  if (record === undefined) throw new Error('no record')
  return record
}

const action = 'convert'
const target = { label: '', help: '', type: 'any', required: false, recommended: false, kind: 'custom' } as const
const platform: typeof relay = {
  ...relay,
  actions: [...relay.actions, { ...relay.actions[0]!, name: action, targets: [{ ...target, name: 'event_name' }] }],
  conversions: {
    platform: 'meta',
    maxAgeMs: { online: 1 },
    action,
    eventName: 'event_name',
    eventId: { target: 'event_id', pixelParameter: 'eventID' },
    fields: {},
    identifiers: {},
    needs: [],
  },
}

const consentOf = (ads: boolean | undefined): object =>
  ads === undefined ? {} : { consent: { categoryPreferences: { ads } } }

/** Returns a mapping of one field from a template. */
const mappingsOf = (value: string) => {
  const source = { type: 'TEMPLATE', value }
  return eventMappings.parse([
    { id: 'aaaa', destination: action, field_mappings: [{ id: 'f001', source, target: { name: 'email' } }] },
  ])
}

const check = (record: DeliveryRecord, of: Partial<DestinationEntry>): GateResult => {
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
    ...of,
  }
  return createGate(platform, entry, { until: () => 0, version: () => '', isOf: () => false })(record, 0, now)
}

it.each<[string, readonly string[], boolean | undefined, object]>([
  ['without required consent', [], undefined, { email: 'a@example.com' }],
  ['with the required consent', ['ads'], true, { email: 'a@example.com' }],
  ['without any consent', ['ads'], undefined, {}],
])('a conversion %s has values of its profile or not', (_, consentCategories, ads, expected) => {
  const profile = { traits: { email: 'a@example.com' } }
  const context = { ...consentOf(ads), signal: { kind: 'conversion', profile } }
  const record = recordOf(context, { s: 'signal-1', b: { k: 'signal', n: 'signal signal-1', e: ['k'] } })
  const fields = mappingsOf('{{ profile.traits.email }}')[0]?.field_mappings
  const signals = new Map([['signal-1', { eventName: 'Purchase', testCode: '', fields }]])
  const result = check(record, { consentCategories, signals })
  expect(result).toHaveProperty('payload', { event_name: 'Purchase', ...expected })
  // Conversions contain their values, so that nothing is kept with their deliveries.
  expect(result).not.toHaveProperty('profile')
})
