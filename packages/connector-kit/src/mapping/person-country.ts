import type { FieldMapping } from '@tributary/contract'
import type { ActionTarget } from '../definition/definition.ts'
import { compileSource, type EventInHand } from './sources.ts'

/** Maximum characters of a country. */
const longestCountry = 200

/**
 * Returns a function for the country of the person: the value that the same mapping gives to the target's
 * `countryTarget`. Undefined if the mapping has no such field.
 */
export const countryOf = (
  { countryTarget }: Partial<Pick<ActionTarget, 'countryTarget'>>,
  fields: readonly FieldMapping[],
): ((of: EventInHand) => string | undefined) | undefined => {
  const field = fields.find(({ target }) => countryTarget !== undefined && target.name === countryTarget)
  if (field === undefined) return undefined
  const source = compileSource(field.source)
  return (of) => {
    const given = source(of)
    const value: unknown = 'problem' in given ? undefined : given.value
    const [first]: unknown[] = Array.isArray(value) ? value : [value]
    return typeof first === 'string' && first.length <= longestCountry ? first : undefined
  }
}
