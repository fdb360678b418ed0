import { methodList } from '@tributary/contract'
import { expect, test } from 'vitest'
import { staffReads } from './staff-reads.ts'

test.each([
  'profiles.get',
  'events.list',
  'apiKeys.list',
  'memberships.listByOrganization',
  'audiences.listMembers',
  'audiences.suggest',
  'audiences.preview',
  'computedTraits.preview',
  'failureGroups.get',
  'heldWork.list',
  'mappings.suggest',
  'replays.preview',
  'signals.preview',
  'syncDryRuns.get',
  'violations.listBySource',
])('%s returns people, events, keys, or members: a call by a platform admin leaves an audit record', (name) => {
  expect(methodList.map((method) => method.name)).toContain(name)
  expect(staffReads).toContain(name)
})

test.each(['sources.list', 'destinations.get', 'metrics.get', 'catalogSources.list', 'destinations.update'])(
  '%s shows no people, events, keys, or members: a call by a platform admin leaves no record as a read',
  (name) => {
    expect(staffReads).not.toContain(name)
  },
)

test('methods that count as staff reads include methods with the verbs GET and POST', () => {
  const verbs = new Set(methodList.filter(({ name }) => staffReads.includes(name)).map(({ verb }) => verb))
  expect(verbs).toEqual(new Set(['GET', 'POST']))
})
