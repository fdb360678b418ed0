import { type EventMapping, eventTypes, type PipelineEvent } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import type { DestinationDefinition } from '../definition/definition.ts'
import { DeliveryError } from '../errors.ts'
import { compileMappings } from '../mapping/compile.ts'
import { presetMappings } from '../mapping/presets.ts'
import { outgoingEvent, type PeerAnswer, runConnector } from './testing.ts'
import { startVendor, type VendorRequest } from './testing-destination.ts'

type Values = Readonly<Record<string, unknown>>

/** The members of an event. A value of undefined removes a member that all presets share. */
type Given = Partial<Omit<PipelineEvent, 'properties' | 'traits' | 'context'>> &
  Partial<Record<'properties' | 'traits' | 'context', Values>>

/** Returns an event of a minute ago with a user ID. */
const eventOf = (given: Given): PipelineEvent => {
  const minuteAgo = new Date(Date.now() - 60_000).toISOString()
  return {
    eventId: '0-00000000000000000001-00000',
    messageId: 'm-1',
    type: 'track',
    event: '',
    userId: 'u1',
    properties: {},
    context: {},
    test: false,
    receivedAt: minuteAgo,
    timestamp: minuteAgo,
    ...given,
  } as PipelineEvent
}

/** A value of a target, and what the vendor receives for it. */
export type WireRow = {
  /** A target of the action, a custom field, or `settings.` with the name of a setting. */
  target: string
  value: unknown
  /** The path in the record, such as `user_data.em.0`. With `^` it begins at the request: `^query.firebase_app_id`. */
  at: string
  /** The value at that path by the vendor's page or library. */
  sent: unknown
  /** The vendor's page or library. */
  source: string
  /** The vendor's name of a member of a product, if the row is about one. */
  item?: string
  /** Values of other targets without which this one is not sent. */
  beside?: Values
  settings?: Values
}

/** An event of a preset, and what the vendor receives. It adds to what is the same for all presets. */
export type WirePreset = {
  event?: Given
  /** The value that arrives for each mapped field, by target. */
  sent?: Values
  /**
   * Mapped fields that cannot arrive together with the others, with the reason. The event still has a value
   * for those in `common`, and a preset with a value in `sent` sends them.
   */
  apart?: Readonly<Record<string, string>>
  /** The path of a target, if it is not that of the first row. */
  places?: Readonly<Record<string, string>>
  settings?: Values
}

export type WireCases = {
  definition: DestinationDefinition
  origins: readonly string[]
  settings: Values
  /** Returns a new stand-in for the vendor. */
  vendor: () => (request: VendorRequest) => PeerAnswer
  accessToken?: () => Promise<string>
  /** The path of the event in the last request, or a function that returns the event of all requests. */
  record: string | ((asked: readonly VendorRequest[]) => unknown)
  /** For each action, values of targets with which an event is sent, and a row or several for each target. */
  actions: Readonly<Record<string, { base: Values; type?: PipelineEvent['type']; rows: readonly WireRow[] }>>
  /** The event and the values that all presets share. */
  common: WirePreset
  /** By the name of the event, or its type in parentheses. */
  presets: Readonly<Record<string, WirePreset>>
}

type Row = readonly [target: string, value: unknown, at: string, sent: unknown, more?: Omit<Partial<WireRow>, 'target'>]

/** Returns rows of one source. */
export const rowsFrom = (source: string, rows: readonly Row[]): WireRow[] =>
  rows.map(([target, value, at, sent, more]) => ({ target, value, at, sent, source, ...more }))

const read = (whole: unknown, path: string): unknown => {
  let part = whole
  for (const name of path.split('.')) {
    if (typeof part !== 'object' || part === null) return undefined
    part = (part as Record<string, unknown>)[name]
  }
  return part
}

/** The event as an action with other settings sends it. */
type Sending = { mappings?: readonly EventMapping[] | undefined; settings?: Values | undefined }

const send = async (cases: WireCases, event: PipelineEvent, { mappings, settings = {} }: Sending) => {
  const { definition, origins } = cases
  const map = compileMappings(definition, mappings, { workspaceId: 'w', destinationId: 'd' })
  const mapped = map(event, 's', JSON.stringify(event))
  if (mapped.kind !== 'mapped') return { mapped: JSON.stringify(mapped), payload: {} as Values, at: () => undefined }
  const { action, payload = {} as Values } = mapped
  const { asked, rebase } = await startVendor({ origins }, cases.vendor())
  const outgoing = outgoingEvent(event, { action, payload })
  const { accessToken } = cases
  const all = { ...cases.settings, ...settings }
  const granted = accessToken === undefined ? {} : { accessToken }
  const { outcomes } = await runConnector(definition, all, [outgoing], { rebase, ...granted }).catch(
    (error: unknown) => {
      if (error instanceof DeliveryError) return { outcomes: [{ kind: 'held', reason: error.message }] }
      throw error
    },
  )
  const outcome = 'kind' in outcomes ? outcomes : outcomes[0]
  const whole = { ...asked.at(-1), outcome }
  const sent = (): unknown => {
    if (asked.length === 0) return undefined
    return typeof cases.record === 'string' ? read(whole, cases.record) : cases.record(asked)
  }
  const at = (path: string): unknown => (path.startsWith('^') ? read(whole, path.slice(1)) : read(sent(), path))
  return { mapped: 'mapped', payload, at, outcome }
}

const isSetting = (target: string): boolean => target.startsWith('settings.')

/** Returns a mapping that reads each target from the property of the same name. */
const mappingOf = (definition: DestinationDefinition, action: string, targets: readonly string[]): EventMapping[] =>
  presetMappings({
    ...definition,
    presets: [
      {
        action,
        fields: Object.fromEntries(targets.map((name) => [name, { type: 'FIELD', name: `properties.${name}` }])),
      },
    ],
  })

const sendRow = (cases: WireCases, action: string, row: WireRow, isGiven: boolean) => {
  const { base = {}, type = 'track' } = cases.actions[action] ?? {}
  const { [row.target]: _, ...rest } = { ...base, ...row.beside }
  const given = isGiven && !isSetting(row.target) ? { ...rest, [row.target]: row.value } : rest
  const ofSetting = isGiven && isSetting(row.target) ? { [row.target.slice('settings.'.length)]: row.value } : {}
  const event = eventOf({ event: 'Order Completed', type, properties: given })
  const mappings = mappingOf(cases.definition, action, Object.keys(given))
  return send(cases, event, { mappings, settings: { ...row.settings, ...ofSetting } })
}

type Preset = DestinationDefinition['presets'][number]

/** Returns the presets by their names in the cases. A second preset with the same name has a 2 behind it. */
const namedPresets = ({ presets }: DestinationDefinition): (readonly [name: string, preset: Preset])[] => {
  const nameOf = ({ eventName, eventType }: Preset): string => eventName ?? `(${String(eventType)})`
  return presets.map((preset, at) => {
    const earlier = presets.slice(0, at).filter((other) => nameOf(other) === nameOf(preset)).length
    return [earlier === 0 ? nameOf(preset) : `${nameOf(preset)} ${earlier + 1}`, preset]
  })
}

const typeOf = (name: string): PipelineEvent['type'] | undefined =>
  eventTypes.find((type) => name.startsWith(`(${type})`))

const eventOfPreset = ({ event: common = {} }: WirePreset, { event: own = {} }: WirePreset, name: string) => {
  const type = typeOf(name)
  return eventOf({
    event: type === undefined ? name : '',
    type: type ?? 'track',
    ...common,
    ...own,
    properties: { ...common.properties, ...own.properties },
    context: { ...common.context, ...own.context },
  })
}

const testRows = (cases: WireCases): void => {
  const { actions } = cases.definition
  const all = actions.flatMap(({ name }) => (cases.actions[name]?.rows ?? []).map((row) => ({ action: name, row })))
  it.each(all.map(({ action, row }) => [action, row.target, row.at, row] as const))(
    '%s: %s arrives as %s',
    async (action, _target, _at, row) => {
      const { at, mapped, outcome } = await sendRow(cases, action, row, true)
      expect([mapped, at(row.at), outcome]).toEqual([mapped, row.sent, outcome])
      // Otherwise, the value would have another origin than the target.
      expect((await sendRow(cases, action, row, false)).at(row.at)).not.toEqual(row.sent)
    },
  )

  it('each target of each action, and each member of its products, has a row', () => {
    const without = actions.flatMap(({ name, targets }) => {
      const rows = cases.actions[name]?.rows ?? []
      return targets.flatMap((target) => {
        const own = rows.filter((row) => row.target === target.name)
        const members = new Set(own.flatMap(({ value }) => [value].flat().flatMap((one) => Object.keys(one ?? {}))))
        const fields = (target.fields ?? []).filter((field) => !members.has(field.name))
        return [
          ...(own.length === 0 ? [`${name}.${target.name}`] : []),
          ...fields.map((field) => `${name}.${target.name}.${field.name}`),
        ]
      })
    })
    expect(without).toEqual([])
  })
}

const testPresets = (cases: WireCases): void => {
  const { definition, common } = cases
  it.each(namedPresets(definition))('the preset for %s sends every mapped field', async (name, preset) => {
    const own = cases.presets[name]
    if (own === undefined) throw new Error('no event')
    const { enabled: _, ...shown } = preset
    const mappings = presetMappings({ ...definition, presets: [shown] })
    const settings = { ...common.settings, ...own.settings }
    const { mapped, payload, at, outcome } = await send(cases, eventOfPreset(common, own, name), { mappings, settings })
    expect([mapped, outcome]).toMatchObject(['mapped', { kind: 'delivered' }])
    const rows = cases.actions[preset.action]?.rows ?? []
    const wanted = { ...common.sent, ...own.sent }
    const isApart = (target: string): boolean =>
      Object.hasOwn(own.apart ?? {}, target) ||
      (Object.hasOwn(common.apart ?? {}, target) && !Object.hasOwn(own.sent ?? {}, target))
    const targets = Object.keys(preset.fields)
    const placeOf = (target: string): string =>
      own.places?.[target] ?? common.places?.[target] ?? rows.find((row) => row.target === target)?.at ?? ''
    const isMapped = (target: string): boolean =>
      Object.hasOwn(own.apart ?? {}, target) || payload[target] !== undefined
    expect(targets.filter((target) => !isMapped(target))).toEqual([])
    const arriving = targets.filter((target) => !isApart(target))
    expect(Object.fromEntries(arriving.map((target) => [target, at(placeOf(target))]))).toEqual(
      Object.fromEntries(arriving.map((target) => [target, wanted[target] ?? 'not in the table'])),
    )
  })

  it('each event belongs to a preset, and each preset has an event', () => {
    expect(Object.keys(cases.presets).toSorted()).toEqual(
      namedPresets(definition)
        .map(([name]) => name)
        .toSorted(),
    )
  })
}

/**
 * Defines the tests of every target and every preset of a destination: each value is at its place in the request that
 * the vendor receives. They fail for a target without a row, and for a mapped field of a preset without a value.
 */
export const testWire = (cases: WireCases): void => {
  describe(`what ${cases.definition.title} receives`, () => {
    testRows(cases)
    testPresets(cases)
  })
}
