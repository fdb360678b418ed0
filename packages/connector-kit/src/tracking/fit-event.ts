import { trackingLimits } from '@tributary/contract'
import { isJsonObject } from '@tributary/kernel'

type Fields = Readonly<Record<string, unknown>>

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

const without = (value: unknown, spare: (name: string, value: unknown) => boolean): unknown => {
  if (Array.isArray(value)) return value.map((item) => without(item, spare))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, item]) => !spare(name, item))
      .map(([name, item]) => [name, without(item, spare)]),
  )
}

/** Maximum names in `context.left_out`, because thousands of names would not fit into the event. */
const maxNamed = 20

/**
 * Reduces an event to the size that collection accepts, for bodies that a vendor may make as large as it wants. An
 * event that fits stays unchanged. Otherwise the names in `spare` are removed everywhere in its properties, then the
 * largest properties one by one; `context.left_out` names the removed ones.
 */
export const fitEvent = (
  event: Fields,
  spare: { name: string; matches: (name: string, value: unknown) => boolean },
  limit: number = trackingLimits.eventBytes,
): Fields => {
  // 1 kB is reserved for what is added: IDs, a type, the list of removed names.
  const room = limit - 1024
  if (bytesOf(event) <= room) return event
  const leftOut = [spare.name]
  let properties = without(event['properties'], spare.matches) as Fields
  let size = bytesOf({ ...event, properties })
  const bySize = Object.entries(properties)
    .map(([name, value]) => ({ name, size: bytesOf(value) }))
    .toSorted((a, b) => b.size - a.size)
  const gone = new Set<string>()
  for (const { name, size: own } of bySize) {
    if (size <= room) break
    gone.add(name)
    size -= own
    if (leftOut.length < maxNamed) leftOut.push(name)
  }
  properties = Object.fromEntries(Object.entries(properties).filter(([name]) => !gone.has(name)))
  const context = isJsonObject(event['context']) ? event['context'] : {}
  return { ...event, properties, context: { ...context, left_out: leftOut } }
}
