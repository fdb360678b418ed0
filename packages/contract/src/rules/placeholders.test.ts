import { expect, test } from 'vitest'
import { isPlaceholder, placeholderGroups } from './placeholders.ts'

/**
 * Values that other products do not treat as users, from their own pages and sources. Also texts that programming
 * languages print for empty values.
 */
const lists: Record<string, string[]> = {
  'the settings of Segment (zeroes and dashes, -1, null, anonymous)': [
    '0',
    '000',
    '0-0',
    '---',
    '-1',
    'null',
    'anonymous',
  ],
  'person-utils.ts of PostHog': [
    'anonymous',
    'guest',
    'distinctid',
    'distinct_id',
    'id',
    'not_authenticated',
    'email',
    'undefined',
    'true',
    'false',
    '[object Object]',
    'NaN',
    'None',
    'none',
    'null',
    '0',
    '"undefined"',
    "'null'",
    '"ID"',
  ],
  'the values that the import API of Mixpanel rejects': [
    '-1',
    '0',
    '00000000-0000-0000-0000-000000000000',
    '<nil>',
    '[]',
    'anon',
    'anonymous',
    'false',
    'lmy47d',
    'n/a',
    'na',
    'nil',
    'none',
    'null',
    'true',
    'undefined',
    'unknown',
    '{}',
  ],
  'reports of Google Analytics': ['(not set)', '(none)', '(not provided)'],
  JavaScript: ['null', 'undefined', 'NaN', '[object Object]', '{}', '[null]'],
  'Python: str() and repr()': ['None', '[None]', "b''", '<NA>', 'nan', '{}', '()', 'set()', 'False'],
  'Ruby: inspect': ['nil', '[nil]', '""'],
  'Go: %v, %s, %d, %q': ['<nil>', '%!s(<nil>)', '%!d(<nil>)', '%!q(<nil>)', '%!s(MISSING)', 'map[]', '[]', '{}'],
  'Java and Kotlin: String.valueOf': ['null', 'Optional.empty', 'Optional[null]', 'kotlin.Unit'],
  'Swift and Objective-C: String(describing:), %@': ['nil', '(null)', '<null>', 'Optional(nil)', 'Optional("")'],
  'PHP: strval, serialize': ['', 'Array', 'N;', 'NULL'],
  '.NET': ['System.DBNull', '(null)', '00000000-0000-0000-0000-000000000000'],
  Dart: ['null', "Instance of 'Object'"],
  'MySQL, Excel': ['\\N', 'NULL', '#N/A'],
}

test.each(Object.entries(lists))(
  'every value of %s is a placeholder and not a user, in any letter case, and with spaces',
  (_, values) => {
    for (const value of values)
      for (const written of [value, value.toUpperCase(), ` ${value}\r\n`])
        expect(isPlaceholder(written), JSON.stringify(written)).toBe(true)
  },
)

test.each([
  '10',
  '-2',
  '0x0',
  'nullable',
  'Nat',
  'Anna',
  'ida',
  'guest-7',
  'user',
  'not',
  'ID-1',
  'e@mail',
  '1970-01-01',
  '"null\'',
  '"',
  "''null''",
  'un\u212anown',
  'anonymou\u017f',
  '\u00a0null',
  '\u043d/\u0430',
  'n / a',
  '{"id":1}',
  '[1]',
])('%j is a user and not a placeholder', (value) => {
  expect(isPlaceholder(value)).toBe(false)
})

test.each(placeholderGroups)('values of $title are placeholders also in quotation marks', ({ values }) => {
  for (const value of values)
    for (const written of [`"${value}"`, `'${value}' `]) expect(isPlaceholder(written), written).toBe(true)
})

test('the table of placeholders names each value once', () => {
  const values = placeholderGroups.flatMap((group) => group.values.map((value) => value.toLowerCase()))
  expect(values).toEqual([...new Set(values)])
})

test('a value of a million spaces, zeros, or quotation marks is read only once', () => {
  for (const [text, expected] of [
    [' '.repeat(1e6), true],
    [`${' '.repeat(1e6)}x`, false],
    ['0-'.repeat(5e5), true],
    [`${'0'.repeat(1e6)}x`, false],
    ['"'.repeat(1e6), false],
  ] as const)
    expect(isPlaceholder(text)).toBe(expected)
})
