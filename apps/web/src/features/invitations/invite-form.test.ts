import { expect, test } from 'vitest'
import { inviteBody, inviteForm } from './invite-form.ts'

const problem = (emails: string): string | undefined =>
  inviteForm.safeParse({ emails, role: 'ORG_GUEST' }).error?.issues[0]?.message

test('MEM-02, MEM-07: comma-separated text is sent as a list of addresses', () => {
  expect(inviteBody({ emails: 'a@x.co, b@x.co,, A@x.co ,', role: 'ORG_COLLABORATOR' })).toEqual({
    emails: ['a@x.co', 'b@x.co'],
    role: 1,
  })
})

test('MEM-08: the role of an invitation is sent as its index, never as its value', () => {
  const sent = (['ORG_ADMIN', 'ORG_COLLABORATOR', 'ORG_GUEST'] as const).map(
    (role) => inviteBody({ emails: 'a@x.co', role }).role,
  )
  expect(sent).toEqual([0, 1, 2])
})

const many = (count: number): string => Array.from({ length: count }, (_, index) => `p${index}@x.co`).join(',')

test.each([
  ['', 'Please enter at least 1 email'],
  [' , ', 'Please enter at least 1 email'],
  [many(10), undefined],
  [`${many(10)}, P0@x.co`, undefined],
  [many(11), "You can't invite more than 10 emails at once"],
  ['a@x.co,abc', 'One of the emails is invalid'],
])('the dialog shows for the text %j: %s', (emails, message) => {
  expect(problem(emails)).toBe(message)
})
