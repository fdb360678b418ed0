import { describe, expect, test } from 'vitest'
import { canSee, mayAct, toRole } from './access.ts'
import type { Role } from './actor.ts'

const member = (...memberships: [string, Role][]) => ({
  isPlatformAdmin: false,
  memberships: memberships.map(([organizationId, role]) => ({ organizationId, role })),
})

describe('the access rule', () => {
  const cases: [string, ReturnType<typeof member>, readonly Role[], boolean][] = [
    ['a platform admin may with an empty list', { ...member(), isPlatformAdmin: true }, [], true],
    ['a platform admin may without a membership', { ...member(), isPlatformAdmin: true }, ['ORG_ADMIN'], true],
    ['a platform admin may as a guest', { ...member(['o', 'ORG_GUEST']), isPlatformAdmin: true }, ['ORG_ADMIN'], true],
    ['an empty list denies', member(['o', 'ORG_ADMIN']), [], false],
    ['no membership denies', member(), ['ORG_ADMIN'], false],
    ['the allowed role passes', member(['o', 'ORG_ADMIN']), ['ORG_ADMIN'], true],
    ['another role denies', member(['o', 'ORG_GUEST']), ['ORG_ADMIN', 'ORG_COLLABORATOR'], false],
    ['one of two roles here not allowed denies', member(['o', 'ORG_ADMIN'], ['o', 'ORG_GUEST']), ['ORG_ADMIN'], false],
    ['roles elsewhere do not count', member(['x', 'ORG_GUEST'], ['o', 'ORG_ADMIN']), ['ORG_ADMIN'], true],
    ['membership only elsewhere denies', member(['x', 'ORG_ADMIN']), ['ORG_ADMIN'], false],
  ]
  test.each(cases)('%s', (_, subject, allowed, expected) => {
    expect(mayAct(subject, 'o', allowed)).toBe(expected)
  })

  test('an organisation is visible to its members and to platform admins only', () => {
    expect(canSee(member(['o', 'ORG_GUEST']), 'o')).toBe(true)
    expect(canSee(member(['x', 'ORG_ADMIN']), 'o')).toBe(false)
    expect(canSee({ ...member(), isPlatformAdmin: true }, 'o')).toBe(true)
  })
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
])('role value %j stands for %s', (value, role) => {
  expect(toRole(value)).toBe(role)
})
