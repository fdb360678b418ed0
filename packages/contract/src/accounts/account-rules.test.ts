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

/** What a value is told, or undefined when it is accepted. */
const told = (schema: z.ZodType, value: unknown): string | undefined =>
  schema
    .safeParse(value)
    .error?.issues.map((issue) => issue.message)
    .at(0)

describe('logging in', () => {
  test('AUTH-06, REG-05: an address that is none is told "Invalid email"', () => {
    const login = (email: string) => credentials.safeParse({ email, password: 'x' })
    expect(login('a@b.co').success).toBe(true)
    for (const email of ['abc', 'a@', '', '@b.co', 'a b@c.de', 'a@b.co,c@d.ee']) {
      const { issues } = login(email).error ?? { issues: [] }
      expect(issues.map(({ path, message }) => [path, message])).toEqual([[['email'], 'Invalid email']])
    }
    expect(login('a@b.co\r\nBcc: c@d.ee').success).toBe(false)
  })

  test('AUTH-07: an empty password is told "Password is required"', () => {
    const issues = credentials.safeParse({ email: 'a@b.co', password: '' }).error?.issues
    expect(issues).toMatchObject([{ path: ['password'], message: 'Password is required' }])
  })

  test('AUTH-08: any other password is let through, as it is', () => {
    for (const password of ['a', ' ', ' a '])
      expect(credentials.parse({ email: 'a@b.co', password })).toEqual({ email: 'a@b.co', password })
  })

  test('an address is trimmed and keeps its letter case', () => {
    expect(credentials.parse({ email: '  Ada@Example.com ', password: 'x' }).email).toBe('Ada@Example.com')
  })
})

describe('a one-time code', () => {
  test('AUTH-19, REG-13: has at least 9 characters, to log in and to sign up', () => {
    for (const request of [methods.users.loginOtp.request, methods.users.signup.request]) {
      const given = (otp_token: string): string | undefined => told(request, { email: 'a@b.co', otp_token })
      expect(given('ABCD-123')).toBe('At least 9 characters')
      expect(given('ABCD-1234')).toBeUndefined()
      expect(given('   ABCD-123   ')).toBe('At least 9 characters')
    }
  })

  test('AUTH-20, REG-13: has letters, digits and hyphens only', () => {
    for (const code of ['ABCD_1234', 'ABCD 1234', 'ABCD.1234', 'ÄBCD-1234', 'ABCD-1234\n5', 'ABCD-1234+'])
      expect(told(oneTimeCode, code)).toBe('Only letters, numbers and hyphens are allowed')
    expect(oneTimeCode.parse(' abcde-FGH9 ')).toBe('abcde-FGH9')
  })

  test('AUTH-21: may be long', () => {
    expect(told(oneTimeCode, 'aB3-'.repeat(16))).toBeUndefined()
  })

  test('comes as otp_token or as otp, and must come', () => {
    const code = 'ABC-DEF-GHJ'
    const expected = { email: 'a@b.co', otp_token: code }
    expect(otpCredentials.parse({ email: 'a@b.co', otp_token: code })).toEqual(expected)
    expect(otpCredentials.parse({ email: 'a@b.co', otp: code })).toEqual(expected)
    expect(otpCredentials.safeParse({ email: 'a@b.co' }).error?.issues).toMatchObject([
      { path: ['otp_token'], message: 'Required' },
    ])
  })
})

describe('names', () => {
  test('REG-27: a first name that is empty or spaces only is told "First Name is required"', () => {
    for (const name of ['', '   ']) expect(told(firstName, name)).toBe('First Name is required')
    expect(firstName.parse(' Ada ')).toBe('Ada')
  })

  test('REG-28: a first name of 15 characters passes, one of 16 is told "First Name is too long"', () => {
    expect(told(firstName, 'a'.repeat(15))).toBeUndefined()
    expect(told(firstName, ` ${'a'.repeat(15)} `)).toBeUndefined()
    expect(told(firstName, 'a'.repeat(16))).toBe('First Name is too long')
  })

  test('REG-29: a last name that is empty or spaces only is told "Last Name is required"', () => {
    for (const name of ['', '   ']) expect(told(lastName, name)).toBe('Last Name is required')
  })

  test('REG-30: a last name of 15 characters passes, one of 16 is told "Last Name is too long"', () => {
    expect(told(lastName, 'a'.repeat(15))).toBeUndefined()
    expect(told(lastName, 'a'.repeat(16))).toBe('Last Name is too long')
  })
})

describe('a password that is set', () => {
  test('REG-31: has at least 8 characters', () => {
    expect(told(newPassword, 'Aa1!aaa')).toBe('Must be at least 8 characters in length')
    expect(told(newPassword, 'Aa1!aaaa')).toBeUndefined()
    // Characters as people count them.
    expect(told(newPassword, 'Aa1😀aaa')).toBe('Must be at least 8 characters in length')
  })

  test('REG-32: has an uppercase letter', () => {
    expect(told(newPassword, 'aa1!aaaa')).toBe('One uppercase character')
    expect(told(newPassword, 'Éa1!aaaa')).toBeUndefined()
  })

  test('REG-33: has a lowercase letter', () => {
    expect(told(newPassword, 'AA1!AAAA')).toBe('One lowercase character')
    expect(told(newPassword, 'Aé1!AAAA')).toBeUndefined()
  })

  test('REG-34: has a number', () => {
    expect(told(newPassword, 'Aaa!aaaa')).toBe('One number')
  })

  test('REG-35: has a special character, which is neither a letter nor a digit nor a space', () => {
    for (const password of ['Aa1aaaaa', 'Aa1 aaaa', 'Aa1éaaaa'])
      expect(told(newPassword, password)).toBe('One special character')
    for (const special of ['!', '_', '-', '€', '😀']) expect(told(newPassword, `Aa1aaaaa${special}`)).toBeUndefined()
  })

  test('is never trimmed, has at most 1024 characters, and every unmet rule can be told by itself', () => {
    expect(newPassword.parse(' Aa1!aaaa ')).toBe(' Aa1!aaaa ')
    expect(told(newPassword, `Aa1!${'a'.repeat(1021)}`)).toBe('At most 1024 characters')
    expect(passwordRules.filter((rule) => !rule.test('a')).map((rule) => rule.message)).toEqual([
      'Must be at least 8 characters in length',
      'One uppercase character',
      'One number',
      'One special character',
    ])
  })
})

test('ONB-02: the title of an organisation has at least 4 characters', () => {
  const message = 'Please provide a name that is 4 characters or more'
  for (const title of ['abc', '', '  abc  ']) expect(told(organizationTitle, title)).toBe(message)
  expect(organizationTitle.parse(' abcd ')).toBe('abcd')
})

describe('addresses to invite, split at commas', () => {
  const split = (text: string): string[] => text.split(',')
  const addresses = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}@x.co`)

  test('MEM-04: none is told "Please enter at least 1 email"', () => {
    for (const text of ['', ' , ', ',,,']) expect(told(inviteEmails, split(text))).toBe('Please enter at least 1 email')
    expect(told(inviteEmails, [])).toBe('Please enter at least 1 email')
  })

  test('MEM-05: 10 pass, 11 are told "You can\'t invite more than 10 emails at once"', () => {
    expect(inviteEmails.parse(addresses(10))).toHaveLength(10)
    expect(told(inviteEmails, addresses(11))).toBe("You can't invite more than 10 emails at once")
    // Told before that one of them is none.
    expect(told(inviteEmails, [...addresses(10), 'abc'])).toBe("You can't invite more than 10 emails at once")
  })

  test('MEM-06: one that is none is told "One of the emails is invalid"', () => {
    expect(told(inviteEmails, split('a@x.co,abc'))).toBe('One of the emails is invalid')
  })

  test('are trimmed, and the same one counts once, whatever its letter case', () => {
    expect(inviteEmails.parse(split(' A@x.co, a@X.co ,b@x.co,'))).toEqual(['A@x.co', 'b@x.co'])
    expect(inviteEmails.parse([...addresses(10), ...addresses(10)])).toHaveLength(10)
  })
})

test('an image is base64 of at most 2 MB', () => {
  const ofBytes = (bytes: number): { content: string } => ({ content: Buffer.alloc(bytes, 1).toString('base64') })
  expect(told(imageUpload, { content: '' })).toBe('Image is required.')
  expect(told(imageUpload, ofBytes(2_097_152))).toBeUndefined()
  expect(told(imageUpload, ofBytes(2_097_153))).toBe('Max file size is 2MB.')
  expect(told(imageUpload, { content: '%%%' })).toBe('Must be base64')
})
