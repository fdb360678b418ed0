import { expect, test } from 'vitest'
import { emptyDraft, type SignalDraft, withPlatform } from '../draft.ts'
import { restored, savedOf } from './saved-draft.ts'

const draft: SignalDraft = {
  ...withPlatform(emptyDraft, 'workspaces/w/destinations/meta', true),
  title: 'Orders',
  sources: ['workspaces/w/sources/shop'],
}
/** What was saved, as it comes back. */
const after = (saved: ReturnType<typeof savedOf>) => restored(JSON.parse(JSON.stringify(saved)))

test('what is entered of a new signal comes back as it was, with its step', () => {
  expect(after(savedOf(draft, 'platforms'))).toEqual({ draft, step: 'platforms' })
})

test('a draft begins at a step that can be reached', () => {
  expect(after(savedOf({ ...draft, sources: [] }, 'review')).step).toBe('trigger')
})

test.each([{}, { step: 'review', draft: { sources: 3 } }, { draft: null }])(
  'what is not understood counts as nothing: %j',
  (entered) => {
    expect(restored({ entered })).toEqual({ draft: emptyDraft, step: 'trigger' })
  },
)
