import { signalDefinition } from '@tributary/contract'
import { expect, test } from 'vitest'
import {
  amountOf,
  changeOf,
  type DraftEvent,
  definitionOf,
  draftOf,
  emptyDraft,
  firstOpen,
  isDone,
  problemsOf,
  type SignalDraft,
  withConversion,
  withEvents,
  withPlatform,
} from './draft.ts'

const track = (event_name: string): DraftEvent => ({ event_type: 'track', event_name })
const filled: SignalDraft = {
  ...withPlatform(emptyDraft, 'workspaces/w/destinations/meta', true),
  sources: ['workspaces/w/sources/shop'],
}

test('a complete draft is a valid definition, and is restored from it unchanged', () => {
  const drafts: SignalDraft[] = [
    filled,
    { ...filled, trigger: 'audience', audience: 'workspaces/w/audiences/a' },
    { ...filled, value: { ...filled.value, type: 'fixed', amount: '12.5', currency: 'EUR' } },
    { ...filled, value: { ...filled.value, type: 'none' } },
    { ...filled, eventId: { ...filled.eventId, type: 'message_id' } },
    { ...filled, refunds: { ...filled.refunds, on: true, amountPath: 'properties.total' } },
    {
      ...filled,
      filters: {
        match: 'any',
        conditions: [{ id: 'aaaa', field: 'properties.total', operator: 'greater_than', value: '10' }],
      },
    },
  ]
  for (const draft of drafts) {
    expect(firstOpen(draft)).toBeUndefined()
    const definition = definitionOf(draft)
    expect(signalDefinition.parse(definition)).toEqual(definition)
    const platforms = definition.platforms.map((each) => ({
      ...each,
      field_mappings: [],
      is_preset: true,
      title: '',
      app: { display_name: '', extra: { app_icon: '' } },
      platform: 'meta' as const,
      shown_event_name: '',
      has_test_code: true,
      enabled: true,
      problem: '',
    }))
    expect(definitionOf(draftOf({ ...definition, title: 'Purchase', platforms }))).toEqual(definition)
  }
})

test('each error is shown at its field, and blocks its step', () => {
  const table: readonly [SignalDraft, Parameters<typeof problemsOf>[1], string][] = [
    [{ ...filled, sources: [] }, 'trigger', 'sources'],
    [{ ...filled, events: [] }, 'trigger', 'events'],
    [
      { ...filled, filters: { match: 'all', conditions: [{ id: 'aaaa', field: '', operator: 'equals', value: '1' }] } },
      'trigger',
      'aaaa',
    ],
    [{ ...filled, trigger: 'audience' }, 'trigger', 'audience'],
    [{ ...filled, conversion: { type: 'custom', custom_name: '1st order' } }, 'conversion', 'custom_name'],
    [{ ...filled, value: { ...filled.value, amountPath: ' ' } }, 'value', 'amountPath'],
    [{ ...filled, value: { ...filled.value, currency: 'EURO' } }, 'value', 'currency'],
    [{ ...filled, value: { ...filled.value, currencyPath: '', currency: '' } }, 'value', 'currency'],
    [{ ...filled, value: { ...filled.value, type: 'fixed', amount: '-1' } }, 'value', 'amount'],
    [{ ...filled, eventId: { type: 'path', path: '' } }, 'event_id', 'path'],
    [{ ...filled, refunds: { ...filled.refunds, on: true, orderPath: '' } }, 'event_id', 'orderPath'],
    [{ ...filled, platforms: [] }, 'platforms', 'platforms'],
    [{ ...filled, title: ' ' }, 'review', 'title'],
  ]
  for (const [draft, step, field] of table) {
    expect(Object.keys(problemsOf(draft, step))).toEqual([field])
    expect(isDone(draft, step)).toBe(false)
    expect(firstOpen(draft)).toBe(step)
  }
})

test('an empty required field of a platform is an error of the platform', () => {
  const [platform] = filled.platforms
  const target = {
    name: 'em',
    display_name: '',
    is_required: false,
    is_recommended: false,
    type: 'any',
    kind: 'custom',
  }
  const source = { type: 'FIELD', name: '', display_name: '', is_event_name_key: false, kind: 'custom' }
  const field = { id: 'aaaa', source, target, enabled: true }
  const draft = { ...filled, platforms: [{ ...platform, field_mappings: [field] }] } as unknown as SignalDraft
  expect(problemsOf(draft, 'platforms')).toEqual({
    'workspaces/w/destinations/meta': 'Some fields are not filled in',
  })
})

test('the usual conversion of an event is suggested, with its value and event ID, until another one is chosen', () => {
  const lead = withEvents(filled, [track('Lead Created')])
  expect(lead).toMatchObject({ conversion: { type: 'lead' }, value: { type: 'none' }, eventId: { type: 'message_id' } })
  expect(withEvents(lead, [track('Product Added')])).toMatchObject({
    conversion: { type: 'add_to_cart' },
    value: { type: 'event', amountPath: 'properties.value' },
  })
  const chosen = withConversion(lead, { type: 'contact', custom_name: '' })
  expect(withEvents(chosen, [track('Signed Up')]).conversion.type).toBe('contact')
})

test('choosing another conversion resets the names on the platforms, and turns off refunds unless the new one is an order', () => {
  const named = {
    ...filled,
    refunds: { ...filled.refunds, on: true },
    platforms: filled.platforms.map((each) => ({ ...each, event_name: 'Sale', test_event_code: 'TEST1' })),
  }
  expect(withConversion(named, { type: 'lead', custom_name: '' })).toMatchObject({
    refunds: { on: false },
    platforms: [{ event_name: '', test_event_code: 'TEST1' }],
  })
})

test('each part of a signal is saved separately; refunds are saved together with the event ID', () => {
  expect(Object.keys(changeOf(filled, 'value'))).toEqual(['value'])
  expect(Object.keys(changeOf(filled, 'event_id'))).toEqual(['event_id', 'refunds'])
})

test('an amount is a number that is not negative, with a point or a comma', () => {
  const table: readonly [string, number | undefined][] = [
    ['25', 25],
    [' 25.50 ', 25.5],
    ['25,5', 25.5],
    ['', undefined],
    ['-1', undefined],
    ['1.000,50', undefined],
    ['1e3', undefined],
  ]
  for (const [text, amount] of table) expect(amountOf(text)).toBe(amount)
})
