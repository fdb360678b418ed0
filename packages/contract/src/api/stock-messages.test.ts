import { expect, test } from 'vitest'
import { z } from 'zod'
import { stockMessage } from './stock-messages.ts'

const told = (schema: z.ZodType, value: unknown): string | undefined =>
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
])('FORM-20: a missing value is told "Required" (case %#)', (schema, value) => {
  expect(told(schema, value)).toBe('Required')
})

test('FORM-21: what is no address for mail is told "Invalid email"', () => {
  expect(told(z.email(), 'jane@')).toBe('Invalid email')
  expect(told(z.email(), 'jane@example.com')).toBeUndefined()
})

test('FORM-22: what is no address of the web is told "Invalid url"', () => {
  expect(told(z.url(), 'example')).toBe('Invalid url')
  expect(told(z.url(), 'https://example.com')).toBeUndefined()
})

test('FORM-23: a text that is too short or too long is told its limit', () => {
  expect(told(z.string().min(4), 'abc')).toBe('At least 4 characters')
  expect(told(z.string().max(4), 'abcde')).toBe('At most 4 characters')
})

test.each([
  [z.number().min(3), 2, 'At least 3'],
  [z.number().max(3), 4, 'At most 3'],
  [z.number().gt(0), 0, 'Must be greater than 0'],
  [z.number().lt(9), 9, 'Must be less than 9'],
])('FORM-24: a number out of its range is told the limit (case %#)', (schema, value, message) => {
  expect(told(schema, value)).toBe(message)
})

test.each([
  [z.array(z.string()).min(1), [], 'At least 1 element'],
  [z.array(z.string()).min(2), ['a'], 'At least 2 elements'],
  [z.array(z.string()).max(1), ['a', 'b'], 'At most 1 element'],
])('FORM-25: a list with too few or too many elements is told the limit (case %#)', (schema, value, message) => {
  expect(told(schema, value)).toBe(message)
})

test('a text of the schema wins over the stock text', () => {
  expect(told(z.string().min(4, 'Longer, please'), 'abc')).toBe('Longer, please')
  expect(told(z.string('Say something'), undefined)).toBe('Say something')
})
