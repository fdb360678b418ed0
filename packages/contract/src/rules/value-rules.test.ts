import { expect, test } from 'vitest'
import type { z } from 'zod'
import { email } from '../accounts/account-rules.ts'
import { organizations } from '../accounts/organizations.ts'
import { users } from '../accounts/users.ts'
import { workspaces } from '../accounts/workspaces.ts'
import { destinationTitle, digits, numberList, selectedValue, timeInterval } from './value-rules.ts'

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

test.each([
  ['', 'Required'],
  ['a', 'At least 2 characters'],
  ['ab', undefined],
])('FORM-30: the workspace title %j is told %j, wherever one is given', (title, message) => {
  expect(told(workspaces.create.request, { title, organization: 'organizations/o1' })).toBe(message)
  expect(told(workspaces.update.request, { title })).toBe(message)
  const organization = { title: 'Acme', industry: 'other', workspace_title: title }
  expect(told(organizations.create.request, organization)).toBe(message)
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
])('an interval in units of a %s with the value %i is told %j', (unit, value, message) => {
  expect(told(timeInterval, { unit, value })).toBe(message)
})

test.each([
  ['12', undefined],
  ['1a', 'Only numbers are allowed'],
  ['1.5', 'Only numbers are allowed'],
  ['-1', 'Only numbers are allowed'],
])('of digits only, %j is told %j', (text, message) => {
  expect(told(digits, text)).toBe(message)
})

test('a list of numbers has at least one', () => {
  expect(told(numberList, [])).toBe('Please submit at least one element')
})

test.each([
  [['1', 'x'], 'Elements must be numbers'],
  [['1', ' '], 'Elements must be numbers'],
  [['1', '-2.5'], undefined],
])('the list of numbers %j is told %j', (elements, message) => {
  expect(told(numberList, elements)).toBe(message)
})

test('choosing a value means a text that is not empty', () => {
  expect(told(selectedValue, '')).toBe('Required')
  expect(told(selectedValue, 'a')).toBeUndefined()
})
