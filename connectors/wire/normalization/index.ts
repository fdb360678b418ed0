import type { Normalizations } from '@tributary/connector-kit/description'
import { countryCodeOf } from './countries.ts'
import { metaNormalization } from './meta.ts'
import { microsoftNormalization } from './microsoft.ts'
import { internationalPhone } from './phones.ts'
import { pinterestNormalization } from './pinterest.ts'
import { redditNormalization } from './reddit.ts'
import { addressOf, lettersOnly, withoutSpaces } from './texts.ts'

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
  /** The same in lower case. */
  country_lower: metaNormalization.country,
  /** Letters in lower case, without spaces and punctuation. */
  letters: lettersOnly,
  /** The code of a state of the United States or a province of Canada, and the letters of other names. */
  state_letters: metaNormalization.state,
  /** One of `m` and `f`. */
  gender_letter: metaNormalization.gender,
  /** YYYYMMDD. */
  birthday_digits: metaNormalization.birthday,
  /** In lower case, without spaces. */
  lower_without_spaces: (text) => withoutSpaces(text.toLowerCase()),
  trimmed: (text) => text.trim(),
  upper: (text) => text.trim().toUpperCase(),
  pinterest_gender: pinterestNormalization.gender,
  pinterest_state: pinterestNormalization.state,
  pinterest_zip: pinterestNormalization.zip,
  microsoft_email: microsoftNormalization.email,
  reddit_email: redditNormalization.email,
}
