import { isJsonObject, type SourceSchema, validatedDataOf } from '@tributary/contract'
import { cutText } from '@tributary/kernel/browser'
import type { LiveEvent } from './live-event.ts'

const own = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** The value at a path of names joined by dots; names that contain dots are found, too. */
const valueAt = (value: unknown, path: string): unknown => {
  const whole = own(value, path)
  if (whole !== undefined) return whole
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const inner = own(value, path.slice(0, dot))
    const found = inner === undefined ? undefined : valueAt(inner, path.slice(dot + 1))
    if (found !== undefined) return found
  }
  return undefined
}

/** Maximum number of characters of a value in a cell. */
const maxCharacters = 200

const textOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= maxCharacters ? text : `${cutText(text, maxCharacters - 1).toWellFormed()}…`
}

/**
 * Returns the text of a property of an event for its cell. The property is one of the event's properties or traits,
 * otherwise a path in the whole event, such as `context.locale`. Undefined while neither the live message nor a loaded
 * payload has the value; '' if the event has none.
 */
export const propertyText = ({ type, payload, values }: LiveEvent, property: string): string | undefined => {
  if (payload === undefined) {
    const value = own(values, property)
    return value === undefined ? undefined : textOf(value)
  }
  if (payload === null) return ''
  const inner = valueAt(validatedDataOf(type, payload), property)
  const value = inner === undefined ? valueAt(payload, property) : inner
  return value === undefined ? '' : textOf(value)
}

/** The selectable properties: those of the schema and of the listed events, by name. */
export const propertyNames = (schema: SourceSchema, events: readonly LiveEvent[]): string[] => {
  const names = new Set<string>()
  for (const definition of [...schema.events.values(), schema.user])
    for (const name of definition?.properties.keys() ?? []) names.add(name)
  for (const { type, payload } of events) {
    const data = payload === undefined || payload === null ? undefined : validatedDataOf(type, payload)
    if (isJsonObject(data)) for (const name of Object.keys(data)) names.add(name)
  }
  return [...names].sort((one, other) => one.localeCompare(other))
}
