import {
  type Audience,
  type Destination,
  type DestinationAction,
  type EventMapping,
  type FieldMapping,
  fieldMapping as fieldMappingRule,
  type MappingSource,
  type MappingSourceType,
  type MappingTarget,
  pathNames,
  pathOf,
} from '@tributary/contract'
import { conditionProblems } from '../../lib/events/condition-words.ts'
import type { EventField } from '../../lib/events/event-fields.ts'
import { audienceIds } from '../../lib/format/names.ts'
import { shortId } from '../../lib/format/short-id.ts'
import { pluralise } from '../../lib/format/text.ts'
import { emptyList, emptyListed, isEmptyItemField, isEmptyListed, withoutEmpty } from './listed-sources.ts'

/** The destination of the mapped fields, as the field editor needs it. */
export type MappedDestination = { name: string; app: Pick<Destination['app'], 'display_name'> }

/** Changes the edited mapping; consecutive steps with the same key are undone together. */
export type ChangeMapping = (change: (mapping: EventMapping) => EventMapping, key?: string) => void

/** A target in the payload of an action, with its description. */
export type ActionTarget = DestinationAction['targets'][number]

/** Returns a target that an action describes, also one that is a field of an object; undefined for any other. */
export const describedTarget = (action: DestinationAction, path: string): ActionTarget | undefined =>
  action.targets.find(({ name }) => name === path) ?? nestedTargets(action).find(({ name }) => name === path)

/** Returns the fields of an action's objects as targets. */
const nestedTargets = ({ targets }: DestinationAction): ActionTarget[] =>
  targets
    .filter(({ type }) => type === 'object')
    .flatMap((holder) =>
      holder.fields.map((field) => ({
        ...field,
        name: `${holder.name}.${field.name}`,
        display_name: `${holder.display_name}: ${field.display_name}`,
        kind: holder.kind,
        is_required: false,
        is_recommended: false,
        pii: '',
        is_people_list: false,
        fields: [],
      })),
    )

/** A line of the field table. It has a target that the action describes, a field mapping, or both. */
export type FieldRow = {
  key: string
  target: MappingTarget
  known: ActionTarget | undefined
  field: FieldMapping | undefined
}

const sourceBase = { display_name: '', is_event_name_key: false, kind: 'custom' } as const

/** An empty source of a type. */
export const emptySource = (type: MappingSourceType): MappingSource => {
  if (type === 'FIRST') return { type, sources: [emptyListed('FIELD')], ...sourceBase }
  if (type === 'LIST') return emptyList
  return type === 'FIELD' || type === 'VARIABLE' || type === 'PROFILE'
    ? { type, name: '', ...sourceBase }
    : { type, value: '', ...sourceBase }
}

/** Names of the profile that every workspace may have. */
const knownOfProfile = ['traits.email', 'traits.phone', 'identifiers.user_id', 'identifiers.email', 'identifiers.phone']

/** The values of a profile to choose from: the traits in the fields of events, and usual identifiers. */
export const profileFields = (fields: readonly EventField[]): EventField[] => {
  const traits = fields.flatMap((field): EventField[] => {
    const names = pathNames(field.name)
    const inside = names[0] === 'context' ? names.slice(1) : names
    if (inside[0] !== 'traits' || inside.length < 2) return []
    return [{ ...field, name: pathOf(inside) }]
  })
  const byName = new Map(traits.map((field) => [field.name, field]))
  for (const name of knownOfProfile)
    if (!byName.has(name)) byName.set(name, { name, display_name: '', kind: 'identity', type: 'string', example: '' })
  return [...byName.values()]
}

/** The fields of events, and the values of a profile with the given audiences, to choose from in conditions. */
export const conditionFields = (
  fields: readonly EventField[],
  audiences: readonly Pick<Audience, 'name' | 'title'>[] = [],
): EventField[] => [
  ...fields,
  ...profileFields(fields).map((field) => ({ ...field, name: `profile.${field.name}` })),
  ...audiences.map(
    ({ name, title }): EventField => ({
      name: `profile.audiences.${audienceIds(name).audience}`,
      display_name: title,
      kind: 'identity',
      type: 'boolean',
      example: 'true',
    }),
  ),
]

/** True for a source without a value. A constant can be an empty text. */
export const isEmptySource = (source: MappingSource): boolean => {
  if (source.type === 'FIRST') return source.sources.every(isEmptyListed)
  if (source.type === 'LIST') return source.list.trim() === '' && source.fields.every(isEmptyItemField)
  return 'name' in source ? source.name.trim() === '' : source.type === 'TEMPLATE' && source.value.trim() === ''
}

/** Returns a field as it is saved: without the empty entries of its source, and without an empty list of conditions. */
const complete = ({ conditions = [], condition_match, ...field }: FieldMapping): FieldMapping => ({
  ...field,
  source: withoutEmpty(field.source),
  ...(conditions.length === 0 ? {} : { conditions, condition_match }),
})

/** The properties of a target that a mapping stores. */
const keptTarget = ({ name, display_name, is_required, is_recommended, type, kind }: MappingTarget): MappingTarget => ({
  name,
  display_name,
  is_required,
  is_recommended,
  type,
  kind,
})

/** A new field for a target, with an unused ID. */
export const newField = (
  target: MappingTarget,
  others: readonly FieldMapping[],
  source = emptySource('FIELD'),
): FieldMapping => ({
  id: shortId(others.map(({ id }) => id)),
  source,
  target: keptTarget(target),
  enabled: true,
})

/** A target that the user has named. */
export const customTarget = (name: string): MappingTarget => ({
  name,
  display_name: '',
  is_required: false,
  is_recommended: false,
  type: 'any',
  kind: 'custom',
})

/** A mapping of any event for an action, with an unused ID. */
export const newMapping = (action: DestinationAction, others: readonly EventMapping[]): EventMapping => ({
  id: shortId(others.map(({ id }) => id)),
  enabled: true,
  event_name: '',
  event_type: action.event_types.length === 1 ? (action.event_types[0] ?? '') : '',
  filters: [],
  filter_match: 'all',
  destination: action.name,
  field_mappings: [],
})

/** The list with a copy of one mapping after the original. */
export const withDuplicate = (mappings: readonly EventMapping[], id: string): readonly EventMapping[] =>
  mappings.flatMap((each) =>
    each.id === id ? [each, { ...each, id: shortId(mappings.map((other) => other.id)) }] : [each],
  )

/**
 * Returns the list with one mapping moved by a number of places. A mapping stays at the beginning or end of the list.
 */
export const withMoved = (mappings: readonly EventMapping[], id: string, by: number): readonly EventMapping[] => {
  const from = mappings.findIndex((each) => each.id === id)
  const moved = mappings[from]
  const to = from + by
  if (moved === undefined || to < 0 || to >= mappings.length) return mappings
  const rest = mappings.filter((each) => each !== moved)
  return [...rest.slice(0, to), moved, ...rest.slice(to)]
}

/**
 * Returns the required targets first, then the recommended ones, both in the order of the action. All other mapped
 * fields follow in their own order.
 */
export const fieldRows = (mapping: EventMapping, action: DestinationAction): FieldRow[] => {
  const fields = mapping.field_mappings
  const fixed = [
    ...action.targets.filter((target) => target.is_required),
    ...action.targets.filter((target) => target.is_recommended && !target.is_required),
  ]
  const names = new Set(fixed.map(({ name }) => name))
  const firstOf = (name: string) => fields.find((field) => field.target.name === name)
  const above = fixed.map((known): FieldRow => {
    // The key stays the same when the field is created, so that the input keeps its focus while the user types.
    return { key: known.name, target: known, known, field: firstOf(known.name) }
  })
  const shown = new Set(above.map(({ field }) => field))
  const below = fields
    .filter((field) => !shown.has(field))
    .map((field): FieldRow => {
      const known = names.has(field.target.name) ? undefined : describedTarget(action, field.target.name)
      return { key: field.id, target: known ?? field.target, known, field }
    })
  return [...above, ...below]
}

/** Returns the targets of the action that have no line in the table. */
export const freeTargets = (mapping: EventMapping, action: DestinationAction): ActionTarget[] => {
  const taken = new Set(mapping.field_mappings.map(({ target }) => target.name))
  return [...action.targets, ...nestedTargets(action)].filter(
    ({ name, is_required, is_recommended }) => !is_required && !is_recommended && !taken.has(name),
  )
}

/** The part of a mapping that can be tried or saved: without incomplete fields and conditions. */
export const sendable = (mapping: EventMapping): EventMapping => {
  const unfinished = conditionProblems(mapping.filters)
  return {
    ...mapping,
    filters: mapping.filters.filter(({ id }) => unfinished[id] === undefined),
    field_mappings: mapping.field_mappings.map(complete).filter((field) => fieldMappingRule.safeParse(field).success),
  }
}

/** The saved form of a mapping: optional fields without a choice are omitted. */
export const saved = (mapping: EventMapping): EventMapping => ({
  ...mapping,
  field_mappings: mapping.field_mappings
    .filter(({ source, target }) => target.is_required || !isEmptySource(source) || target.name.trim() === '')
    .map(complete),
})

/**
 * The problems that prevent saving a mapping, by the ID of a field or condition, by the name of a target, or `action`.
 */
export type MappingProblems = Readonly<Record<string, string>>

const fieldProblem = (row: FieldRow): string | undefined => {
  const { field, known, target } = row
  const required = known?.is_required === true
  const title = target.display_name === '' ? target.name : target.display_name
  if (field === undefined) return required ? `${title} is required. Choose a value` : undefined
  if (target.name.trim() === '') return 'Enter the target field'
  if (required && !field.enabled) return `${title} is required. Turn it on`
  if (isEmptySource(field.source)) return required ? `${title} is required. Choose a value` : undefined
  if (Object.keys(conditionProblems(field.conditions ?? [])).length > 0) return 'Complete the conditions of this field'
  return fieldMappingRule.safeParse(complete(field)).error?.issues[0]?.message
}

/** The problems to fix before a mapping can be saved; the server checks the same and more. */
export const problemsOf = (mapping: EventMapping, action: DestinationAction | undefined): MappingProblems => {
  if (action === undefined) return { action: 'This action no longer exists. Choose another one' }
  const whole = action.whole_event && mapping.field_mappings.length === 0
  const problems: Record<string, string> = { ...conditionProblems(mapping.filters) }
  for (const row of whole ? [] : fieldRows(mapping, action)) {
    const problem = fieldProblem(row)
    if (problem !== undefined) problems[row.field?.id ?? row.key] = problem
  }
  const twice = new Set<string>()
  for (const { id, target } of mapping.field_mappings) {
    if (target.name !== '' && twice.has(target.name)) problems[id] ??= `${target.name} is mapped twice`
    twice.add(target.name)
  }
  return problems
}

const place = /^event_mappings\.(\d+)(?:\.(field_mappings|filters)(?:\.(\d+))?|\.(\w+))?/

/** The server's errors by mapping ID, in the form of `problemsOf`; '' is the key of errors without a position. */
export const refusedProblems = (
  metadata: Readonly<Record<string, string>>,
  sent: readonly EventMapping[],
): Record<string, Record<string, string>> => {
  const found: Record<string, Record<string, string>> = {}
  for (const [key, message] of Object.entries(metadata)) {
    const [, at, list, index] = place.exec(key) ?? []
    const mapping = sent[Number(at)]
    if (at === undefined || mapping === undefined) continue
    const item =
      list === 'field_mappings'
        ? mapping.field_mappings[Number(index)]?.id
        : list === 'filters'
          ? mapping.filters[Number(index)]?.id
          : 'action'
    found[mapping.id] = { ...found[mapping.id], [item ?? '']: message }
  }
  return found
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Describes the changes of a list of mappings. Returns '' if nothing has changed. */
export const changeWords = (before: readonly EventMapping[], after: readonly EventMapping[]): string => {
  const old = new Map(before.map((each) => [each.id, each]))
  const now = new Set(after.map(({ id }) => id))
  const added = after.filter(({ id }) => !old.has(id)).length
  const removed = before.filter(({ id }) => !now.has(id)).length
  const changed = after.filter((each) => old.has(each.id) && !same(saved(each), saved(old.get(each.id) ?? each))).length
  const kept = before.filter(({ id }) => now.has(id)).map(({ id }) => id)
  const moved = !same(
    kept,
    after.filter(({ id }) => old.has(id)).map(({ id }) => id),
  )
  const counted = (count: number, done: string): string[] =>
    count === 0 ? [] : [`${count} ${pluralise(count, 'mapping')} ${done}`]
  return [
    ...counted(added, 'added'),
    ...counted(changed, 'changed'),
    ...counted(removed, 'deleted'),
    ...(moved ? ['order changed'] : []),
  ].join(', ')
}
