import type { EventMapping, EventType, FieldMapping, PipelineEvent } from '@tributary/contract'
import type { ActionDefinition, DestinationDefinition } from '../definition/definition.ts'
import { TooMuchWork } from '../templates/template-work.ts'
import { called, compileField, type Field, type FieldProblem, perField, perHash } from './compile-field.ts'
import { type Conditions, compileConditions } from './conditions.ts'
import { defaultNote, defaultsFor, targetsWithDefault } from './defaults.ts'
import { type EventProfile, mappingsNeeds, type UseOfProfile } from './event-profile.ts'
import { createPayload, type Payload } from './payload.ts'
import { presetMappings } from './presets.ts'
import { type EventInHand, eventBudget, type MappingPlace, takeInHand } from './sources.ts'

export type { FieldProblem } from './compile-field.ts'
export type { MappingPlace } from './sources.ts'

/** The result of a destination's mappings for an event. */
export type Mapping =
  /** `payload` is absent if the event is sent unchanged. Fields with problems are omitted. */
  | {
      kind: 'mapped'
      action: string
      payload?: Readonly<Record<string, unknown>>
      /** Names of the targets that name a list of people by a constant; absent if there are none. */
      fixedLists?: readonly string[]
      problems: readonly FieldProblem[]
    }
  /** No mapping matches. `lacks` says why conditions had no values of the profile. */
  | { kind: 'unmapped'; lacks?: string }
  /** The matching mapping cannot be applied; `reason` names the fields, for users. */
  | { kind: 'failed'; reason: string; problems: readonly FieldProblem[] }

/**
 * Maps one event; never throws. `json` is the event's text. It is required if JSON.parse changes some numbers, which
 * are then copied from the text. `profile` has the values of the profile that the mapper needs. The mapper records in
 * `use` what it does with them.
 */
export type Mapper = ((
  event: PipelineEvent,
  sourceId: string,
  json?: string,
  profile?: EventProfile,
  use?: UseOfProfile,
) => Mapping) & {
  /**
   * The action, if the mappings send every event unchanged with it. Undefined if the mapper must run for each event.
   */
  readonly whole: string | undefined
  /** The values of the profile that the mappings use, such as `traits.email`. Empty if they use none. */
  readonly needs: readonly string[]
  /** Whether a mapping that uses the profile may match events with this type and name. */
  usesProfile(event: { readonly type: string; readonly event: string }): boolean
}

const none: readonly FieldProblem[] = []

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

type Fields = (of: EventInHand) => Mapping

const compileFields = (action: ActionDefinition, mappings: readonly FieldMapping[], place: MappingPlace): Fields => {
  const used = mappings.filter((mapping) => mapping.enabled)
  const enabled = used.map((mapping) => compileField(action, mapping, used, place.personData))
  const unmapped = unmappedTargets(action, enabled)
  if (unmapped.length > 0) return () => failed(unmapped)
  // Sets a nested target after the target that contains it.
  const fields = enabled.toSorted((a, b) => a.names.length - b.names.length)
  const addDefaults = compileDefaults(action, mappings)
  const fixed = used.flatMap(({ source, target: { name } }) =>
    source.type === 'CONSTANT' && action.targets.some((each) => each.name === name && each.peopleList) ? [name] : [],
  )
  const fixedLists = fixed.length === 0 ? {} : { fixedLists: fixed }
  return (of) => {
    const payload = createPayload()
    const problems: FieldProblem[] = []
    const unmet = new Set<string>()
    let fails = false
    for (const field of fields) {
      const made = field.value(of)
      if (made === 'unmet') unmet.add(field.target.name)
      if (made === undefined || made === 'unmet') continue
      if ('problem' in made) {
        fails ||= made.fails
        problems.push({ field: field.id, message: made.problem, severity: made.note === true ? 'note' : 'error' })
      } else if (!payload.put(field.names, made.value)) {
        fails ||= field.target.required
        const message = `${called(field.target)} is inside a field that is not an object`
        problems.push({ field: field.id, message, severity: 'error' })
      } else {
        if (made.isOfProfile === true) of.profileUse.isSent = true
        if (made.note !== undefined)
          problems.push({ field: field.id, message: made.note, severity: 'note', isListed: true })
      }
    }
    if (fails) return failed(problems)
    return {
      kind: 'mapped',
      action: action.name,
      payload: payload.fields,
      ...fixedLists,
      problems: addDefaults(payload, { problems, unmet }, of),
    }
  }
}

/**
 * Returns a function that sets the defaults of an action's targets in a payload, and returns the problems with a note
 * for each default.
 */
const compileDefaults = (action: ActionDefinition, mappings: readonly FieldMapping[]) => {
  const targets = targetsWithDefault(action.targets)
  const own = new Map(mappings.map((mapping) => [mapping.target.name, mapping]))
  return (
    payload: Payload,
    { problems, unmet }: { problems: readonly FieldProblem[]; unmet: ReadonlySet<string> },
    { place, spend }: EventInHand,
  ): readonly FieldProblem[] => {
    if (targets.length === 0 || place.settings === undefined) return problems
    const wrong = new Set(problems.filter(({ severity }) => severity === 'error').map(({ field }) => field))
    const isKeptOut = (target: string): boolean => {
      const mapping = own.get(target)
      return unmet.has(target) || (mapping !== undefined && (!mapping.enabled || wrong.has(mapping.id)))
    }
    const added = defaultsFor(targets, payload.fields, { settings: place.settings, isKeptOut })
    for (const { target, value } of added) {
      spend(perField + perHash)
      payload.put([target], value)
    }
    const notes = added.map(
      ({ target, text }): FieldProblem => ({
        field: own.get(target)?.id ?? target,
        message: defaultNote(target, text),
        severity: 'note',
        isListed: true,
      }),
    )
    const replaced = new Set(notes.map(({ field }) => field))
    return notes.length === 0 ? problems : [...problems.filter(({ field }) => !replaced.has(field)), ...notes]
  }
}

type Candidate = {
  /** Whether the mapping applies to events with this type and name, if they meet its conditions. */
  isFor: (type: string, name: string) => boolean
  conditions: Conditions
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
  place: MappingPlace,
): Candidate => {
  const action = definition.actions.find(({ name }) => name === mapping.destination)
  const types = typesOf(mapping, action)
  const conditions = compileConditions({ match: mapping.filter_match, conditions: mapping.filters })
  const { event_name: own } = mapping
  const isFor = (type: string, name: string): boolean =>
    (own === '' || name === own) && (types.length === 0 || types.some((each) => each === type))
  const trigger = { isFor, conditions }
  if (action === undefined) {
    const problem: FieldProblem = {
      field: mapping.destination,
      message: `${definition.title} has no action "${mapping.destination}"`,
      severity: 'error',
    }
    return { ...trigger, make: () => failed([problem]), whole: undefined }
  }
  if (!action.wholeEvent || mapping.field_mappings.length > 0)
    return { ...trigger, make: compileFields(action, mapping.field_mappings, place), whole: undefined }
  const mapped: Mapping = { kind: 'mapped', action: action.name, problems: none }
  const everything = own === '' && types.length === 0 && mapping.filters.length === 0
  return { ...trigger, make: () => mapped, whole: everything ? action.name : undefined }
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
  const candidates = used.map((mapping) => compileMapping(definition, mapping, place))
  const follow = (...[event, sourceId, json, profile, use]: Parameters<Mapper>): Mapping => {
    const budget = { ...eventBudget }
    const of = takeInHand(event, sourceId, json, place, budget, profile, use)
    let lacks = ''
    const fitting = candidates.find(({ isFor, conditions }) => {
      if (!isFor(event.type, event.event)) return false
      if (conditions.usesProfile) lacks = of.profile.lacks
      return conditions.meets(of)
    })
    if (fitting === undefined) return lacks === '' ? { kind: 'unmapped' } : { kind: 'unmapped', lacks }
    const mapping = fitting.make(of)
    if (lacks === '' || mapping.kind !== 'mapped') return mapping
    const note: FieldProblem = {
      field: '',
      message: `conditions of mappings: ${lacks}`,
      severity: 'note',
      isListed: true,
    }
    return { ...mapping, problems: [...mapping.problems, note] }
  }
  const map = (...given: Parameters<Mapper>): Mapping => {
    try {
      return follow(...given)
    } catch (error) {
      if (error instanceof TooMuchWork) return failed([{ field: '', message: tooMuch, severity: 'error' }])
      throw error
    }
  }
  const deciding = candidates.flatMap(({ isFor }, index) => {
    const [mapping] = used.slice(index, index + 1)
    const usesProfile = mapping !== undefined && mappingsNeeds([mapping], place.personData).length > 0
    // A mapping without conditions hides those behind it.
    return usesProfile || mapping?.filters.length === 0 ? [{ isFor, usesProfile }] : []
  })
  return Object.assign(map, {
    whole: candidates[0]?.whole,
    needs: mappingsNeeds(used, place.personData),
    usesProfile: ({ type, event }: { readonly type: string; readonly event: string }): boolean =>
      deciding.find(({ isFor }) => isFor(type, event))?.usesProfile === true,
  })
}
