import { expect, test } from 'vitest'
import { passwordForm } from './change-password-page.tsx'

const problems = (password: string, confirmation: string): Record<string, string> =>
  Object.fromEntries(
    (passwordForm.safeParse({ password, confirmation }).error?.issues ?? []).map(({ path, message }) => [
      String(path[0]),
      message,
    ]),
  )

test('SET-14: a new password follows the rules of all passwords, and must be repeated', () => {
  expect(problems('short', 'short')).toEqual({ password: 'Must be at least 8 characters in length' })
  expect(problems('longenough', 'longenough')).toEqual({ password: 'One uppercase character' })
  expect(problems('Longenough1!', '')).toEqual({ confirmation: 'Re-enter the new password' })
  expect(problems('Longenough1!', 'Longenough1?')).toEqual({ confirmation: 'The passwords do not match' })
  expect(problems('Longenough1!', 'Longenough1!')).toEqual({})
})
