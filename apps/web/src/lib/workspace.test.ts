import type { Workspace } from '@tributary/contract'
import { expect, test } from 'vitest'
import { resolveWorkspace } from './workspace.ts'

const workspace = (id: string): Workspace => ({
  name: `workspaces/${id}`,
  title: id,
  organization: null,
  create_time: '2026-01-01T00:00:00Z',
})

test('a workspace of the user is found by its ID', () => {
  expect(resolveWorkspace('w2', [workspace('w1'), workspace('w2')], null).title).toBe('w2')
})

test('WSP-06: a workspace of other users is not found', () => {
  expect(() => resolveWorkspace('w3', [workspace('w1')], null)).toThrow('Workspace not found')
})

test('while acting on behalf, the acted-on workspace is used instead (WSP-08)', () => {
  expect(resolveWorkspace('w1', [workspace('w1')], { workspace: workspace('other') }).title).toBe('other')
})
