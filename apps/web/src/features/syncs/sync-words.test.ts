import { expect, test } from 'vitest'
import { aRun, someCounts } from '../../testing/syncs.ts'
import { type RunStep, runSummary, stepsOf } from './sync-words.ts'

test.each([
  [null, ''],
  [someCounts({ read: 3, unchanged: 3 }), 'Nothing changed'],
  [someCounts({ added: 1200, changed: 2, removed: 1 }), '1,200 added, 2 changed, 1 removed'],
  [someCounts({ rejected: 1, removals_rejected: 2, invalid: 4, waiting: 5 }), '3 rejected, 4 invalid, 5 waiting'],
])('a run has a short description (%#)', (counts, words) => {
  expect(runSummary({ counts })).toBe(words)
})

const at = (second: number): string => new Date(Date.UTC(2026, 2, 1, 12, 0, second)).toISOString()
const now = Date.parse(at(60))
const linesOf = (steps: RunStep[]): string[] =>
  steps.map(({ id, state, duration }) => `${id} ${state} ${duration}`.trim())
const reading = { queued: at(0), extracting: at(1) }
const compared = { ...reading, diffing: at(11) }

test('the steps of a run show which are done, running, and not begun, each with its duration', () => {
  const running = aRun({ state: 'extracting', state_times: reading, finish_time: null, rows_read: 5 })
  expect(linesOf(stepsOf(running, now))).toEqual([
    'queued done 1.0 s',
    'extracting active 59 s',
    'diffing ahead',
    'sending ahead',
  ])
  expect(stepsOf(running, now)[1]?.text).toBe('5 rows read so far')
})

test('a run that needed approval has an approval step, and a failed run stopped in its step', () => {
  const asked = aRun({
    state: 'succeeded',
    state_times: { ...compared, needs_approval: at(12), sending: at(42), succeeded: at(44) },
    finish_time: at(44),
    planned: { added: 1, changed: 2, removed: 3 },
    counts: someCounts({ read: 4, added: 1, changed: 2, unchanged: 1, removed: 3 }),
  })
  expect(linesOf(stepsOf(asked, now))).toEqual([
    'queued done 1.0 s',
    'extracting done 10 s',
    'diffing done 1.0 s',
    'needs_approval done 30 s',
    'sending done 2.0 s',
  ])
  expect(stepsOf(asked, now).at(-1)?.text).toBe('6 of 6 rows answered')
  const failed = aRun({ state: 'failed', state_times: { ...reading, failed: at(3) }, finish_time: at(3) })
  expect(linesOf(stepsOf(failed, now))).toEqual([
    'queued done 1.0 s',
    'extracting stopped 2.0 s',
    'diffing ahead',
    'sending ahead',
  ])
})
