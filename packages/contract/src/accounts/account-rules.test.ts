import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import {
  credentials,
  firstName,
  imageUpload,
  inviteEmails,
  lastName,
  methods,
  newPassword,
  oneTimeCode,
  organizationTitle,
  otpCredentials,
  passwordRules,
} from '../index.ts'

/** Returns the message for an invalid value; undefined for a valid one. */
const messageFor = (schema: z.ZodType, value: unknown): string | undefined =>
  schema
    .safeParse(value)
    .error?.issues.map((issue) => issue.message)
    .at(0)

describe('the login form', () => {
  test('an invalid address gets the message "Invalid email" (AUTH-06, REG-05)', () => {
    const login = (email: string) => credentials.safeParse({ email, password: 'x' })
    expect(login('a@b.co').success).toBe(true)
    for (const email of ['abc', 'a@', '', '@b.co', 'a b@c.de', 'a@b.co,c@d.ee']) {
      const { issues } = login(email).error ?? { issues: [] }
      expect(issues.map(({ path, message }) => [path, message])).toEqual([[['email'], 'Invalid email']])
    }
    expect(login('a@b.co\r\nBcc: c@d.ee').success).toBe(false)
  })

  test('an empty password gets the message "Password is required" (AUTH-07)', () => {
    const issues = credentials.safeParse({ email: 'a@b.co', password: '' }).error?.issues
    expect(issues).toMatchObject([{ path: ['password'], message: 'Password is required' }])
  })

  test('any other password is accepted unchanged (AUTH-08)', () => {
    for (const password of ['a', ' ', ' a '])
      expect(credentials.parse({ email: 'a@b.co', password })).toEqual({ email: 'a@b.co', password })
  })

  test('an email address is trimmed and keeps its letter case', () => {
    expect(credentials.parse({ email: '  Ada@Example.com ', password: 'x' }).email).toBe('Ada@Example.com')
  })
})

describe('a one-time code', () => {
  test('AUTH-19, REG-13: a one-time code has at least 9 characters, to log in and to sign up', () => {
    for (const request of [methods.users.loginOtp.request, methods.users.signup.request]) {
      const given = (otp_token: string): string | undefined => messageFor(request, { email: 'a@b.co', otp_token })
      expect(given('ABCD-123')).toBe('At least 9 characters')
      expect(given('ABCD-1234')).toBeUndefined()
      expect(given('   ABCD-123   ')).toBe('At least 9 characters')
    }
  })

  test('AUTH-20, REG-13: a one-time code has only letters, digits, and hyphens', () => {
    for (const code of ['ABCD_1234', 'ABCD 1234', 'ABCD.1234', 'ÄBCD-1234', 'ABCD-1234\n5', 'ABCD-1234+'])
      expect(messageFor(oneTimeCode, code)).toBe('Only letters, numbers and hyphens are allowed')
    expect(oneTimeCode.parse(' abcde-FGH9 ')).toBe('abcde-FGH9')
  })

  test('a one-time code can be long (AUTH-21)', () => {
    expect(messageFor(oneTimeCode, 'aB3-'.repeat(16))).toBeUndefined()
  })

  test('a one-time code is given as otp_token or as otp, and one of them is required', () => {
    const code = 'ABC-DEF-GHJ'
    const expected = { email: 'a@b.co', otp_token: code }
    expect(otpCredentials.parse({ email: 'a@b.co', otp_token: code })).toEqual(expected)
    expect(otpCredentials.parse({ email: 'a@b.co', otp: code })).toEqual(expected)
    expect(otpCredentials.safeParse({ email: 'a@b.co' }).error?.issues).toMatchObject([
      { path: ['otp_token'], message: 'Required' },
    ])
  })
})

describe('names of a user', () => {
  test('a first name that is empty or only spaces gets the message "First Name is required" (REG-27)', () => {
    for (const name of ['', '   ']) expect(messageFor(firstName, name)).toBe('First Name is required')
    expect(firstName.parse(' Ada ')).toBe('Ada')
  })

  test('a first name of 15 characters passes, one of 16 gets the message "First Name is too long" (REG-28)', () => {
    expect(messageFor(firstName, 'a'.repeat(15))).toBeUndefined()
    expect(messageFor(firstName, ` ${'a'.repeat(15)} `)).toBeUndefined()
    expect(messageFor(firstName, 'a'.repeat(16))).toBe('First Name is too long')
  })

  test('a last name that is empty or only spaces gets the message "Last Name is required" (REG-29)', () => {
    for (const name of ['', '   ']) expect(messageFor(lastName, name)).toBe('Last Name is required')
  })

  test('a last name of 15 characters passes, one of 16 gets the message "Last Name is too long" (REG-30)', () => {
    expect(messageFor(lastName, 'a'.repeat(15))).toBeUndefined()
    expect(messageFor(lastName, 'a'.repeat(16))).toBe('Last Name is too long')
  })
})

describe('a new password', () => {
  test('REG-31: a new password has at least 8 characters', () => {
    expect(messageFor(newPassword, 'Aa1!aaa')).toBe('Must be at least 8 characters in length')
    expect(messageFor(newPassword, 'Aa1!aaaa')).toBeUndefined()
    // Characters as users see them.
    expect(messageFor(newPassword, 'Aa1😀aaa')).toBe('Must be at least 8 characters in length')
  })

  test('REG-32: a new password has an uppercase letter', () => {
    expect(messageFor(newPassword, 'aa1!aaaa')).toBe('One uppercase character')
    expect(messageFor(newPassword, 'Éa1!aaaa')).toBeUndefined()
  })

  test('REG-33: a new password has a lowercase letter', () => {
    expect(messageFor(newPassword, 'AA1!AAAA')).toBe('One lowercase character')
    expect(messageFor(newPassword, 'Aé1!AAAA')).toBeUndefined()
  })

  test('REG-34: a new password has a number', () => {
    expect(messageFor(newPassword, 'Aaa!aaaa')).toBe('One number')
  })

  test('REG-35: a new password has a special character, which is neither a letter nor a digit nor a space', () => {
    for (const password of ['Aa1aaaaa', 'Aa1 aaaa', 'Aa1éaaaa'])
      expect(messageFor(newPassword, password)).toBe('One special character')
    for (const special of ['!', '_', '-', '€', '😀'])
      expect(messageFor(newPassword, `Aa1aaaaa${special}`)).toBeUndefined()
  })

  test('a new password is never trimmed, has at most 1024 characters, and gets a message for each unmet rule', () => {
    expect(newPassword.parse(' Aa1!aaaa ')).toBe(' Aa1!aaaa ')
    expect(messageFor(newPassword, `Aa1!${'a'.repeat(1021)}`)).toBe('At most 1024 characters')
    expect(passwordRules.filter((rule) => !rule.test('a')).map((rule) => rule.message)).toEqual([
      'Must be at least 8 characters in length',
      'One uppercase character',
      'One number',
      'One special character',
    ])
  })
})

test('ONB-02: the title of an organization has at least 4 characters', () => {
  const message = 'Please provide a name that is 4 characters or more'
  for (const title of ['abc', '', '  abc  ']) expect(messageFor(organizationTitle, title)).toBe(message)
  expect(organizationTitle.parse(' abcd ')).toBe('abcd')
})

describe('addresses to invite, split at commas', () => {
  const split = (text: string): string[] => text.split(',')
  const addresses = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}@x.co`)

  test('an empty list gets the message "Please enter at least 1 email" (MEM-04)', () => {
    for (const text of ['', ' , ', ',,,'])
      expect(messageFor(inviteEmails, split(text))).toBe('Please enter at least 1 email')
    expect(messageFor(inviteEmails, [])).toBe('Please enter at least 1 email')
  })

  test('10 addresses pass, 11 get the message "You can\'t invite more than 10 emails at once" (MEM-05)', () => {
    expect(inviteEmails.parse(addresses(10))).toHaveLength(10)
    expect(messageFor(inviteEmails, addresses(11))).toBe("You can't invite more than 10 emails at once")
    // The limit is reported before the invalid address.
    expect(messageFor(inviteEmails, [...addresses(10), 'abc'])).toBe("You can't invite more than 10 emails at once")
  })

  test('an invalid address gets the message "One of the emails is invalid" (MEM-06)', () => {
    expect(messageFor(inviteEmails, split('a@x.co,abc'))).toBe('One of the emails is invalid')
  })

  test('invited addresses are trimmed, and repeated addresses count once in any letter case', () => {
    expect(inviteEmails.parse(split(' A@x.co, a@X.co ,b@x.co,'))).toEqual(['A@x.co', 'b@x.co'])
    expect(inviteEmails.parse([...addresses(10), ...addresses(10)])).toHaveLength(10)
  })
})

test('an uploaded image is base64 of at most 2 MB', () => {
  const ofBytes = (bytes: number): { content: string } => ({ content: Buffer.alloc(bytes, 1).toString('base64') })
  expect(messageFor(imageUpload, { content: '' })).toBe('Image is required.')
  expect(messageFor(imageUpload, ofBytes(2_097_152))).toBeUndefined()
  expect(messageFor(imageUpload, ofBytes(2_097_153))).toBe('Max file size is 2MB.')
  expect(messageFor(imageUpload, { content: '%%%' })).toBe('Must be base64')
})
