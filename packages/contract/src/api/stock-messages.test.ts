import { expect, test } from 'vitest'
import { z } from 'zod'
import { stockMessage } from './stock-messages.ts'

const messageFor = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value, { error: stockMessage }).error?.issues[0]?.message

test.each([
  [z.string(), undefined],
  [z.string(), null],
  [z.string().min(1), ''],
  [z.string().min(4), ''],
  [z.email(), ''],
  [z.number(), undefined],
  [z.enum(['a', 'b']), undefined],
  [z.object({ a: z.string() }), undefined],
])('a missing value gets the message "Required" (case %#, FORM-20)', (schema, value) => {
  expect(messageFor(schema, value)).toBe('Required')
})

test('a text that is no email address gets the message "Invalid email" (FORM-21)', () => {
  expect(messageFor(z.email(), 'jane@')).toBe('Invalid email')
  expect(messageFor(z.email(), 'jane@example.com')).toBeUndefined()
})

test('a text that does not parse as a URL gets the message "Invalid url", an empty one "Required" (FORM-22)', () => {
  for (const text of ['example', 'example.com/a', '//example.com', 'http://', 'https://[::1', 'not a url'])
    expect(messageFor(z.url(), text), text).toBe('Invalid url')
  expect(messageFor(z.url(), '')).toBe('Required')
  for (const text of ['https://example.com', 'http://127.0.0.1:3000/a?b=c#d', 'https://[::1]/'])
    expect(messageFor(z.url(), text), text).toBeUndefined()
})

test('a text that is too short or too long gets a message with its limit (FORM-23)', () => {
  expect(messageFor(z.string().min(4), 'abc')).toBe('At least 4 characters')
  expect(messageFor(z.string().max(4), 'abcde')).toBe('At most 4 characters')
})

test.each([
  [z.number().min(3), 2, 'At least 3'],
  [z.number().max(3), 4, 'At most 3'],
  [z.number().gt(0), 0, 'Must be greater than 0'],
  [z.number().lt(9), 9, 'Must be less than 9'],
])('a number out of its range gets a message with the limit (case %#, FORM-24)', (schema, value, message) => {
  expect(messageFor(schema, value)).toBe(message)
})

test.each([
  [z.array(z.string()).min(1), [], 'At least 1 element'],
  [z.array(z.string()).min(2), ['a'], 'At least 2 elements'],
  [z.array(z.string()).max(1), ['a', 'b'], 'At most 1 element'],
])(
  'a list with too few or too many elements gets a message with the limit (case %#, FORM-25)',
  (schema, value, message) => {
    expect(messageFor(schema, value)).toBe(message)
  },
)

test('a message in the schema takes precedence over the stock message', () => {
  expect(messageFor(z.string().min(4, 'Longer, please'), 'abc')).toBe('Longer, please')
  expect(messageFor(z.string('Say something'), undefined)).toBe('Say something')
})

test('an object key that breaks a rule gets the message of the rule', () => {
  expect(messageFor(z.record(z.string().regex(/^\d+$/, 'Must be digits'), z.number()), { a: 1 })).toBe('Must be digits')
})
