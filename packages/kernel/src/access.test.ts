import { describe, expect, test } from 'vitest'
import { canSee, mayAct, roleAliases, toRole } from './access.ts'
import { type Role, roles } from './actor.ts'

const member = (...memberships: [string, Role][]) => ({
  isPlatformAdmin: false,
  memberships: memberships.map(([organizationId, role]) => ({ organizationId, role })),
})

describe('the access rule', () => {
  const cases: [string, ReturnType<typeof member>, readonly Role[], boolean][] = [
    ['ROLE-06: a platform admin may with an empty list', { ...member(), isPlatformAdmin: true }, [], true],
    ['ROLE-06: a platform admin may without a membership', { ...member(), isPlatformAdmin: true }, ['ORG_ADMIN'], true],
    [
      'ROLE-06: a platform admin may as a guest',
      { ...member(['o', 'ORG_GUEST']), isPlatformAdmin: true },
      ['ORG_ADMIN'],
      true,
    ],
    ['ROLE-07: an empty list denies', member(['o', 'ORG_ADMIN']), [], false],
    ['ROLE-08: no membership denies', member(), ['ORG_ADMIN'], false],
    ['ROLE-09: the allowed role passes', member(['o', 'ORG_ADMIN']), ['ORG_ADMIN'], true],
    ['ROLE-09: another role denies', member(['o', 'ORG_GUEST']), ['ORG_ADMIN', 'ORG_COLLABORATOR'], false],
    [
      'ROLE-09: one of two roles here not allowed denies',
      member(['o', 'ORG_ADMIN'], ['o', 'ORG_GUEST']),
      ['ORG_ADMIN'],
      false,
    ],
    ['ROLE-10: roles elsewhere do not count', member(['x', 'ORG_GUEST'], ['o', 'ORG_ADMIN']), ['ORG_ADMIN'], true],
    ['ROLE-11: membership only elsewhere denies', member(['x', 'ORG_ADMIN']), ['ORG_ADMIN'], false],
  ]
  test.each(cases)('%s', (_, subject, allowed, expected) => {
    expect(mayAct(subject, 'o', allowed)).toBe(expected)
  })

  test('an organization is visible to its members and to platform admins only', () => {
    expect(canSee(member(['o', 'ORG_GUEST']), 'o')).toBe(true)
    expect(canSee(member(['x', 'ORG_ADMIN']), 'o')).toBe(false)
    expect(canSee({ ...member(), isPlatformAdmin: true }, 'o')).toBe(true)
  })
})

test('ROLE-01, ROLE-02, ROLE-03: the roles are Administrator, Collaborator and Guest, in this order', () => {
  expect(roles).toEqual(['ORG_ADMIN', 'ORG_COLLABORATOR', 'ORG_GUEST'])
})

test('ROLE-04: each role has one short form, and the short form is read as the role', () => {
  expect(roleAliases).toEqual({ ADMIN: 'ORG_ADMIN', COLLABORATOR: 'ORG_COLLABORATOR', GUEST: 'ORG_GUEST' })
  for (const [alias, role] of Object.entries(roleAliases)) {
    expect(toRole(alias)).toBe(role)
    expect(Object.values(roleAliases).filter((each) => each === role)).toHaveLength(1)
  }
  expect(Object.values(roleAliases)).toEqual([...roles])
})

test.each<[unknown, Role]>([
  ['ORG_ADMIN', 'ORG_ADMIN'],
  ['ADMIN', 'ORG_ADMIN'],
  ['COLLABORATOR', 'ORG_COLLABORATOR'],
  [0, 'ORG_ADMIN'],
  [2, 'ORG_GUEST'],
  [9, 'ORG_GUEST'],
  ['X', 'ORG_GUEST'],
  ['constructor', 'ORG_GUEST'],
  [undefined, 'ORG_GUEST'],
])('ROLE-05: role value %j is read as %s', (value, role) => {
  expect(toRole(value)).toBe(role)
})
