import { describe, expect, test } from 'vitest'
import { trackingLimits } from '../events/tracking.ts'
import { maxProblems, validateEvent } from './compatibility.ts'
import { type ObjectSchema, parseSourceSchema, type SourceSchema, schemaLimits } from './source-schema.ts'

/*
 * Proxies around the event and the schema count the steps of a validation. A step is a read of the event, a name taken
 * from a definition, or a property looked up there.
 */
let steps = 0

const counting = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value
  // The type cast is safe, because a proxy that only counts behaves like its target.
  return new Proxy(value, {
    get(target, key) {
      steps++
      return counting(Reflect.get(target, key) as unknown)
    },
    getOwnPropertyDescriptor(target, key) {
      steps++
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
    ownKeys(target) {
      steps++
      return Reflect.ownKeys(target)
    },
  }) as T
}

class CountedSet extends Set<string> {
  override *[Symbol.iterator](): ReturnType<Set<string>['values']> {
    for (const name of super.values()) {
      steps++
      yield name
    }
  }
  override has(name: string): boolean {
    steps++
    return super.has(name)
  }
}

class CountedMap<T> extends Map<string, T> {
  override get(name: string): T | undefined {
    steps++
    return super.get(name)
  }
}

const counted = (object: ObjectSchema): ObjectSchema => ({
  properties: new CountedMap(
    [...object.properties].map(([name, property]) => [
      name,
      property.items === undefined ? property : { ...property, items: counted(property.items) },
    ]),
  ),
  required: new CountedSet(object.required),
  recommended: new CountedSet(object.recommended),
})

const schemaOf = (bought: object): SourceSchema => {
  const schema = parseSourceSchema(JSON.stringify({ events: { Bought: bought } }))
  return { events: new CountedMap([...schema.events].map(([title, object]) => [title, counted(object)])) }
}

const names = Array.from({ length: schemaLimits.properties }, (_, index) => `p${index}`)
const texts = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
const asked = { properties: texts, required: names }
/** Fewer required properties than `maxProblems`, so that the problems do not end the validation. */
const fewAsked = { properties: texts, required: names.slice(0, maxProblems - 1) }
const listOf = (items: object): object => ({ properties: { l: { type: 'array', items } } })
/** As many copies of a value as fit into an event. */
const filled = (value: unknown): unknown[] => {
  const bytes = JSON.stringify(value).length + 1
  return Array.from({ length: Math.floor((trackingLimits.eventBytes - 200) / bytes) }, () => value)
}
const full = Object.fromEntries(names.map((name) => [name, '']))
const unknown = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`u${index}`, 1]))

const hostile: Record<string, [schema: object, properties: object]> = {
  'nothing of what is asked for': [asked, {}],
  'empty items, each of which lacks all that is asked for': [listOf(asked), { l: filled({}) }],
  'empty items, each of which lacks dozens of properties': [listOf(fewAsked), { l: filled({}) }],
  'items that have all that is asked for': [listOf(asked), { l: filled(full) }],
  'items that lack the last that is asked for': [
    listOf(asked),
    { l: filled(Object.fromEntries(names.slice(0, -1).map((name) => [name, '']))) },
  ],
  'items that are no objects': [listOf(asked), { l: filled(1) }],
  'items that are null': [listOf(asked), { l: filled(null) }],
  'items of lists': [listOf(asked), { l: filled([]) }],
  'the same unknown name in each item': [listOf({ properties: texts }), { l: filled({ u: 1 }) }],
  'the same name of another type in each item': [listOf({ properties: texts }), { l: filled({ p1: 1 }) }],
  'nulls for what may be missing': [listOf({ properties: texts }), { l: filled({ p1: null }) }],
  'empty items of which nothing is asked': [listOf({ properties: texts }), { l: filled({}) }],
  'unknown names': [asked, unknown],
  'unknown names in one item': [listOf({ properties: texts }), { l: [unknown] }],
  'names of every object': [asked, { constructor: 1, toString: 1, hasOwnProperty: 1, valueOf: 1 }],
}

/** Steps per byte of an event, and extra steps for problems, which end after 1,000. */
const stepsPerByte = 4
const stepsOfFindings = 4 * 1000

describe('validating an event of the maximum size takes steps in proportion to its bytes, whatever its schema requires', () => {
  test.each(Object.entries(hostile))('%s', (_, [bought, properties]) => {
    const schema = schemaOf(bought)
    const bytes = JSON.stringify(properties).length
    expect(bytes).toBeLessThanOrEqual(trackingLimits.eventBytes)
    const event = { type: 'track', title: 'Bought', data: counting(properties) }
    steps = 0
    const { compatibility } = validateEvent(schema, event)
    expect(compatibility).toMatch(/compatible|needsAttention/)
    expect(steps).toBeGreaterThan(3)
    expect(steps).toBeLessThanOrEqual(stepsPerByte * bytes + stepsOfFindings)
  })
})
