import { expect, test } from 'vitest'
import type { z } from 'zod'
import { email } from './account-rules.ts'
import { users } from './users.ts'
import {
  blockTitle,
  dashboardTitle,
  destinationTitle,
  digits,
  genericTitle,
  numberList,
  selectedValue,
  timeInterval,
} from './value-rules.ts'

/** What a value is told, undefined when it is accepted. */
const told = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value).error?.issues[0]?.message

test.each([
  ['jane', 'Invalid email'],
  ['jane@', 'Invalid email'],
  ['@example.com', 'Invalid email'],
  ['jane@example', 'Invalid email'],
  ['jane doe@example.com', 'Invalid email'],
  ['', 'Invalid email'],
  ['jane@example.com', undefined],
  ['  jane.doe+tag@sub.example.co.uk ', undefined],
])('FORM-26: the address %j is told %j, wherever an address is asked for', (text, message) => {
  expect(told(email, text)).toBe(message)
  expect(told(users.login.request, { email: text, password: 'x' })).toBe(message)
  expect(told(users.sendOtp.request, { email: text, action: 'login' })).toBe(message)
})

test('FORM-27: a dashboard title has at least 4 characters', () => {
  expect(told(dashboardTitle, 'abc')).toBe('Please provide a title that is 4 characters or more')
  expect(told(dashboardTitle, 'abcd')).toBeUndefined()
})

test('FORM-28: a dashboard title has at most 16 characters', () => {
  expect(told(dashboardTitle, 'a'.repeat(16))).toBeUndefined()
  expect(told(dashboardTitle, 'a'.repeat(17))).toBe('Dashboard title must be less than 16 characters')
})

test.each([
  [3, 'At least 4 characters'],
  [4, undefined],
  [32, undefined],
  [33, 'At most 32 characters'],
])('FORM-29: a block title of %i characters is told %j', (length, message) => {
  expect(told(blockTitle, 'a'.repeat(length))).toBe(message)
})

test('FORM-30: a title without a rule of its own has at least 2 characters', () => {
  expect(told(genericTitle, 'a')).toBe('At least 2 characters')
  expect(told(genericTitle, 'ab')).toBeUndefined()
})

test('FORM-31: a destination title has at least 4 characters, and an empty one is required', () => {
  expect(told(destinationTitle, '')).toBe('Required')
  expect(told(destinationTitle, 'abc')).toBe('At least 4 characters')
  expect(told(destinationTitle, 'abcd')).toBeUndefined()
})

test.each([
  ['month', 0, 'Must be greater than 0'],
  ['month', -1, 'Must be greater than 0'],
  ['month', 1, undefined],
  ['month', 3, undefined],
  ['month', 4, "Months can't exceed an interval of 3 months"],
  ['day', 0, 'Must be greater than 0'],
  ['day', 90, undefined],
  ['day', 91, "Days can't exceed an interval of 90 days"],
])('FORM-32, FORM-33, FORM-34: an interval in units of a %s with the value %i is told %j', (unit, value, message) => {
  expect(told(timeInterval, { unit, value })).toBe(message)
})

test.each([
  ['12', undefined],
  ['1a', 'Only numbers are allowed'],
  ['1.5', 'Only numbers are allowed'],
  ['-1', 'Only numbers are allowed'],
])('FORM-35: of digits only, %j is told %j', (text, message) => {
  expect(told(digits, text)).toBe(message)
})

test('FORM-36: a list of numbers has at least one', () => {
  expect(told(numberList, [])).toBe('Please submit at least one element')
})

test.each([
  [['1', 'x'], 'Elements must be numbers'],
  [['1', ' '], 'Elements must be numbers'],
  [['1', '-2.5'], undefined],
])('FORM-37: the list of numbers %j is told %j', (elements, message) => {
  expect(told(numberList, elements)).toBe(message)
})

test('FORM-38: choosing a value means a text that is not empty', () => {
  expect(told(selectedValue, '')).toBe('Required')
  expect(told(selectedValue, 'a')).toBeUndefined()
})
