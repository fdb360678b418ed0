import { type ComputedTraitDefinition, decimalText, type SelectedAttribute } from '@tributary/contract'

/** A stored event. Times are epoch ms. */
export type PlainEvent = {
  eventId: string
  event: string
  properties: Readonly<Record<string, unknown>>
  timestamp: number
  receivedAt: number
  status: string
  test: boolean
}

const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value
  return typeof value === 'string' && decimalText.test(value) ? Number(value) : undefined
}

const meets = (found: unknown, { operator, value }: SelectedAttribute): boolean => {
  if (operator === 'exists') return found !== undefined && found !== null
  if (operator === 'greater_than') return (numberOf(found) ?? Number.NEGATIVE_INFINITY) > Number(value)
  if (operator === 'equals') return found === value
  throw new Error(`The plain evaluation does not know ${operator}`)
}

/** Returns the exact decimal sum of numbers. */
const sumOf = (numbers: readonly number[]): number =>
  Number(`${numbers.reduce((sum, each) => sum + BigInt(Math.round(each * 1e9)), 0n)}e-9`)

/**
 * Computes the value of a computed trait from all events of a profile, in the simplest possible way. Returns undefined
 * if there is no value.
 */
export const plainValue = (
  { event, operation, property, window_days, conditions }: ComputedTraitDefinition,
  events: readonly PlainEvent[],
  asOf: number,
): unknown => {
  const happened = ({ timestamp, receivedAt }: PlainEvent): number => Math.min(timestamp, receivedAt)
  const counted = events
    .filter((each) => each.status === 'accepted' && !each.test && each.event === event)
    .filter((each) => window_days === null || happened(each) > asOf - window_days * 86_400_000)
    .filter(({ properties }) => conditions.every((each) => meets(properties[each.name], each)))
    .toSorted((a, b) => happened(a) - happened(b) || (a.eventId < b.eventId ? -1 : 1))
  if (operation === 'count') return counted.length === 0 ? undefined : counted.length
  const values = counted
    .map(({ properties }) => properties[property])
    .filter((each) => each !== undefined && each !== null)
  const elements = values.flatMap((each) =>
    (Array.isArray(each) ? each.filter((item) => item !== null) : [each]).map((item) => JSON.stringify(item)),
  )
  const numbers = values.flatMap((each) => numberOf(each) ?? [])
  switch (operation) {
    case 'first':
      return values[0]
    case 'last':
      return values.at(-1)
    case 'unique_count':
      return values.length === 0 ? undefined : new Set(values.map((each) => JSON.stringify(each))).size
    case 'unique_values':
      return elements.length === 0 ? undefined : new Set(elements).size
    case 'most_frequent': {
      const counts = [...Map.groupBy(elements, (each) => each)].map(([text, { length }]) => ({ text, length }))
      const [mode] = counts.toSorted((a, b) => b.length - a.length || (a.text < b.text ? -1 : 1))
      return mode && JSON.parse(mode.text)
    }
    case 'sum':
      return numbers.length === 0 ? undefined : sumOf(numbers)
    case 'average':
      return numbers.length === 0 ? undefined : sumOf(numbers) / numbers.length
    case 'minimum':
      return numbers.length === 0 ? undefined : Math.min(...numbers)
    case 'maximum':
      return numbers.length === 0 ? undefined : Math.max(...numbers)
  }
}
