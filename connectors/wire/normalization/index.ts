import type { Normalizations } from '@tributary/connector-kit/description'
import { countryCodeOf } from './countries.ts'
import { internationalPhone } from './phones.ts'
import { addressOf } from './texts.ts'

/**
 * Forms of texts by the names that descriptions give them in `normalize`. '' means that nothing is sent. The rules of a
 * platform have its name in front, and are in its own file beside its test vectors.
 */
export const normalizations: Normalizations = {
  email: addressOf,
  /** With a plus sign and the country code. */
  phone_e164: internationalPhone,
  /** The same without the plus sign. */
  phone_digits: (text, country) => internationalPhone(text, country).slice(1),
  /** ISO 3166-1 alpha-2 in capitals. */
  country_code: countryCodeOf,
}
