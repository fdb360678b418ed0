// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest'
import { newSignalKey } from '../../../lib/browser/new-signal-key.ts'
import { emptyDraft, type SignalDraft, withPlatform } from '../draft.ts'
import { forgetDraft, keepDraft, keptDraft } from './saved-draft.ts'

const draft: SignalDraft = {
  ...withPlatform(emptyDraft, 'workspaces/w/destinations/meta', true),
  title: 'Orders',
  sources: ['workspaces/w/sources/shop'],
}

beforeEach(() => sessionStorage.clear())

test('what is entered of a new signal survives a reload of the tab, with its step', () => {
  keepDraft('workspaces/w', draft, 'platforms')
  expect(keptDraft('workspaces/w')).toEqual({ draft, step: 'platforms' })
  forgetDraft()
  expect(keptDraft('workspaces/w')).toBeUndefined()
})

test('a draft is of one workspace, and begins at a step that can be reached', () => {
  keepDraft('workspaces/w', { ...draft, sources: [] }, 'review')
  expect(keptDraft('workspaces/other')).toBeUndefined()
  expect(keptDraft('workspaces/w')?.step).toBe('trigger')
})

test('what is not understood counts as nothing', () => {
  for (const text of ['', '{', '{"workspace":"workspaces/w","step":"review","draft":{"sources":3}}']) {
    sessionStorage.setItem(newSignalKey, text)
    expect(keptDraft('workspaces/w')).toBeUndefined()
  }
})
