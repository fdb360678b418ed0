import { type EventMapping, eventMappings, type PipelineEvent } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import { compileMappings } from './compile.ts'
import { signalMappings } from './signal-mappings.ts'
import { compilePresence, identifiersIn } from './signal-presence.ts'
import { actionOf, definitionOf, eventOf, targetOf } from './testing-mappings.ts'

/** A country of two letters. A national number is completed for Germany only. */
const comparable = (text: string, country = ''): string =>
  text.startsWith('+') ? text.slice(1) : country === 'DE' ? `49${text.slice(1)}` : ''

const action = actionOf('do', {
  targets: [
    targetOf('value'),
    targetOf('currency', { type: 'string', default: { setting: 'default_currency', beside: ['value'] } }),
    targetOf('city', { type: 'string' }),
    targetOf('country', {
      type: 'string',
      usable: (text) => (/^[A-Z]{2}$/.test(text) ? text : ''),
      default: { setting: 'default_country', beside: ['city'] },
    }),
    targetOf('phone', {
      type: 'string',
      pii: 'phone',
      comparable,
      countryTarget: 'country',
      countrySetting: 'default_country',
    }),
  ],
})
const definition = definitionOf([action])
const ids = { workspaceId: 'w1', destinationId: 'd1' }
const settings = { default_currency: 'EUR', default_country: 'DE' }
const names = ['value', 'currency', 'city', 'country', 'phone']
const mappingsOf = (targets = names, more: Readonly<Record<string, object>> = {}): EventMapping[] =>
  eventMappings.parse([
    {
      id: 'aaaa',
      destination: 'do',
      field_mappings: targets.map((name) => ({
        id: `000${names.indexOf(name)}`,
        source: { type: 'FIELD', name: `properties.${name}` },
        target: { name },
        ...more[name],
      })),
    },
  ])
const map = (
  properties: object,
  given: { targets?: string[]; settings?: object; more?: Readonly<Record<string, object>> } = {},
) =>
  compileMappings(definition, mappingsOf(given.targets, given.more), {
    ...ids,
    settings: (given.settings ?? settings) as Readonly<Record<string, unknown>>,
  })(eventOf({ properties } as Partial<PipelineEvent>), 's1')

const note = (field: string, message: string) => ({ field, message, severity: 'note', isListed: true })
const euro = note('0001', 'currency: the default EUR is used')

describe('the default of a target', () => {
  test.each([
    ['absent', { value: 5 }, { value: 5, currency: 'EUR' }, [euro]],
    ['null', { value: 5, currency: null }, { value: 5, currency: 'EUR' }, [euro]],
    ['blank', { value: 5, currency: ' ' }, { value: 5, currency: 'EUR' }, [euro]],
    ['given', { value: 5, currency: 'USD' }, { value: 5, currency: 'USD' }, []],
    ['wrong', { value: 5, currency: 'EURO' }, { value: 5, currency: 'EURO' }, []],
    ['absent, and so is the value', {}, {}, []],
    ['absent, and the value is blank', { value: '' }, { value: '' }, []],
  ])('is sent with a note only if the value is %s', (_, properties, payload, problems) => {
    expect(map(properties)).toEqual({ kind: 'mapped', action: 'do', payload, problems })
  })

  test('is not sent for a value of a wrong form', () => {
    expect(map({ city: 'Berlin', country: 'Atlantis' })).toMatchObject({
      payload: { city: 'Berlin' },
      problems: [{ field: '0003', severity: 'error' }],
    })
  })

  test('is sent for a target that is not mapped, and not for one that is turned off', () => {
    expect(map({ value: 5 }, { targets: ['value'] })).toMatchObject({
      payload: { value: 5, currency: 'EUR' },
      problems: [note('currency', 'currency: the default EUR is used')],
    })
    expect(map({ value: 5 }, { more: { currency: { enabled: false } } })).toMatchObject({
      payload: { value: 5 },
      problems: [],
    })
  })

  test.each([
    {},
    { default_currency: '' },
    { default_currency: '  ' },
    { default_currency: 5 },
    { default_currency: 'E'.repeat(300) },
  ])('is nothing without a usable setting: %j', (own) => {
    expect(map({ value: 5 }, { settings: own })).toMatchObject({ payload: { value: 5 }, problems: [] })
  })
})

describe('the default country', () => {
  // printf 49301234567 | sha256sum
  const german = '2f9fbc550b12cbc0e6242384cc472bd1e4f058a8b773f189f7acb86d202655ce'
  test('completes a phone number in national form, with a note', () => {
    expect(map({ phone: '0301234567' })).toEqual({
      kind: 'mapped',
      action: 'do',
      payload: { phone: german },
      problems: [note('0004', 'phone: the default DE is used')],
    })
  })

  test('changes nothing of an international number, and replaces no country', () => {
    expect(map({ phone: '+49301234567' })).toMatchObject({ payload: { phone: german }, problems: [] })
    expect(map({ phone: '0301234567', country: 'US' })).toMatchObject({
      payload: { country: 'US' },
      problems: [{ field: '0004', severity: 'error' }],
    })
  })
})

test('a signal has exactly the identifiers that are sent, with defaults', () => {
  const conversions = {
    action: 'do',
    platform: 'meta' as const,
    eventId: { target: 'event_id', pixelParameter: 'event_id' },
    maxAgeMs: { online: 1 },
    needs: [],
    identifiers: { phone: { targets: ['phone'], weight: 1 }, address: { targets: ['country'], weight: 1 } },
    fields: Object.fromEntries(names.map((name) => [name, { type: 'FIELD', name: `properties.${name}` }])),
  } as const
  const platform = { ...definition, conversions } as unknown as Parameters<typeof compilePresence>[0]
  const given = { eventName: '', testCode: '', fields: undefined }
  for (const own of [settings, {}, { default_country: 'US' }, { default_country: 'Germany' }]) {
    const place = { ...ids, settings: own }
    const has = compilePresence(platform, given, place)
    const mapper = compileMappings(
      platform,
      signalMappings(platform, given).map((each) => ({ ...each, filters: [] })),
      place,
    )
    for (const phone of [undefined, '', '0301234567', '+49301234567', '301'])
      for (const country of [undefined, null, ' ', 'DE', 'Atlantis', 5])
        for (const city of [undefined, ' ', 'Berlin']) {
          const event = eventOf({ properties: { phone, country, city } } as Partial<PipelineEvent>)
          const made = mapper(event, 's1')
          const payload = made.kind === 'mapped' ? made.payload : {}
          const sent = [
            ...(payload?.['phone'] === undefined ? [] : ['phone']),
            ...(payload?.['country'] === undefined ? [] : ['address']),
          ]
          expect([own, phone, country, city, identifiersIn(has(event, 's1'))]).toEqual([
            own,
            phone,
            country,
            city,
            sent,
          ])
        }
  }
})
