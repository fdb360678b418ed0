import type { FieldMapping } from '@tributary/contract'
import type { ActionTarget } from '../definition/definition.ts'
import { isBlank } from './blank.ts'
import { compileConditions } from './conditions.ts'
import { defaultText } from './defaults.ts'
import { compileSource, type EventInHand } from './sources.ts'

/** Maximum characters of a country. */
const longestCountry = 200

/** The country of a person; `isDefault` if it is that of the destination's settings. */
export type PersonCountry = { text: string | undefined; isDefault: boolean }

/**
 * Returns a function for the country of the person: the value that the same mapping gives to the target's
 * `countryTarget`, or else the destination's default. Undefined if the target has neither.
 */
export const countryOf = (
  { countryTarget, countrySetting }: Partial<Pick<ActionTarget, 'countryTarget' | 'countrySetting'>>,
  fields: readonly FieldMapping[],
): ((of: EventInHand) => PersonCountry) | undefined => {
  const field = fields.find(({ target }) => countryTarget !== undefined && target.name === countryTarget)
  if (field === undefined && countrySetting === undefined) return undefined
  const source = field === undefined ? undefined : compileSource(field.source)
  const { conditions = [], condition_match = 'all' } = field ?? {}
  const { meets } = compileConditions({ match: condition_match, conditions })
  return (of) => {
    const given = meets(of) ? source?.(of) : undefined
    const value: unknown = given === undefined || 'problem' in given ? undefined : given.value
    const [first]: unknown[] = Array.isArray(value) ? value : [value]
    if (isBlank(first)) {
      const text = defaultText(countrySetting, of.place.settings)
      return { text: text === '' ? undefined : text, isDefault: text !== '' }
    }
    return { text: typeof first === 'string' && first.length <= longestCountry ? first : undefined, isDefault: false }
  }
}
