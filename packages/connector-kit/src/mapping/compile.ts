import {
  compileFilter,
  type EventMapping,
  type EventType,
  type FieldMapping,
  type MappingPreview,
  type PipelineEvent,
  pathNames,
  type SpendWork,
  workOfValue,
} from '@tributary/contract'
import { isJsonObject } from '@tributary/kernel'
import type { ActionDefinition, ActionTarget, DestinationDefinition } from '../definition/definition.ts'
import { spending, TooMuchWork } from '../templates/template-work.ts'
import { type EventProfile, mappingsNeeds, profileNeedsOf } from './event-profile.ts'
import { maxItems } from './hash-personal-data.ts'
import { countryOf } from './person-country.ts'
import { presetMappings } from './presets.ts'
import { sentValue } from './sent-value.ts'
import { compileSource, type EventInHand, eventBudget, type MappingPlace, sourceWords, takeInHand } from './sources.ts'

export type { MappingPlace } from './sources.ts'

/** Names with which an assignment would change an object's prototype. */
const reserved = new Set(['__proto__', 'constructor', 'prototype'])

/** Whether a value can be set at this path. */
export const isPlace = (names: readonly string[]): boolean =>
  names.length > 0 && names.every((name) => name !== '' && !reserved.has(name))

type Members = Record<string, unknown>

/**
 * Creates a payload in which values are set by path. Objects that were set as values are copied before they are
 * changed.
 */
const createPayload = () => {
  const fields: Members = {}
  const own = new Set<object>([fields])

  /** Returns the object at a name, created or copied if needed; undefined if the name has another kind of value. */
  const within = (holder: Members, name: string): Members | undefined => {
    const there = Object.hasOwn(holder, name) ? holder[name] : {}
    if (!isJsonObject(there)) return undefined
    if (own.has(there)) return there
    const copy = { ...there }
    own.add(copy)
    holder[name] = copy
    return copy
  }

  return {
    fields,
    /**
     * Sets a value at a path that `isPlace` allows; returns false if a name on the path has a value that is not an
     * object.
     */
    put(names: readonly string[], value: unknown): boolean {
      let holder: Members | undefined = fields
      for (const name of names.slice(0, -1)) {
        holder = within(holder, name)
        if (holder === undefined) return false
      }
      holder[names.at(-1) ?? ''] = value
      return true
    },
  }
}

/**
 * A problem of one field: `field` is the ID of its mapping or, for an unmapped required target, its name. An `error`
 * prevents the event or value from being sent; a `note` does not.
 */
export type FieldProblem = { field: string; message: string; severity: MappingPreview['problems'][number]['severity'] }

/** The result of a destination's mappings for an event. */
export type Mapping =
  /** `payload` is absent if the event is sent unchanged. Fields with problems are omitted. */
  | {
      kind: 'mapped'
      action: string
      payload?: Readonly<Record<string, unknown>>
      problems: readonly FieldProblem[]
    }
  /** No mapping matches. */
  | { kind: 'unmapped' }
  /** The matching mapping cannot be applied; `reason` names the fields, for users. */
  | { kind: 'failed'; reason: string; problems: readonly FieldProblem[] }

/**
 * Maps one event; never throws. `json` is the event's text. It is required if JSON.parse changes some numbers, which
 * are then copied from the text. `profile` has the values of the profile that the mapper needs.
 */
export type Mapper = ((event: PipelineEvent, sourceId: string, json?: string, profile?: EventProfile) => Mapping) & {
  /**
   * The action, if the mappings send every event unchanged with it. Undefined if the mapper must run for each event.
   */
  readonly whole: string | undefined
  /** The values of the profile that the mappings use, such as `traits.email`. Empty if they use none. */
  readonly needs: readonly string[]
}

const none: readonly FieldProblem[] = []

/** A target, with the rules of the connector if it describes the target. */
type Target = Pick<ActionTarget, 'name' | 'label' | 'type' | 'required'> & Partial<ActionTarget>

/**
 * Returns why no value can be set inside a known target, as the end of a sentence; undefined if one can. Only targets of
 * objects have fields of their own: a text inside `email` would be sent without its hash.
 */
export const closedTarget = (action: ActionDefinition, names: readonly string[]): string | undefined => {
  if (names.length < 2) return undefined
  const known = action.targets.find(({ name }) => name === names[0])
  if (known === undefined || (known.pii === undefined && (known.type === 'object' || known.type === 'any')))
    return undefined
  return `is inside "${known.label}" (${known.name}), which has no fields of its own`
}

/**
 * Returns the target of a field. The connector's description of a target takes precedence over the stored description.
 */
const targetOf = (action: ActionDefinition, { target, source }: FieldMapping): Target => {
  const known = action.targets.find(({ name }) => name === target.name)
  const { name } = target
  if (known !== undefined) {
    // Without this, a target of type `any` would get the template's output as text.
    const isNumber = source.type === 'TEMPLATE' && known.type === 'any' && target.type === 'number'
    return isNumber ? { ...known, type: 'number' } : known
  }
  const label = target.display_name || name
  return { name, label, type: target.type, required: target.is_required }
}

/**
 * The result of one field: a value for a path, nothing, or a problem. `fails`: the event cannot be sent without the
 * field. `note`: no value is lost.
 */
type Field = {
  id: string
  names: readonly string[]
  target: Target
  value: (of: EventInHand) => { value: unknown } | { problem: string; fails: boolean; note?: true } | undefined
}

/**
 * Cost of a field, and of each character or item that it adds to the payload, which is converted to text more than
 * once.
 */
const perField = 500
const perCopy = 2
/** Cost of a hash, and of each item of a list. */
const perHash = 2000

const workOfField = (given: unknown, hashed: boolean): number => {
  const items = hashed ? perHash * (Array.isArray(given) ? Math.min(given.length, maxItems) : 1) : 0
  return perField + items + perCopy * (typeof given === 'object' || typeof given === 'string' ? workOfValue(given) : 0)
}

/** Returns the parts of a list or an object that the connector reads, so that only these parts are copied. */
const readPart = ({ maxItems: most, plainMembers }: Target, given: unknown): unknown => {
  if (most !== undefined && Array.isArray(given) && given.length > most + 1) return given.slice(0, most + 1)
  if (plainMembers !== true || !isJsonObject(given)) return given
  return Object.fromEntries(
    Object.entries(given).filter(([, member]) => !Array.isArray(member) && !isJsonObject(member)),
  )
}

const called = ({ name, label }: Target): string => (label === name ? `"${name}"` : `"${label}" (${name})`)

const compileField = (action: ActionDefinition, mapping: FieldMapping, mappings: readonly FieldMapping[]): Field => {
  const target = targetOf(action, mapping)
  const names = pathNames(target.name)
  const source = compileSource(mapping.source)
  const words = sourceWords(mapping.source)
  const country = countryOf(target, mappings)
  const { type, required, pii } = target
  const place = isPlace(names)
  const closed = closedTarget(action, names)
  const usesProfile = profileNeedsOf(mapping.source).length > 0
  /** The result of a field that has no value. */
  const without = (of: EventInHand): ReturnType<Field['value']> => {
    const why = usesProfile ? of.profile.lacks : ''
    if (required)
      return { problem: `${called(target)} is required, but ${why === '' ? `${words} is empty` : why}`, fails: true }
    return why === '' ? undefined : { problem: `${called(target)} is not sent: ${why}`, fails: false }
  }
  return {
    id: mapping.id,
    names,
    target,
    value(of) {
      if (!place) return { problem: `${called(target)} is not a valid field name`, fails: true }
      if (closed !== undefined) return { problem: `${called(target)} ${closed}`, fails: required }
      const given = source(of)
      if ('problem' in given) return { problem: `${called(target)}: ${given.problem}`, fails: true }
      if (given.value === null && !required) {
        if (type === 'any' && pii === undefined) return { value: null }
        return { problem: `${called(target)} is omitted: ${words} is null`, fails: false, note: true }
      }
      const part = readPart(target, given.value)
      of.spend(workOfField(part, pii !== undefined))
      const sent = sentValue(target, part, country?.(of))
      if (sent !== undefined && 'problem' in sent) {
        const verb = sent.lost ? ' is not sent' : ''
        return { problem: `${called(target)}${verb}: ${words} ${sent.problem}`, fails: required }
      }
      const value = sent?.value
      return value === undefined || (required && value === '') ? without(of) : { value }
    },
  }
}

/** Returns a problem for each required target without an enabled field. */
const unmappedTargets = (action: ActionDefinition, fields: readonly Field[]): FieldProblem[] =>
  action.targets
    .filter(({ name, required }) => required && fields.every((field) => field.target.name !== name))
    .map(({ name, label }) => ({
      field: name,
      message: `"${label}" (${name}) is required and not mapped`,
      severity: 'error',
    }))

const failed = (problems: readonly FieldProblem[]): Mapping => {
  const shown = problems.slice(0, 3).map(({ message }) => message)
  const more = problems.length - shown.length
  return { kind: 'failed', reason: `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`, problems }
}

type Fields = (of: () => EventInHand) => Mapping

const compileFields = (action: ActionDefinition, mappings: readonly FieldMapping[]): Fields => {
  const used = mappings.filter((mapping) => mapping.enabled)
  const enabled = used.map((mapping) => compileField(action, mapping, used))
  const unmapped = unmappedTargets(action, enabled)
  if (unmapped.length > 0) return () => failed(unmapped)
  // Sets a nested target after the target that contains it.
  const fields = enabled.toSorted((a, b) => a.names.length - b.names.length)
  return (inHand) => {
    const of = inHand()
    const payload = createPayload()
    const problems: FieldProblem[] = []
    let fails = false
    for (const field of fields) {
      const made = field.value(of)
      if (made === undefined) continue
      if ('problem' in made) {
        fails ||= made.fails
        problems.push({ field: field.id, message: made.problem, severity: made.note === true ? 'note' : 'error' })
      } else if (!payload.put(field.names, made.value)) {
        fails ||= field.target.required
        const message = `${called(field.target)} is inside a field that is not an object`
        problems.push({ field: field.id, message, severity: 'error' })
      }
    }
    if (fails) return failed(problems)
    return { kind: 'mapped', action: action.name, payload: payload.fields, problems }
  }
}

type Candidate = {
  fits: (event: PipelineEvent, spend: SpendWork) => boolean
  make: Fields
  /** The action, if the mapping matches every event and sends it unchanged. */
  whole: string | undefined
}

/** Returns the event types to which a mapping applies; empty for all. By default these are the types of its action. */
const typesOf = (mapping: EventMapping, action: ActionDefinition | undefined): readonly EventType[] =>
  mapping.event_type === '' ? (action?.eventTypes ?? []) : [mapping.event_type]

const compileMapping = (
  definition: Pick<DestinationDefinition, 'actions' | 'title'>,
  mapping: EventMapping,
): Candidate => {
  const action = definition.actions.find(({ name }) => name === mapping.destination)
  const types = typesOf(mapping, action)
  const meets = compileFilter({ match: mapping.filter_match, conditions: mapping.filters })
  const { event_name: name } = mapping
  const fits = (event: PipelineEvent, spend: SpendWork): boolean =>
    (name === '' || event.event === name) && (types.length === 0 || types.includes(event.type)) && meets(event, spend)
  if (action === undefined) {
    const problem: FieldProblem = {
      field: mapping.destination,
      message: `${definition.title} has no action "${mapping.destination}"`,
      severity: 'error',
    }
    return { fits, make: () => failed([problem]), whole: undefined }
  }
  if (!action.wholeEvent || mapping.field_mappings.length > 0)
    return { fits, make: compileFields(action, mapping.field_mappings), whole: undefined }
  const mapped: Mapping = { kind: 'mapped', action: action.name, problems: none }
  const everything = name === '' && types.length === 0 && mapping.filters.length === 0
  return { fits, make: () => mapped, whole: everything ? action.name : undefined }
}

const tooMuch =
  'The mappings use more work than one event allows. Use fewer conditions, templates, or fields with large values'

/**
 * Compiles the mappings of a destination once, or its presets if it has none. The first enabled mapping that matches an
 * event applies. The mapper is a pure function: the same event always has the same result. All work for one event
 * shares a budget (`eventBudget`). If the budget is exceeded, the event fails.
 * - A field is copied unchanged, with all digits of its numbers.
 * - A missing value is omitted. Null is sent as null if the target accepts any value; otherwise it is omitted, with a
 * problem.
 * - An optional field that cannot be converted to its target's type is also omitted, with a problem.
 * - A required field that cannot be converted fails the event, and so does a template that cannot be rendered.
 */
export const compileMappings = (
  definition: Pick<DestinationDefinition, 'slug' | 'title' | 'actions' | 'presets'>,
  mappings: readonly EventMapping[] | undefined,
  place: MappingPlace,
): Mapper => {
  const used = (mappings ?? presetMappings(definition)).filter((mapping) => mapping.enabled)
  const candidates = used.map((mapping) => compileMapping(definition, mapping))
  const follow = (...[event, sourceId, json, profile]: Parameters<Mapper>): Mapping => {
    const budget = { ...eventBudget }
    const spend = spending(budget)
    const fitting = candidates.find(({ fits }) => fits(event, spend))
    if (fitting === undefined) return { kind: 'unmapped' }
    return fitting.make(() => takeInHand(event, sourceId, json, place, budget, profile))
  }
  const map = (...given: Parameters<Mapper>): Mapping => {
    try {
      return follow(...given)
    } catch (error) {
      if (error instanceof TooMuchWork) return failed([{ field: '', message: tooMuch, severity: 'error' }])
      throw error
    }
  }
  return Object.assign(map, { whole: candidates[0]?.whole, needs: mappingsNeeds(used) })
}
