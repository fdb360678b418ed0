import {
  compileMappings,
  conversionProfile,
  type DestinationDefinition,
  isPlatform,
  type MappingPlace,
  presetMappings,
  signalMappings,
  signalNeeds,
} from '@tributary/connector-kit'
import {
  defaultPersonDataPaths,
  type EventMapping,
  type FieldMapping,
  type PersonDataKind,
  type PipelineEvent,
  personDataKinds,
  personKindOf,
} from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import { listedDestinations } from '../../index.ts'

const definitions = await Promise.all(listedDestinations.map((entry) => entry.load()))
const place: MappingPlace = { workspaceId: 'w', destinationId: 'd' }

const contextTraits = 'context.traits.'

/** The holders of a person's data in the order in which presets read an identify call. */
const holdersOfIdentify = ['traits', 'context.traits']

/** The templates that presets had for identify calls before the kinds of data were a setting. */
const identifyPaths = (kind: PersonDataKind): string[] => {
  const usual = defaultPersonDataPaths[kind]
  const inTraits = usual
    .filter((path) => path.startsWith(contextTraits))
    .map((path) => path.slice(contextTraits.length))
  const pathsOf = (names: readonly string[]) =>
    holdersOfIdentify.flatMap((holder) => names.map((name) => `${holder}.${name}`))
  const inAddress = inTraits.filter((name) => name.startsWith('address.'))
  return [...pathsOf(inAddress), ...pathsOf(inTraits.filter((name) => !inAddress.includes(name)))]
}

const templateOf = (paths: readonly string[]) => `{{ ${paths.join(' | default: ')} }}`

/** Returns the mapping with the templates that presets had before the kinds of data were a setting. */
const withTemplates = (mapping: EventMapping, last: (kind: PersonDataKind) => string[] = () => []): EventMapping => {
  const field = (each: FieldMapping): FieldMapping => {
    const [variable] = each.source.type === 'FIRST' ? each.source.sources : [each.source]
    const kind = variable?.type === 'VARIABLE' ? personKindOf(variable.name) : undefined
    if (kind === undefined) return each
    const paths = mapping.event_type === 'identify' ? identifyPaths(kind) : defaultPersonDataPaths[kind]
    const value = templateOf([...paths, ...last(kind)])
    const { display_name, is_event_name_key, kind: part } = each.source
    return { ...each, source: { type: 'TEMPLATE', value, display_name, is_event_name_key, kind: part } }
  }
  return { ...mapping, field_mappings: mapping.field_mappings.map(field) }
}

const random = (seed: number) => {
  let state = seed
  return (most: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

const values: Readonly<Record<PersonDataKind, readonly unknown[]>> = {
  email: ['ada@example.com', ' Grace@Example.com ', 'not an email', 5],
  phone: ['+49 170 1234567', 491701234567, '030 123', 12345678901234567890n],
  first_name: ['Ada', 'Jörg'],
  last_name: ['Lovelace', 'O’Neil'],
  city: ['Köln', 'New York'],
  state: ['NY', 'Bavaria'],
  postal_code: ['10001', 50667],
  country: ['DE', 'us', 'United States'],
  gender: ['f', 'male', true],
  birthday: ['1815-12-10', '19060912'],
}
const oddities = ['', ' ', null, false, 0, [], {}, ['ada@example.com', 'b@example.com'], { value: 1 }] as const

const put = (to: Record<string, unknown>, path: string, value: unknown): void => {
  const names = path.split('.')
  const last = names.pop() ?? ''
  let at = to
  for (const name of names) at = (at[name] ??= {}) as Record<string, unknown>
  at[last] = value
}

const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'bigint' ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(each)) : each,
  )

const eventOf = (
  seed: number,
  { event_name, event_type }: EventMapping,
  paths: (kind: PersonDataKind) => readonly string[],
  odd: readonly unknown[] = oddities,
): { event: PipelineEvent; json: string } => {
  const dice = random(seed)
  const event: Record<string, unknown> = {
    eventId: '0-1-0',
    messageId: 'm-1',
    type: event_type === '' ? 'track' : event_type,
    event: event_name,
    userId: 'u1',
    context: {},
    traits: {},
    ...(event_type === 'identify' ? {} : { properties: { revenue: 5, currency: 'EUR' } }),
    test: false,
    receivedAt: '2026-01-01T00:00:00.000Z',
    timestamp: '2026-01-01T00:00:00.000Z',
  }
  for (const { kind } of personDataKinds)
    for (const path of paths(kind)) {
      if (dice(3) !== 0) continue
      const from = dice(4) === 0 ? odd : values[kind]
      put(event, path, from[dice(from.length)])
    }
  const json = jsonOf(event)
  return { event: JSON.parse(json) as PipelineEvent, json }
}

const usesPerson = ({ field_mappings }: EventMapping): boolean =>
  field_mappings.some(({ source }) => source.type === 'VARIABLE' && personKindOf(source.name) !== undefined)

const mappedBy = (
  definition: DestinationDefinition,
  mapping: EventMapping,
  { event, json }: ReturnType<typeof eventOf>,
) => {
  const mapped = compileMappings(definition, [mapping], place)(event, 's', json)
  return { kind: mapped.kind, payload: 'payload' in mapped ? JSON.stringify(mapped.payload) : '' }
}

const withPresets = definitions.flatMap((definition) => {
  const mappings = presetMappings(definition).filter(usesPerson)
  return mappings.length === 0 ? [] : [{ slug: definition.slug, definition, mappings }]
})

describe.each(withPresets)("the paths of a person's data for $slug", ({ definition, mappings }) => {
  it('give what the templates of earlier presets gave', () => {
    for (const [index, mapping] of mappings.entries()) {
      const earlier = withTemplates({ ...mapping, enabled: true })
      expect(earlier).not.toEqual(mapping)
      for (let seed = 0; seed < 40; seed++) {
        const given = eventOf(index * 1000 + seed, mapping, (kind) =>
          mapping.event_type === 'identify' ? identifyPaths(kind) : defaultPersonDataPaths[kind],
        )
        const now = mappedBy(definition, { ...mapping, enabled: true }, given)
        expect(now, given.json).toEqual(mappedBy(definition, earlier, given))
      }
    }
  })
})

it('presets of these destinations read the paths of the workspace', () => {
  const known = [
    'braze',
    'customer-io',
    'google-ads',
    'google-analytics',
    'google-customer-match',
    'hubspot',
    'intercom',
    'klaviyo',
    'loops',
    'meta-conversions',
    'meta-custom-audiences',
    'tiktok-audiences',
    'tiktok-events',
  ]
  expect(withPresets.map(({ slug }) => slug)).toEqual(expect.arrayContaining(known))
})

describe.each(definitions.filter(isPlatform).map((definition) => ({ slug: definition.slug, definition })))(
  'a signal for $slug',
  ({ definition }) => {
    const settings = { eventName: 'Purchase', testCode: '', fields: undefined }
    const profileNames = (kind: PersonDataKind): string[] => [
      ...defaultPersonDataPaths[kind].filter((path) => path.startsWith('traits.')),
      ...(kind === 'email' || kind === 'phone' ? [`identifiers.${kind}`] : []),
    ]
    const [conversion] = signalMappings(definition, settings)
    if (conversion === undefined) throw new Error('a platform has no mapping for conversions')
    const earlier = withTemplates(conversion, (kind) => profileNames(kind).map((name) => `profile.${name}`))

    it('reads the event first and the profile last, as the templates of earlier versions did', () => {
      for (let seed = 0; seed < 60; seed++) {
        const paths = (kind: PersonDataKind) => [
          ...(seed % 2 === 0 ? defaultPersonDataPaths[kind] : []),
          ...profileNames(kind).map((name) => `context.signal.profile.${name}`),
        ]
        // After a blank text, the profile is read now. Before, nothing was sent.
        const { event } = eventOf(seed, { ...conversion, event_type: 'track' }, paths, ['', null])
        put(event as never, 'context.signal.kind', 'conversion')
        put(event as never, 'context.signal.time', '2026-01-01T00:00:00.000Z')
        put(event as never, 'context.signal.event_id', 'order-1')
        const send = (mapping: EventMapping) => {
          const mapped = compileMappings(definition, [mapping], place)(event, 's', undefined, conversionProfile(event))
          if (mapped.kind !== 'mapped') throw new Error(JSON.stringify(mapped))
          return mapped.payload
        }
        expect(send(conversion), JSON.stringify(event)).toEqual(send(earlier))
      }
    })

    it('needs the values of the profile that it reads', () => {
      const needs = signalNeeds(definition, settings)
      expect(needs).toContain('traits.email')
      expect(needs).toContain('identifiers.phone')
      const own = { ...defaultPersonDataPaths, email: ['profile.traits.contact.mail'] }
      expect(signalNeeds(definition, settings, own)).toContain('traits.contact')
    })
  },
)
