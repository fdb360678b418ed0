import type { Workspace } from '@tributary/contract'
import { expect, test } from 'vitest'
import { choosing, straightInto } from './arrival.ts'

const organization = {
  name: 'organizations/o1',
  title: 'acme',
  display_name: 'Acme',
} as Workspace['organization']
const one: Workspace = { name: 'workspaces/w1', title: 'Production', organization, create_time: '2026-01-01T00:00:00Z' }
const other: Workspace = { name: 'workspaces/w2', title: 'Staging', organization, create_time: '2026-01-01T00:00:00Z' }

test('whoever has a single workspace comes straight into it, and is given the choice when they ask for it', () => {
  expect(straightInto([one], null)).toBe(one)
  expect(straightInto([one], choosing)).toBeUndefined()
})

test('with several workspaces, none, or one without an organization there is something to do first', () => {
  expect(straightInto([one, other], null)).toBeUndefined()
  expect(straightInto([], null)).toBeUndefined()
  expect(straightInto([{ ...one, organization: null }], null)).toBeUndefined()
})
