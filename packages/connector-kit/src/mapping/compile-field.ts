import {
  type FieldMapping,
  type MappingPreview,
  type PersonDataPaths,
  pathNames,
  workOfValue,
} from '@tributary/contract'
import { isJsonObject } from '@tributary/kernel'
import type { ActionDefinition, ActionTarget } from '../definition/definition.ts'
import { type Conditions, compileConditions } from './conditions.ts'
import { defaultNote } from './defaults.ts'
import { profileNeedsOf } from './event-profile.ts'
import { maxItems } from './hash-personal-data.ts'
import { isPlace } from './payload.ts'
import { countryOf } from './person-country.ts'
import { type Sent, sentValue } from './sent-value.ts'
import { compileSource, type EventInHand, emptyWords, sourceWords } from './sources.ts'

/**
 * A problem of one field: `field` is the ID of its mapping or, for an unmapped required target, its name. An `error`
 * prevents the event or value from being sent; a `note` does not.
 */
export type FieldProblem = {
  field: string
  message: string
  severity: MappingPreview['problems'][number]['severity']
  /** Whether the delivery names a note, as it names each error. */
  isListed?: true
}

/** A target, with the rules of the connector if it describes the target. */
export type Target = Pick<ActionTarget, 'name' | 'label' | 'type' | 'required'> & Partial<ActionTarget>

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

/** Returns a target that the action describes, also one that is a field of an object; undefined for any other. */
export const knownTarget = (action: ActionDefinition, path: string): ActionTarget | undefined => {
  const whole = action.targets.find(({ name }) => name === path)
  if (whole !== undefined) return whole
  const holder = action.targets.find(({ name, type }) => type === 'object' && path.startsWith(`${name}.`))
  const field = holder?.fields?.find(({ name }) => `${holder.name}.${name}` === path)
  if (holder === undefined || field === undefined) return undefined
  // An event without this field is an event without the object.
  return {
    ...field,
    name: path,
    label: `${holder.label}: ${field.label}`,
    required: false,
    recommended: false,
    kind: holder.kind,
  }
}

/**
 * Returns the target of a field. The connector's description of a target takes precedence over the stored description.
 */
const targetOf = (action: ActionDefinition, { target, source }: FieldMapping): Target => {
  const known = knownTarget(action, target.name)
  const { name } = target
  if (known !== undefined) {
    // Without this, a target of type `any` would get the template's output as text.
    const isNumber = source.type === 'TEMPLATE' && known.type === 'any' && target.type === 'number'
    return isNumber ? { ...known, type: 'number' } : known
  }
  const label = target.display_name || name
  return { name, label, type: target.type, required: target.is_required }
}

/** Compiles the conditions of a field. */
export const conditionsOf = ({
  conditions = [],
  condition_match = 'all',
}: Pick<FieldMapping, 'conditions' | 'condition_match'>): Conditions =>
  compileConditions({ match: condition_match, conditions })

/** A field that is ready for events. */
export type Field = {
  id: string
  names: readonly string[]
  target: Target
  /**
   * Returns a value, with whether it is one of the profile, nothing, or a problem; `unmet` if the conditions are not met. With `fails`, the event cannot be sent
   * without the field. With `note`, no value is lost.
   */
  value: (
    of: EventInHand,
  ) =>
    | { value: unknown; isOfProfile?: boolean; note?: string }
    | { problem: string; fails: boolean; note?: true }
    | 'unmet'
    | undefined
}

/**
 * Cost of a field, and of each character or item that it adds to the payload, which is converted to text more than
 * once.
 */
export const perField = 500
const perCopy = 2
/** Cost of a hash, and of each item of a list. */
export const perHash = 2000

const workOfField = (given: unknown, hashed: boolean): number => {
  const items = hashed ? perHash * (Array.isArray(given) ? Math.min(given.length, maxItems) : 1) : 0
  return perField + items + perCopy * (typeof given === 'object' || typeof given === 'string' ? workOfValue(given) : 0)
}

/** Returns the parts of a list or an object that the connector reads, so that only these parts are copied. */
export const readPart = ({ maxItems: most, plainMembers }: Target, given: unknown): unknown => {
  if (most !== undefined && Array.isArray(given) && given.length > most + 1) return given.slice(0, most + 1)
  if (plainMembers !== true || !isJsonObject(given)) return given
  return Object.fromEntries(
    Object.entries(given).filter(([, member]) => !Array.isArray(member) && !isJsonObject(member)),
  )
}

export const called = ({ name, label }: Target): string => (label === name ? `"${name}"` : `"${label}" (${name})`)

export const compileField = (
  action: ActionDefinition,
  mapping: FieldMapping,
  mappings: readonly FieldMapping[],
  personData?: PersonDataPaths,
): Field => {
  const target = targetOf(action, mapping)
  const names = pathNames(target.name)
  const source = compileSource(mapping.source, target.fields)
  const conditions = conditionsOf(mapping)
  const words = sourceWords(mapping.source)
  const country = countryOf(target, mappings)
  const { type, required, pii } = target
  const place = isPlace(names)
  const closed = closedTarget(action, names)
  const usesProfile = profileNeedsOf(mapping.source, personData).length > 0
  /** The result of a field that has no value. */
  const without = (of: EventInHand): Exclude<ReturnType<Field['value']>, 'unmet'> => {
    const why = usesProfile ? of.profile.lacks : ''
    if (required)
      return {
        problem: `${called(target)} is required, but ${why === '' ? emptyWords(mapping.source) : why}`,
        fails: true,
      }
    return why === '' ? undefined : { problem: `${called(target)} is not sent: ${why}`, fails: false }
  }
  return {
    id: mapping.id,
    names,
    target,
    value(of) {
      if (!place) return { problem: `${called(target)} is not a valid field name`, fails: true }
      if (closed !== undefined) return { problem: `${called(target)} ${closed}`, fails: required }
      if (!conditions.meets(of)) {
        if (required) return { problem: `${called(target)} is required, but its conditions are not met`, fails: true }
        const { lacks } = of.profile
        if (!conditions.usesProfile || lacks === '') return 'unmet'
        return { problem: `${called(target)} is not sent by its conditions: ${lacks}`, fails: false }
      }
      const given = source(of)
      if ('problem' in given) return { problem: `${called(target)}: ${given.problem}`, fails: true }
      if (given.value === null && !required) {
        if (type === 'any' && pii === undefined) return { value: null }
        return { problem: `${called(target)} is omitted: ${words} is null`, fails: false, note: true }
      }
      const part = readPart(target, given.value)
      of.spend(workOfField(part, pii !== undefined))
      const person = country?.(of)
      const sent = sentValue(target, part, person?.text)
      if (sent !== undefined && 'problem' in sent) {
        const verb = sent.lost ? ' is not sent' : ''
        return {
          problem: `${called(target)}${verb}: ${words} ${sent.problem}`,
          fails: required || target.isVital === true,
        }
      }
      const value = sent?.value
      if (required && (value === undefined || value === '')) return without(of)
      const { leftOut = [], isOfProfile = false } = given
      const listed = leftOut.length === 0 ? '' : `${called(target)}: ${leftOut.join('; ')}`
      if (value === undefined) return listed === '' ? without(of) : { problem: listed, fails: false }
      if (listed !== '') return { value, note: listed }
      const isCompleted = person?.isDefault === true && !isSame(sentValue(target, part, undefined), value)
      if (isCompleted) return { value, isOfProfile, note: defaultNote(target.name, person.text ?? '') }
      return { value, isOfProfile }
    },
  }
}

/** Whether a result is the same value or list of values. */
const isSame = (sent: Sent, value: unknown): boolean =>
  sent !== undefined && 'value' in sent && String(sent.value) === String(value)
