import { expect, test } from 'vitest'
import { emptyDraft, type SignalDraft, withPlatform } from '../draft.ts'
import { restored, savedOf } from './saved-draft.ts'

const draft: SignalDraft = {
  ...withPlatform(emptyDraft, 'workspaces/w/destinations/meta', true),
  title: 'Orders',
  sources: ['workspaces/w/sources/shop'],
}
/** The saved draft after it was restored. */
const after = (saved: ReturnType<typeof savedOf>) => restored(JSON.parse(JSON.stringify(saved)))

test('the values of a new signal are restored with its step', () => {
  expect(after(savedOf(draft, 'platforms'))).toEqual({ draft, step: 'platforms' })
})

test('a draft continues at a step that can be reached', () => {
  expect(after(savedOf({ ...draft, sources: [] }, 'review')).step).toBe('trigger')
})

test.each([{}, { step: 'review', draft: { sources: 3 } }, { draft: null }])(
  'an unreadable value is ignored: %j',
  (entered) => {
    expect(restored({ entered })).toEqual({ draft: emptyDraft, step: 'trigger' })
  },
)
