import {
  type ItemField,
  type ListSource,
  type MappingSource,
  mappingLimits,
  pathNames,
  valueAt,
  workOfValue,
} from '@tributary/contract'
import { isJsonObject } from '@tributary/kernel'
import type { Choice, TargetField } from '../definition/definition.ts'
import { isBlank } from './blank.ts'
import { coerce } from './coerce.ts'
import { createPayload, isPlace } from './payload.ts'
import { choiceOf } from './sent-value.ts'
import type { EventInHand, SourceValue } from './sources.ts'

type Compile = (source: MappingSource) => (of: EventInHand) => SourceValue

/** A field of the items: its place in the item, and its value. */
type Field = {
  name: string
  names: readonly string[]
  type: ItemField['type']
  required: boolean
  choices: readonly Choice[] | undefined
  /** `isOwn` if the value is from the item itself. */
  read: (item: object, of: EventInHand) => { value: unknown; isOwn: boolean }
}

/** Cost of reading a field of an item. */
const perItemField = 150

const nothing = { value: undefined, isOwn: false }

const compileRead = (source: ItemField['source'], compile: Compile): Field['read'] => {
  switch (source.type) {
    case 'FIELD': {
      const names = pathNames(source.name)
      return (item) => ({ value: valueAt(item, names), isOwn: true })
    }
    case 'FIRST': {
      const reads = source.sources.map((each) => compileRead(each, compile))
      return (item, of) => {
        for (const read of reads) {
          of.spend(perItemField)
          const given = read(item, of)
          if (!isBlank(given.value)) return given
        }
        return nothing
      }
    }
    default: {
      const give = compile(source)
      return (_, of) => {
        const given = give(of)
        return 'problem' in given ? nothing : { value: given.value, isOwn: false }
      }
    }
  }
}

const compileField = (field: ItemField, known: TargetField | undefined, compile: Compile): Field => ({
  name: field.name,
  names: pathNames(field.name),
  type: known?.type ?? field.type,
  required: known?.required === true,
  choices: known?.choices,
  read: compileRead(field.source, compile),
})

/** Counts what was left out of a list, by the reason. */
type LeftOut = Map<string, number>

const count = (leftOut: LeftOut, reason: string): void => void leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1)

/** Returns the item that is made from an object; undefined if the object has none of the mapped values. */
const itemOf = (fields: readonly Field[], item: object, of: EventInHand, leftOut: LeftOut): object | undefined => {
  const made = createPayload()
  let isFound = false
  for (const { name, names, type, required, choices, read } of fields) {
    of.spend(perItemField)
    const { value, isOwn } = read(item, of)
    if (typeof value === 'string' || typeof value === 'object') of.spend(workOfValue(value))
    const coerced = isBlank(value) ? undefined : coerce(value, type)
    if (coerced !== undefined && 'problem' in coerced) count(leftOut, `${name} ${coerced.problem}`)
    const given = coerced !== undefined && 'value' in coerced ? coerced.value : undefined
    const sent = choices === undefined || given === undefined ? given : choiceOf(choices, given)
    if (given !== undefined && sent === undefined) count(leftOut, `${name} has a value that it does not accept`)
    if (sent === undefined) {
      if (!required) continue
      count(leftOut, `without ${name}`)
      return undefined
    }
    if (!made.put(names, sent)) count(leftOut, `${name} is inside a value that is not an object`)
    else isFound ||= isOwn
  }
  return isFound ? made.fields : undefined
}

/** Returns the phrases that say what was left out of a list. */
const wordsOf = (leftOut: LeftOut, items: number): string[] =>
  [...leftOut].map(([reason, times]) => (items === 1 ? `the item: ${reason}` : `${times} of ${items} items: ${reason}`))

/** Returns the list at a path: a list, a list as JSON text, or the single object. */
const listAt = (of: EventInHand, names: readonly string[]): readonly unknown[] => {
  const value = valueAt(of.exact(), names)
  if (typeof value === 'string') of.spend(workOfValue(value))
  const coerced = isBlank(value) ? undefined : coerce(value, 'array')
  return coerced !== undefined && 'value' in coerced && Array.isArray(coerced.value) ? coerced.value : []
}

/**
 * Compiles a LIST source: an object for each object of the list, at most `mappingLimits.items`. Without a list, the object
 * at the root is the only item. An item without any of its own values is left out, and so is one without a required
 * field of `known`.
 */
export const compileList = (
  source: ListSource,
  known: readonly TargetField[],
  compile: Compile,
): ((of: EventInHand) => SourceValue) => {
  const fields = source.fields
    .map((field) =>
      compileField(
        field,
        known.find(({ name }) => name === field.name),
        compile,
      ),
    )
    .filter(({ names }) => isPlace(names))
    // Sets a nested field after the field that contains it.
    .toSorted((a, b) => a.names.length - b.names.length)
  const names = pathNames(source.list)
  const root = source.root === '' ? undefined : pathNames(source.root)
  return (of) => {
    const leftOut: LeftOut = new Map()
    const list = listAt(of, names)
    const made = list.slice(0, mappingLimits.items).flatMap((item) => {
      const own = isJsonObject(item) ? itemOf(fields, item, of, leftOut) : undefined
      if (!isJsonObject(item)) count(leftOut, 'not an object')
      return own ?? []
    })
    const words = wordsOf(leftOut, list.length)
    const more = list.length - mappingLimits.items
    if (more > 0) words.push(`${more} of ${list.length} items: more than ${mappingLimits.items}`)
    if (list.length > 0 || root === undefined) return { value: made.length === 0 ? undefined : made, leftOut: words }
    const object = valueAt(of.exact(), root)
    // Most events are not about a product, so what this one lacks is no news.
    const own = isJsonObject(object) ? itemOf(fields, object, of, new Map()) : undefined
    return { value: own === undefined ? undefined : [own] }
  }
}
