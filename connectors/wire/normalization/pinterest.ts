import { metaNormalization } from './meta.ts'
import { stateCodeOf } from './states.ts'
import { lettersOnly, withoutSpaces } from './texts.ts'

const nonBinary: ReadonlySet<string> = new Set(['n', 'non-binary', 'nonbinary', 'non binary'])

/**
 * Normalization by Pinterest's rules: `ConversionEventsUserDataProperties` of its specification
 * (github.com/pinterest/api-description, v5/openapi.yaml).
 */
export const pinterestNormalization = {
  /** One of `f`, `m`, and `n`. */
  gender: (text: string): string => (nonBinary.has(text.trim().toLowerCase()) ? 'n' : metaNormalization.gender(text)),
  /** A code of two letters; the name of a state outside the United States and Canada has none. */
  state: (text: string): string => {
    const letters = lettersOnly(text)
    return stateCodeOf(text) || (letters.length === 2 ? letters : '')
  },
  /** Five digits in the United States. Segment's fields name the rule of other countries: as they write it. */
  zip: (text: string): string => {
    const code = withoutSpaces(text.toLowerCase())
    return /^\d{5}-\d{4}$/.test(code) ? code.slice(0, 5) : code
  },
}
