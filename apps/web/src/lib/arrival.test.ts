import type { Workspace } from '@tributary/contract'
import { expect, test } from 'vitest'
import { justSignedIn, onlyWorkspace } from './arrival.ts'

const organization = {
  name: 'organizations/o1',
  title: 'acme',
  display_name: 'Acme',
} as Workspace['organization']
const one: Workspace = { name: 'workspaces/w1', title: 'Production', organization, create_time: '2026-01-01T00:00:00Z' }
const other: Workspace = { name: 'workspaces/w2', title: 'Staging', organization, create_time: '2026-01-01T00:00:00Z' }

test('a person with a single workspace is taken to it after signing in, but not after opening / in another way', () => {
  expect(onlyWorkspace([one], justSignedIn)).toBe(one)
  for (const state of [null, undefined, {}, 'justSignedIn', { choosing: true }])
    expect(onlyWorkspace([one], state)).toBeUndefined()
})

test('a person with several workspaces, none, or one without an organization stays at / after a sign-in', () => {
  expect(onlyWorkspace([one, other], justSignedIn)).toBeUndefined()
  expect(onlyWorkspace([], justSignedIn)).toBeUndefined()
  expect(onlyWorkspace([{ ...one, organization: null }], justSignedIn)).toBeUndefined()
})
