import type { Workspace } from '@tributary/contract'
import { expect, test } from 'vitest'
import { actingNotice, actOnBehalfForm } from './act-on-behalf.ts'

const messages = (workspaceId: string): string[] =>
  actOnBehalfForm(['workspaces/own-id', 'workspaces/own-staging'])
    .safeParse({ workspaceId })
    .error?.issues.map(({ message }) => message) ?? []

test('STF-17: the ID of the workspace to act in has at least 5 characters', () => {
  expect(messages('abcd')).toEqual(['At least 5 characters'])
  expect(messages(' abcd ')).toEqual(['At least 5 characters'])
  expect(messages('workspaces/abcd')).toEqual(['At least 5 characters'])
  expect(messages('abcde')).toEqual([])
  expect(messages('workspaces/abcde')).toEqual([])
})

test.each(['own-id', 'workspaces/own-id', ' own-id ', 'own-staging', 'workspaces/own-staging'])(
  "the form rejects the workspace %j of a user's own organization (STF-18, AMB-20)",
  (id) => {
    expect(messages(id)).toEqual(['You cannot act on behalf of your own organization'])
  },
)

test('the notice names the organization by its display name', () => {
  const workspace = { title: 'Main', organization: { display_name: 'Acme Inc.' } } as Workspace
  expect(actingNotice(workspace)).toBe('You are now acting on behalf of Acme Inc. organization')
})
