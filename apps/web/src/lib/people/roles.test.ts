import { roles } from '@tributary/contract'
import { expect, test } from 'vitest'
import { roleIndex, roleTitle } from './roles.ts'

test('MEM-16: the role value of a membership maps to a role', () => {
  const membership = { role: { value: 'ORG_ADMIN' } }
  expect(roleTitle(membership.role.value)).toBe('Administrator')
  expect(roles.map(roleTitle)).toEqual(['Administrator', 'Collaborator', 'Guest'])
})

test('an unknown role value is shown as Guest (MEM-17)', () => {
  expect(['X', '', undefined, 7].map(roleTitle)).toEqual(['Guest', 'Guest', 'Guest', 'Guest'])
})

test('MEM-08: a role is sent as its index in the list of roles', () => {
  expect(['ORG_ADMIN', 'ORG_COLLABORATOR', 'ORG_GUEST'].map(roleIndex)).toEqual([0, 1, 2])
})
