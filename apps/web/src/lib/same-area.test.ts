import { expect, test } from 'vitest'
import { sameArea } from './same-area.ts'

test.each([
  ['', ''],
  ['/', ''],
  ['/sources', '/sources'],
  ['/sources/s1', '/sources'],
  ['/events/e1', '/events'],
  ['/destinations/d1/', '/destinations'],
  ['/connections', '/connections'],
  ['/catalog-sources/http/new', '/catalog-sources/http/new'],
  ['/catalog-destinations', '/catalog-destinations'],
  ['/settings/account/change-password', '/settings/account/change-password'],
  ['/settings/organization/members', '/settings/organization/members'],
  ['/toString', ''],
  ['/anything/else', ''],
])('from %j of one workspace, switching leads to %j of the other', (rest, target) => {
  expect(sameArea(`/workspaces/w1${rest}`, 'workspaces/w1', 'workspaces/w2', true)).toBe(`/workspaces/w2${target}`)
})

test('from organization settings without administrator rights, switching leads to the home of the other workspace', () => {
  const to = (rest: string): string => sameArea(`/workspaces/w1${rest}`, 'workspaces/w1', 'workspaces/w2', false)
  expect(to('/settings/organization/members')).toBe('/workspaces/w2')
  expect(to('/settings/account')).toBe('/workspaces/w2/settings/account')
})

test('from a page outside the workspace, switching leads to the home of the other workspace', () => {
  expect(sameArea('/workspaces/w10/sources', 'workspaces/w1', 'workspaces/w2', true)).toBe('/workspaces/w2')
})
