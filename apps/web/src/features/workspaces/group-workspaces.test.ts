import type { Organization, Workspace } from '@tributary/contract'
import { expect, test } from 'vitest'
import { groupWorkspaces } from './group-workspaces.ts'

const organization = (id: string): Organization => ({
  name: `organizations/${id}`,
  title: id,
  display_name: id,
  industry: 'other',
  extra: { logo: '' },
  auto_join_domain: '',
  subscription: { name: '', extra: { plan_name: 'plans/free' } },
  create_time: '2026-01-01T00:00:00Z',
})
const workspace = (id: string, owner: string): Workspace => ({
  name: `workspaces/${id}`,
  title: id,
  organization: organization(owner),
  create_time: '2026-01-01T00:00:00Z',
})
const all = [workspace('Production', 'Acme'), workspace('Staging', 'Acme'), workspace('Main', 'Beta')]
const shown = (last: string | null, search: string) =>
  groupWorkspaces(all, last, search).map(({ title, workspaces }) => [title, workspaces.map((each) => each.title)])

test('workspaces are grouped by organization in the order of the server', () => {
  expect(shown(null, '')).toEqual([
    ['Acme', ['Production', 'Staging']],
    ['Beta', ['Main']],
  ])
})

test('the last used workspace comes first, and so does its organization', () => {
  expect(shown('workspaces/Main', '')[0]).toEqual(['Beta', ['Main']])
  expect(shown('workspaces/Staging', '')[0]).toEqual(['Acme', ['Staging', 'Production']])
})

test('the search looks in the titles of workspace and organization', () => {
  expect(shown(null, ' stag ')).toEqual([['Acme', ['Staging']]])
  expect(shown(null, 'beta')).toEqual([['Beta', ['Main']]])
  expect(shown(null, 'nothing')).toEqual([])
})
