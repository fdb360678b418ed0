import {
  type ActionDefinition,
  type ActionTarget,
  createMappingIds,
  type MappingPreset,
  mappingTargetOf,
  presetSourceOf,
} from '@tributary/connector-kit'
import {
  type EventType,
  type FieldMapping,
  type MappingTarget,
  mappingLimits,
  mappingSource,
  pathNames,
  pathOf,
  targetTypes,
} from '@tributary/contract'
import type { SeenField } from './seen-fields.ts'

/** Removes differences in spelling from a name: `Zip-Code`, `zip_code`, and `zipCode` become the same text. */
const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** Names of targets, and names in events that usually mean the same. All are in the form that `plain` returns. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  em: ['email'],
  emailaddress: ['email'],
  ph: ['phone', 'phonenumber'],
  phone: ['phonenumber', 'mobile'],
  phonenumber: ['phone', 'mobile'],
  fn: ['firstname'],
  ln: ['lastname'],
  ct: ['city'],
  st: ['state'],
  zp: ['zip', 'zipcode', 'postalcode'],
  zip: ['zipcode', 'postalcode'],
  ge: ['gender'],
  db: ['birthday', 'dateofbirth'],
  externalid: ['userid'],
  distinctid: ['userid'],
  clientid: ['anonymousid'],
  deviceid: ['anonymousid'],
  eventname: ['event'],
  eventtime: ['timestamp'],
  time: ['timestamp'],
  eventid: ['messageid'],
  insertid: ['messageid'],
  idempotencykey: ['messageid'],
  url: ['pageurl'],
  eventsourceurl: ['pageurl'],
  clientuseragent: ['useragent'],
  clientipaddress: ['ip'],
  ipaddress: ['ip'],
  value: ['revenue', 'total', 'amount'],
  revenue: ['total', 'value', 'amount'],
  transactionid: ['orderid'],
}

/** Returns the names that the value of a target may have in an event, the most likely first. */
const keysOf = ({ name, label }: ActionTarget): string[] => {
  const names = pathNames(name)
  const own = [names.at(-1) ?? '', names.slice(-2).join(''), names.join(''), label].map(plain)
  return [...new Set([...own, ...own.flatMap((key) => (Object.hasOwn(aliases, key) ? (aliases[key] ?? []) : []))])]
}

const ofUsers: ReadonlySet<string> = new Set(['identity', 'trait'])

/**
 * Returns the rank of a field among fields with the same name. Less nested fields come first. Among these, fields of
 * the event come first, or traits of its user if the target is about the user.
 */
const rankOf = ({ name }: SeenField, target: ActionTarget, type: EventType | ''): number => {
  const names = pathNames(name)
  const [first = '', second] = names
  const traits = first === 'context' && second === 'traits'
  const place = traits ? 'context.traits' : names.length === 1 ? '' : first
  const user = type === 'identify' || target.pii !== undefined || ofUsers.has(target.kind)
  const order = user
    ? ['', 'traits', 'context.traits', 'properties', 'context', 'extra']
    : ['properties', '', 'traits', 'context.traits', 'context', 'extra']
  return 10 * (names.length - (traits ? 2 : place === '' ? 0 : 1)) + order.indexOf(place)
}

/** Groups fields by the names that can refer to them: the last one, two, or three names of their path, joined. */
const byName = (fields: readonly SeenField[]): Map<string, SeenField[]> => {
  const found = new Map<string, SeenField[]>()
  for (const field of fields) {
    const names = pathNames(field.name)
    // A value of the first item of a list is none of the event.
    if (names.some((name) => /^\d+$/.test(name))) continue
    for (let from = names.length - 1; from >= Math.max(names.length - 3, 0); from--) {
      const key = plain(names.slice(from).join(''))
      const alike = found.get(key)
      if (alike === undefined) found.set(key, [field])
      else alike.push(field)
    }
  }
  return found
}

const holds = new Set(['object', 'array'])
/**
 * Whether a target accepts the type of a field. An object fits only an object. A list fits only a list; a list target
 * also accepts single values.
 */
const fits = (field: SeenField, { type }: ActionTarget): boolean => {
  if (type === 'any' || type === field.type) return true
  return type === 'array' ? field.type !== 'object' : type !== 'object' && !holds.has(field.type)
}

const sourceOf = ({ name, display_name, kind }: SeenField): FieldMapping['source'] => ({
  type: 'FIELD',
  name,
  display_name,
  is_event_name_key: name === 'event',
  kind,
})

/**
 * Returns the source that the connector proposes for a target, and whether events have it. With `onlySeen`, a field that
 * events do not have is not proposed.
 */
const presetSource = (
  preset: MappingPreset | undefined,
  target: string,
  { seen, onlySeen }: { seen: ReadonlyMap<string, SeenField>; onlySeen: boolean },
): { source: FieldMapping['source']; seen: boolean } | undefined => {
  const given = preset !== undefined && Object.hasOwn(preset.fields, target) ? preset.fields[target] : undefined
  if (given === undefined) return undefined
  const field = given.type === 'FIELD' ? seen.get(given.name ?? '') : undefined
  if (field !== undefined) return { source: sourceOf(field), seen: true }
  if (given.type === 'FIELD' && onlySeen) return undefined
  const parsed = mappingSource.safeParse(presetSourceOf(given))
  return parsed.success ? { source: parsed.data, seen: given.type !== 'FIELD' } : undefined
}

/** Makes a custom target that is named after a property or trait of events. */
const customTarget = (field: SeenField): MappingTarget => {
  const name = pathNames(field.name).at(-1) ?? ''
  return {
    name: pathOf([name]),
    display_name: name,
    is_required: false,
    is_recommended: false,
    type: targetTypes.find((type) => type === field.type) ?? 'any',
    kind: field.kind,
  }
}

/** Returns the paths that a source reads, without those in templates. */
const pathsOf = (source: FieldMapping['source']): string[] => {
  if (source.type === 'FIRST') return source.sources.flatMap(pathsOf)
  if (source.type === 'LIST') return [source.list]
  return source.type === 'FIELD' ? [source.name] : []
}

/** Names that a target cannot have. */
const reserved = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Suggests field mappings for an action. Prefers the proposals of its connector if events have these fields, and
 * otherwise matches names regardless of letter case and underscores. An action with custom targets gets one mapping for
 * each property in `custom`. The same fields always give the same result.
 */
export const suggestFields = (
  action: ActionDefinition,
  given: {
    fields: readonly SeenField[]
    /** The properties or traits for which custom targets are proposed. */
    custom: readonly SeenField[]
    preset: MappingPreset | undefined
    /** Whether the preset is for other events, and the fields of the trigger's own events are known. */
    onlySeen: boolean
    eventType: EventType | ''
  },
): FieldMapping[] => {
  const { fields, custom, preset, onlySeen, eventType } = given
  const seen = new Map(fields.map((field) => [field.name, field]))
  const named = byName(fields)
  const ids = createMappingIds()
  const make = (source: FieldMapping['source'], target: MappingTarget): FieldMapping => ({
    id: ids(`${action.name}/${target.name}`),
    source,
    target,
    enabled: true,
  })
  const known = action.targets.flatMap((target) => {
    const proposed = presetSource(preset, target.name, { seen, onlySeen })
    // An audience event names the audience here, and not a list of the platform.
    const alike = (target.peopleList === true ? [] : keysOf(target))
      .flatMap((key) =>
        (named.get(key) ?? []).toSorted((a, b) => rankOf(a, target, eventType) - rankOf(b, target, eventType)),
      )
      .find((field) => fits(field, target))
    const source = proposed?.seen === true ? proposed.source : alike === undefined ? proposed?.source : sourceOf(alike)
    return source === undefined ? [] : [make(source, mappingTargetOf(target))]
  })
  if (!action.customTargets) return known
  const taken = new Set(known.map(({ target }) => target.name))
  const used = new Set(known.flatMap(({ source }) => pathsOf(source)))
  for (const field of custom) {
    const target = customTarget(field)
    if (taken.has(target.name) || used.has(field.name) || reserved.has(target.name) || target.name.length > 300)
      continue
    if (known.length >= mappingLimits.fieldMappings) break
    taken.add(target.name)
    known.push(make(sourceOf(field), target))
  }
  return known
}
