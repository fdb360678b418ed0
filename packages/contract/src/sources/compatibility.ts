import { isJsonObject } from '@tributary/kernel/browser'
import { eventTypes } from '../events/tracking.ts'
import {
  definitionOf,
  type ObjectSchema,
  type PropertyType,
  pointerSegment,
  type SourceSchema,
} from './source-schema.ts'

/** The result of a validation: the event matches, its name is unknown, or some of its properties do not match. */
export const compatibilities = ['compatible', 'incompatible', 'needsAttention'] as const
export type Compatibility = (typeof compatibilities)[number]

/** The problems of a property, by stable name, with their messages. */
export const problemMessages = {
  missing: 'Missing property',
  type: 'Type mismatch',
  unknown: 'Unknown property',
} as const
export type ProblemKind = keyof typeof problemMessages
export const problemKinds = ['missing', 'type', 'unknown'] as const satisfies readonly ProblemKind[]

/** A problem of one property that does not match the schema. */
export type Problem = {
  /** The property's name; `array/field` for a field of an array's items. Names are escaped as in a JSON Pointer. */
  readonly property: string
  readonly kind: ProblemKind
}

export type ValidationResult = { readonly compatibility: Compatibility; readonly problems: readonly Problem[] }

/** Maximum reported problems of one event. */
export const maxProblems = 50

/**
 * Number of findings after which the validation ends. An event of 32 KiB can be a list of ten thousand empty items,
 * each of which lacks dozens of properties. Reporting the same problems again and again took 150 ms.
 */
const maxFindings = 1000

const fits: ValidationResult = { compatibility: 'compatible', problems: [] }
const isNew: ValidationResult = { compatibility: 'incompatible', problems: [] }

type Values = { readonly [name: string]: unknown }
const noValues: Values = {}

/** Returns the type of a JSON value as a schema names it; undefined for null. */
export const typeOfValue = (value: unknown): PropertyType | undefined => {
  if (value === null || value === undefined) return undefined
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}

const hasOwn = Object.prototype.hasOwnProperty

/**
 * Receives a problem of the field `name`, or of the field `name` in the items of the array `parent`. The validation
 * ends if it returns false.
 */
type Report = (parent: string | undefined, name: string, kind: ProblemKind) => boolean

/**
 * Validates the fields of `values`; with `parent`, `values` is an item of that array. Returns false if `report` ended
 * the validation.
 */
const validateFields = (values: Values, object: ObjectSchema, parent: string | undefined, report: Report): boolean => {
  for (const name of object.required) {
    if (!hasOwn.call(values, name) && !report(parent, name, 'missing')) return false
  }
  for (const name in values) {
    if (!hasOwn.call(values, name)) continue
    const value = values[name]
    const property = object.properties.get(name)
    if (property === undefined) {
      if (!report(parent, name, 'unknown')) return false
      continue
    }
    const type = typeOfValue(value)
    if (type === undefined ? object.required.has(name) : type !== property.type) {
      if (!report(parent, name, 'type')) return false
      continue
    }
    if (property.items === undefined || !Array.isArray(value)) continue
    for (const item of value) {
      const goesOn = isJsonObject(item)
        ? validateFields(item, property.items, name, report)
        : report(parent, name, 'type')
      if (!goesOn) return false
    }
  }
  return true
}

/**
 * Returns the problems of properties or traits against their definition. Each problem occurs once, and at most `limit`
 * are returned.
 */
export const problemsOf = (values: Values, object: ObjectSchema, limit = maxProblems): readonly Problem[] => {
  let problems: Problem[] | undefined
  let seen: Set<string> | undefined
  let findings = 0
  validateFields(values, object, undefined, (parent, name, kind) => {
    if (++findings > maxFindings) return false
    const field = pointerSegment(name)
    const property = parent === undefined ? field : `${pointerSegment(parent)}/${field}`
    seen ??= new Set()
    const key = `${kind} ${property}`
    if (seen.has(key)) return true
    seen.add(key)
    problems ??= []
    problems.push({ property, kind })
    return problems.length < limit
  })
  return problems ?? fits.problems
}

/**
 * Validates like `validateEvent`, with the data as an argument, so that no memory is allocated for a matching event.
 */
export const validateValues = (schema: SourceSchema, type: string, title: string, data: unknown): ValidationResult => {
  if (type !== 'track' && type !== 'identify') return fits
  const definition = definitionOf(schema, type, title)
  if (definition === undefined) return isNew
  const problems = problemsOf(isJsonObject(data) ? data : noValues, definition)
  return problems.length === 0 ? fits : { compatibility: 'needsAttention', problems }
}

/**
 * Validates one event. `data` has the properties, or the traits of identify; any other value than an object counts as
 * empty. Page, screen, group and alias calls always match. A track event is looked up by its title, identify by the
 * user schema. Without a definition it is incompatible. With one, it is compatible when nothing is missing, unknown or
 * of another type; otherwise it needs attention. null is a mismatch for a required property and ignored otherwise.
 * Objects are not descended; items of arrays are, where the schema defines them.
 */
export const validateEvent = (
  schema: SourceSchema,
  event: { readonly type: string; readonly title: string; readonly data: unknown },
): ValidationResult => validateValues(schema, event.type, event.title, event.data)

/** Returns the part of an event that its schema validates: traits for identify, properties for other types. */
export const validatedDataOf = (type: string, payload: Values): unknown =>
  type === 'identify' ? payload['traits'] : payload['properties']

/** Whether a text is one of the types of events. */
export const isEventType = (type: string): boolean => eventTypes.some((each) => each === type)
