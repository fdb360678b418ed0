import { expect, test } from 'vitest'
import { organizationTarget, shortcutTarget } from './shortcuts.ts'

test.each([
  ['sources', '/workspaces/w1/sources'],
  ['events', '/workspaces/w1/events'],
  ['destinations', '/workspaces/w1/destinations'],
  ['connections', '/workspaces/w1/connections'],
  ['syncs', '/workspaces/w1/syncs'],
  ['signals', '/workspaces/w1/signals'],
  ['billing', '/workspaces/w1/settings/organization/billing'],
  ['members', '/workspaces/w1/settings/organization/members'],
  ['account', '/workspaces/w1/settings/account'],
  ['anything', '/'],
  ['toString', '/'],
  ['', '/'],
])('the short link %j leads to %j', (name, target) => {
  expect(shortcutTarget(name, 'workspaces/w1')).toBe(target)
})

test('if there is no workspace, every short link leads to the workspace selection', () => {
  expect(shortcutTarget('sources', undefined)).toBe('/')
})

test.each([
  ['', '/workspaces/w1/settings/organization'],
  ['members', '/workspaces/w1/settings/organization/members'],
  ['billing/', '/workspaces/w1/settings/organization/billing'],
  ['o1/else', '/workspaces/w1'],
])('the organization URL %j of a workspace leads to %j', (rest, target) => {
  expect(organizationTarget(rest, 'workspaces/w1')).toBe(target)
})
