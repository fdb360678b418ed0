/** Values with one origin, such as names of fields, that identify no user. */
export type PlaceholderGroup = { readonly title: string; readonly values: readonly string[] }

/**
 * Values that programs send when no user is known. As an identifier, one of them would merge all users into one
 * profile. Each value is listed once, in its best-known group. Zeros and dashes, such as an empty UUID, and empty texts
 * are placeholders, too. The event store has the same values in the column `owner` of stored events: a change here
 * needs a migration of that column.
 */
export const placeholderGroups: readonly PlaceholderGroup[] = [
  {
    // The lists of Segment, Mixpanel, PostHog, and Amplitude, and Google Analytics' text for an empty value.
    title: 'Words and numbers',
    values: [
      'anonymous',
      'anon',
      'guest',
      'unknown',
      '(unknown)',
      '<unknown>',
      'none',
      '(none)',
      'n/a',
      '#N/A',
      'na',
      'not_authenticated',
      'not_available',
      'not_provided',
      '(not provided)',
      'not_set',
      'not set',
      'notset',
      '(not set)',
      'unset',
      'unspecified',
      'empty',
      '(empty)',
      'true',
      'false',
      '-1',
      'lmy47d',
    ],
  },
  {
    // Texts that a form, a query, or a template sends in place of the value.
    title: 'Names of fields',
    values: [
      'id',
      'userId',
      'user_id',
      'anonymousId',
      'anonymous_id',
      'distinctId',
      'distinct_id',
      'deviceId',
      'device_id',
      'email',
    ],
  },
  {
    title: 'JavaScript',
    values: [
      'null',
      'undefined',
      'NaN',
      '{}',
      '[]',
      '[null]',
      '[undefined]',
      '[object Object]',
      '[object Null]',
      '[object Undefined]',
      '[object Promise]',
    ],
  },
  {
    title: 'Python',
    values: ['<NA>', '[None]', '()', '(None,)', 'set()', "b''", 'b""'],
  },
  {
    title: 'Ruby',
    values: ['nil', '[nil]'],
  },
  {
    title: 'Go',
    values: [
      '<nil>',
      '[<nil>]',
      '{<nil>}',
      'map[]',
      '%!s(<nil>)',
      '%!d(<nil>)',
      '%!v(<nil>)',
      '%!q(<nil>)',
      '%!s(MISSING)',
      '%!d(MISSING)',
      '%!v(MISSING)',
      '<invalid reflect.Value>',
    ],
  },
  {
    title: 'Java and Kotlin',
    values: ['Optional.empty', 'Optional[null]', 'OptionalInt.empty', 'OptionalLong.empty', 'kotlin.Unit'],
  },
  {
    title: 'Swift and Objective-C',
    values: ['(null)', '<null>', '(nil)', 'Optional(nil)', 'Optional("")', 'Optional(<null>)'],
  },
  {
    title: 'PHP',
    values: ['Array', 'array()', 'N;'],
  },
  {
    title: '.NET',
    values: ['System.Object', 'System.DBNull', 'DBNull'],
  },
  {
    title: 'Dart',
    values: ["Instance of 'Object'", "Instance of 'Null'"],
  },
  {
    title: 'Databases',
    values: ['\\N'],
  },
]

const placeholders: ReadonlySet<string> = new Set(
  placeholderGroups.flatMap(({ values }) => values.map((value) => value.toLowerCase())),
)
const longestPlaceholder = Math.max(...[...placeholders].map((value) => value.length))

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d

const isOfZeros = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text[at] !== '0' && text[at] !== '-') return false
  return true
}

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

const isListed = (text: string): boolean => {
  if (text.length > longestPlaceholder) return isOfZeros(text)
  // `toLowerCase` turns some letters of other alphabets into ASCII letters. A value with such letters identifies a
  // user, so only ASCII texts count.
  return isOfZeros(text) || (placeholders.has(text.toLowerCase()) && isAscii(text))
}

/**
 * Whether a value identifies no user: a value of `placeholderGroups`, only zeros and dashes, or an empty text. Letter
 * case, surrounding spaces, and a pair of quotation marks do not count. Takes time that is linear in the length.
 */
export const isPlaceholder = (value: string): boolean => {
  let start = 0
  let end = value.length
  while (start < end && isSpace(value.charCodeAt(start))) start++
  while (end > start && isSpace(value.charCodeAt(end - 1))) end--
  const text = value.slice(start, end)
  if (isListed(text)) return true
  const isQuoted = text.length > 1 && (text[0] === '"' || text[0] === "'") && text.at(-1) === text[0]
  return isQuoted && isListed(text.slice(1, -1))
}
