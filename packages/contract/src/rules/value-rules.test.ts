import { expect, test } from 'vitest'
import type { z } from 'zod'
import { email } from '../accounts/account-rules.ts'
import { organizations } from '../accounts/organizations.ts'
import { users } from '../accounts/users.ts'
import { workspaces } from '../accounts/workspaces.ts'
import { destinationTitle, digits, numberList, selectedValue, timeInterval } from './value-rules.ts'

/** Returns the message for an invalid value; undefined for a valid one. */
const messageFor = (schema: z.ZodType, value: unknown): string | undefined =>
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
])('the address %j gets the message %j, in every field for an address (FORM-26)', (text, message) => {
  expect(messageFor(email, text)).toBe(message)
  expect(messageFor(users.login.request, { email: text, password: 'x' })).toBe(message)
  expect(messageFor(users.sendOtp.request, { email: text, action: 'login' })).toBe(message)
})

test.each([
  ['', 'Required'],
  ['a', 'At least 2 characters'],
  ['ab', undefined],
])('the workspace title %j gets the message %j, in every field for a workspace title (FORM-30)', (title, message) => {
  expect(messageFor(workspaces.create.request, { title, organization: 'organizations/o1' })).toBe(message)
  expect(messageFor(workspaces.update.request, { title })).toBe(message)
  const organization = { title: 'Acme', industry: 'other', workspace_title: title }
  expect(messageFor(organizations.create.request, organization)).toBe(message)
})

test('FORM-31: a destination title has at least 4 characters, and an empty one is required', () => {
  expect(messageFor(destinationTitle, '')).toBe('Required')
  expect(messageFor(destinationTitle, 'abc')).toBe('At least 4 characters')
  expect(messageFor(destinationTitle, 'abcd')).toBeUndefined()
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
])('an interval in units of a %s with the value %i gets the message %j', (unit, value, message) => {
  expect(messageFor(timeInterval, { unit, value })).toBe(message)
})

test.each([
  ['12', undefined],
  ['1a', 'Only numbers are allowed'],
  ['1.5', 'Only numbers are allowed'],
  ['-1', 'Only numbers are allowed'],
])('in a field for digits, %j gets the message %j', (text, message) => {
  expect(messageFor(digits, text)).toBe(message)
})

test('a list of numbers has at least one number', () => {
  expect(messageFor(numberList, [])).toBe('Please submit at least one element')
})

test.each([
  [['1', 'x'], 'Elements must be numbers'],
  [['1', ' '], 'Elements must be numbers'],
  [['1', '-2.5'], undefined],
])('the list of numbers %j gets the message %j', (elements, message) => {
  expect(messageFor(numberList, elements)).toBe(message)
})

test('a choice must be a text that is not empty', () => {
  expect(messageFor(selectedValue, '')).toBe('Required')
  expect(messageFor(selectedValue, 'a')).toBeUndefined()
})
