// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest'
import { firstStep, forgetSignUp, readSignUp, saveSignUp } from './saved-sign-up.ts'

const now = Date.UTC(2026, 10, 21)
const minute = 60_000
const saved = { email: 'a@b.co', sentAt: now - minute }

beforeEach(() => {
  localStorage.clear()
})

test('a saved sign-up is available until it is removed, and values of an unknown form are ignored (REG-18)', () => {
  expect(readSignUp()).toBeUndefined()
  saveSignUp(saved)
  expect(readSignUp()).toEqual(saved)
  forgetSignUp()
  expect(readSignUp()).toBeUndefined()
  expect(localStorage.length).toBe(0)
  for (const text of ['{', '{"email":1}', 'null']) {
    localStorage.setItem('tributary-sign-up', text)
    expect(readSignUp()).toBeUndefined()
  }
})

test.each([
  ['', undefined, { step: 'email', email: '' }],
  ['email=c@d.co', undefined, { step: 'email', email: 'c@d.co' }],
  ['otp=ABCDE-1234&email=c@d.co', undefined, { step: 'code', email: 'c@d.co', sentAt: 0, otp: 'ABCDE-1234' }],
  ['otp=ABCDE-1234', undefined, { step: 'email', email: '' }],
  ['otp=ABCDE-1234', saved, { step: 'code', ...saved, otp: 'ABCDE-1234' }],
  ['otp=ABCDE-1234&email=c@d.co', saved, { step: 'code', ...saved, otp: 'ABCDE-1234' }],
  ['', saved, { step: 'code', ...saved, otp: '' }],
  ['email=A@b.co', saved, { step: 'code', ...saved, otp: '' }],
  ['email=c@d.co', saved, { step: 'email', email: 'c@d.co' }],
  ['', { email: 'a@b.co', sentAt: now - 11 * minute }, { step: 'email', email: '' }],
] as const)('REG-10: with ?%s and the saved sign-up %j, sign-up begins at %j', (query, before, step) => {
  expect(firstStep(new URLSearchParams(query), before, now)).toEqual(step)
})
