import { expect, test } from 'vitest'
import { deletedSyncs, leftSyncs } from './syncs-of.tsx'

test.each([
  [[], ''],
  [['A'], 'Its sync A is deleted, too. Rows that it sent stay where they are.'],
  [['A', 'B'], 'Its syncs are deleted, too: A and B. Rows that they sent stay where they are.'],
  [
    ['A', 'B', 'C', 'D', 'E', 'F', 'G'],
    'Its syncs are deleted, too: A, B, C, D, E, and 2 more. Rows that they sent stay where they are.',
  ],
])('the dialog that deletes the origin of syncs lists the syncs that are also deleted (%#)', (titles, words) => {
  expect(deletedSyncs(titles)).toBe(words)
})

test.each([
  [[], ''],
  [['A'], 'A runs after it and will no longer run automatically.'],
  [['A', 'B'], 'These syncs run after it and will no longer run automatically: A and B.'],
])('the dialog that deletes a sync lists the syncs that run after it (%#)', (titles, words) => {
  expect(leftSyncs(titles)).toBe(words)
})
