// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest'
import { clearRecent, forgetRecent, remember, useRecent } from './recent.ts'

const ids = (workspace: string) => useRecent.getState().byWorkspace[workspace]?.map(({ id }) => id)
beforeEach(clearRecent)

test('the last used entry comes first and only once, and at most eight are stored', () => {
  for (const id of ['1', '2', '3', '1', '4', '5', '6', '7', '8', '9', '10']) remember('workspaces/w1', { id })
  expect(ids('workspaces/w1')).toEqual(['10', '9', '8', '7', '6', '5', '4', '1'])
})

test('each workspace has its own recent entries, and entries of deleted objects are removed', () => {
  remember('workspaces/w1', { id: 'one' })
  remember('workspaces/w2', { id: 'two' })
  forgetRecent('workspaces/w1', 'one')
  expect([ids('workspaces/w1'), ids('workspaces/w2')]).toEqual([[], ['two']])
  clearRecent()
  expect(ids('workspaces/w2')).toBeUndefined()
})
