import type { Method } from '@tributary/contract'
import { cutText, isJsonObject, nearestText } from '@tributary/kernel'
import { z } from 'zod'
import type { Issue } from './validation.ts'

/** Maximum reported unknown keys, because a response must not be larger than its request. */
const maxReported = 100
/** Maximum reported characters of an unknown key. */
const maxKeyLength = 100

/** Returns a schema without its wrappers: defaults, `optional`, refinements, conversions. */
const unwrap = (schema: z.core.$ZodType): z.core.$ZodType => {
  if (schema instanceof z.ZodLazy) return unwrap(schema.unwrap())
  if (schema instanceof z.ZodPipe) return unwrap(schema.in instanceof z.ZodTransform ? schema.out : schema.in)
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodNonOptional ||
    schema instanceof z.ZodReadonly
  )
    return unwrap(schema.def.innerType)
  return schema
}

type Literals = readonly (readonly [key: string, values: readonly unknown[]])[]
const literals = new WeakMap<z.core.$ZodType, Literals>()

/** Returns the literal fields of an object schema, such as its `type`. */
const literalsOf = (schema: z.core.$ZodType): Literals => {
  const known = literals.get(schema)
  if (known !== undefined) return known
  const shape = schema instanceof z.ZodObject ? Object.entries(schema.shape) : []
  const found = shape.flatMap(([key, field]) => {
    const inner = unwrap(field as z.core.$ZodType)
    return inner instanceof z.ZodLiteral ? [[key, inner.def.values] as const] : []
  })
  literals.set(schema, found)
  return found
}

/** Whether the literal fields of an object schema, such as `type`, match those of the value. */
const hasItsLiterals = (schema: z.core.$ZodType, value: Readonly<Record<string, unknown>>): boolean =>
  literalsOf(schema).every(([key, values]) => value[key] === undefined || values.includes(value[key]))

/**
 * Returns the schemas that may be intended for a value. For a union, they are the options whose literals match the
 * value.
 */
const candidatesFor = (schemas: readonly z.core.$ZodType[], value: unknown): z.core.$ZodType[] =>
  schemas.flatMap((wrapped) => {
    const schema = unwrap(wrapped)
    if (!(schema instanceof z.ZodUnion)) return [schema]
    const options = candidatesFor(schema.options, value)
    const fitting = isJsonObject(value) ? options.filter((option) => hasItsLiterals(option, value)) : options
    // If no option matches, the intended option is unknown, and the schema rejects the value anyway.
    return fitting.length === 0 ? options : fitting
  })

const isOpen = (schema: z.core.$ZodType): boolean => schema instanceof z.ZodUnknown || schema instanceof z.ZodAny

/** Returns the fields of object schemas by key, each with its schemas. */
const fieldsOf = (schemas: readonly z.core.$ZodType[]): Map<string, z.core.$ZodType[]> => {
  const fields = new Map<string, z.core.$ZodType[]>()
  for (const schema of schemas) {
    if (!(schema instanceof z.ZodObject)) continue
    for (const [key, field] of Object.entries(schema.shape))
      fields.set(key, [...(fields.get(key) ?? []), field as z.core.$ZodType])
  }
  return fields
}

/** Returns the schemas for values of unlisted keys, from records and open objects. */
const restOf = (schemas: readonly z.core.$ZodType[]): z.core.$ZodType[] =>
  schemas.flatMap((schema) => {
    if (schema instanceof z.ZodRecord) return [schema.def.valueType]
    const rest = schema instanceof z.ZodObject ? schema.def.catchall : undefined
    return rest === undefined || rest instanceof z.ZodNever ? [] : [rest]
  })

const elementsOf = (schemas: readonly z.core.$ZodType[]): z.core.$ZodType[] =>
  schemas.flatMap((schema) => (schema instanceof z.ZodArray ? [schema.def.element] : []))

const messageOf = (key: string, known: Iterable<string>): string => {
  const nearest = nearestText(key, known)
  const hint = nearest === undefined ? 'No fields are known here' : `The nearest known field is "${nearest}"`
  return `Unknown field "${cutText(key, maxKeyLength)}". ${hint}`
}

/**
 * A position in the body. `request` has the accepted schemas; keys that only response schemas (`answers`) have are
 * ignored. The result for each shape is cached, because a body may have a hundred thousand values at one position.
 */
type Place = {
  request: readonly z.core.$ZodType[]
  answers: readonly z.core.$ZodType[]
  /** The literals by key that select one of several schemas; undefined if there is no union. */
  choices: ReadonlyMap<string, ReadonlySet<unknown>> | undefined
  /** The shapes of values by their kind. */
  shapes: Map<string, Shape>
}

/** The shape of the values at a position. */
type Shape = {
  isOpen: boolean
  isObject: boolean
  fields: ReadonlyMap<string, z.core.$ZodType[]>
  /** Returns the position of a key's value; `ignored` and `unknown` keys have none. */
  at(key: string): Place | 'ignored' | 'unknown'
  elements: Place | undefined
}

const choicesOf = (schemas: readonly z.core.$ZodType[]): Place['choices'] => {
  if (!schemas.some((schema) => schema instanceof z.ZodUnion)) return undefined
  const choices = new Map<string, Set<unknown>>()
  for (const [key, values] of schemas.flatMap(literalsBelow))
    choices.set(key, new Set([...(choices.get(key) ?? []), ...values]))
  return choices
}

const placeOf = (given: readonly z.core.$ZodType[], givenBack: readonly z.core.$ZodType[]): Place => {
  // Duplicates are removed, because responses share most schemas.
  const distinct = (schemas: readonly z.core.$ZodType[]) => [...new Set(schemas.map(unwrap))]
  const [request, answers] = [distinct(given), distinct(givenBack)]
  return { request, answers, choices: choicesOf([...request, ...answers]), shapes: new Map() }
}

const shapeOf = (request: readonly z.core.$ZodType[], answers: readonly z.core.$ZodType[]): Shape => {
  const rest = restOf(request)
  const [fields, answered, answeredRest] = [fieldsOf(request), fieldsOf(answers), restOf(answers)]
  const elements = elementsOf(request)
  const places = new Map<string, Place | 'ignored'>()
  const named = (key: string): Place | 'ignored' => {
    const next = [...(fields.get(key) ?? []), ...rest]
    return next.length === 0 ? 'ignored' : placeOf(next, [...(answered.get(key) ?? []), ...answeredRest])
  }
  const others: Place | 'unknown' = rest.length === 0 ? 'unknown' : placeOf(rest, answeredRest)
  return {
    isOpen: request.some(isOpen),
    isObject: rest.length > 0 || request.some((schema) => schema instanceof z.ZodObject),
    fields,
    at(key) {
      // The result is not cached, because the caller decides how many such keys there are.
      if (!fields.has(key) && !answered.has(key)) return others
      const place = places.get(key) ?? named(key)
      places.set(key, place)
      return place
    },
    elements: elements.length === 0 ? undefined : placeOf(elements, elementsOf(answers)),
  }
}

/** Returns the literals of a schema, and of all options of a union. */
const literalsBelow = (schema: z.core.$ZodType): Literals =>
  schema instanceof z.ZodUnion ? schema.options.flatMap((option) => literalsBelow(unwrap(option))) : literalsOf(schema)

/** Returns the kind of a value: its literals, which decide the intended schema. */
const kindOf = (choices: ReadonlyMap<string, ReadonlySet<unknown>>, value: unknown): string => {
  if (!isJsonObject(value)) return ''
  let kind = '{'
  for (const [key, values] of choices) {
    const own = value[key]
    kind += own === undefined ? ',' : values.has(own) ? `${JSON.stringify(own)},` : '?,'
  }
  return kind
}

/** Returns the intended shape of a value at a position. */
const shapeAt = ({ request, answers, choices, shapes }: Place, value: unknown): Shape => {
  const kind = choices === undefined ? '' : kindOf(choices, value)
  const known = shapes.get(kind)
  if (known !== undefined) return known
  const shape = shapeOf(candidatesFor(request, value), candidatesFor(answers, value))
  shapes.set(kind, shape)
  return shape
}

const walk = (place: Place, value: unknown, path: readonly PropertyKey[], issues: Issue[]): void => {
  if (typeof value !== 'object' || value === null || issues.length >= maxReported) return
  const shape = shapeAt(place, value)
  if (shape.isOpen) return
  if (Array.isArray(value)) {
    const { elements } = shape
    if (elements !== undefined)
      for (const [index, element] of value.entries()) walk(elements, element, [...path, index], issues)
    return
  }
  if (!shape.isObject) return
  for (const [key, inner] of Object.entries(value)) {
    const next = shape.at(key)
    if (typeof next === 'object') walk(next, inner, [...path, key], issues)
    else if (next === 'unknown' && issues.length < maxReported)
      issues.push({ path: [...path, key.slice(0, maxKeyLength)], message: messageOf(key, shape.fields.keys()) })
  }
}

const nothing = z.object({})

/** Parts of a body that a method does not use but accepts. */
export type Ignored = {
  /** Schemas of responses whose fields clients may send back. Only the server sets these fields (AIP-203). */
  answers: readonly z.ZodType[]
  /** Top-level fields of the body. */
  fields: readonly string[]
}

/**
 * Returns the first 100 unknown keys of a request body; each issue names the nearest known key. Values that do not
 * match the schema are skipped.
 */
export const unknownBodyKeys = (method: Method, { answers, fields }: Ignored, body: unknown): Issue[] => {
  const issues: Issue[] = []
  walk(placeOf([method.request ?? nothing], answers), body, [], issues)
  return issues.filter(({ path }) => path.length > 1 || !fields.includes(String(path[0])))
}

/** Returns the first 100 unknown query parameters. */
export const unknownQueryKeys = (method: Method, query: unknown): Issue[] => {
  const issues: Issue[] = []
  walk(placeOf([method.query ?? nothing], []), query, [], issues)
  return issues
}

/** Methods whose response, or a row of it, is the resource in its public form. */
const standardVerbs: readonly string[] = ['get', 'list', 'create', 'update']

const fieldsOfRequest = (method: Method | undefined): string[] =>
  method?.request === undefined ? [] : [...fieldsOf([unwrap(method.request)]).keys()]

/**
 * Returns the parts of a method's request body that are ignored.
 * - Always: the fields of its own response.
 * - For `create` and `update`: the fields of the resource as the standard methods of its group return it.
 * - For a call that only reads, such as a preview, and for an update with a mask: also the fields of `create`.
 */
export const ignoredBy = (method: Method, methods: readonly Method[]): { always: Ignored; masked: Ignored } => {
  const [group, verb] = method.name.split('.')
  const related = methods.filter(({ name }) => name.startsWith(`${group}.`))
  const isResource = verb === 'create' || verb === 'update'
  const answers = isResource
    ? related
        .filter(({ name }) => standardVerbs.includes(name.split('.')[1] ?? ''))
        .flatMap(({ response }) => {
          const rows = response instanceof z.ZodObject ? elementsOf(Object.values(response.shape).map(unwrap)) : []
          return [response, ...rows.filter((row): row is z.ZodType => row instanceof z.ZodType)]
        })
    : [method.response]
  const ofCreate = fieldsOfRequest(related.find(({ name }) => name === `${group}.create`))
  const fields = [...(method.alsoKnown ?? []), ...(method.reads === true ? ofCreate : [])]
  return { always: { answers, fields }, masked: { answers, fields: [...fields, ...ofCreate] } }
}
