import { syncRunStates } from '@tributary/contract'
import { expect, test } from 'vitest'
import { type RunEvent, runEvents, runTransitions } from './run-state.ts'

const table: [string, string][] = [
  ['queued begin', 'extracting'],
  ['queued cancel', 'canceled'],
  ['queued fail', 'failed'],
  ['extracting begin', 'extracting'],
  ['extracting staged', 'diffing'],
  ['extracting cancel', 'canceled'],
  ['extracting fail', 'failed'],
  ['diffing begin', 'extracting'],
  ['diffing planned', 'sending'],
  ['diffing doubted', 'needs_approval'],
  ['diffing cancel', 'canceled'],
  ['diffing fail', 'failed'],
  ['needs_approval approve', 'sending'],
  ['needs_approval cancel', 'canceled'],
  ['sending settled', 'succeeded'],
  ['sending settled_with_rejected', 'partial'],
  ['sending cancel', 'canceling'],
  ['canceling settled', 'canceled'],
  ['canceling settled_with_rejected', 'canceled'],
]

test('every run state handles every event, and only the listed events change the state', () => {
  const moves = syncRunStates.flatMap((state) =>
    runEvents.flatMap((event) => {
      const next = runTransitions[state][event]
      return next === undefined ? [] : [[`${state} ${event}`, next]]
    }),
  )
  expect(moves).toEqual(table)
})

test('a run that has ended stays ended, and every other run can end', () => {
  const reach = (state: (typeof syncRunStates)[number], seen = new Set<string>()): Set<string> => {
    if (seen.has(state)) return seen
    seen.add(state)
    for (const event of runEvents) {
      const next = runTransitions[state][event satisfies RunEvent]
      if (next !== undefined) reach(next, seen)
    }
    return seen
  }
  for (const state of ['succeeded', 'partial', 'failed', 'canceled'] as const)
    expect([...reach(state)]).toEqual([state])
  for (const state of syncRunStates)
    expect([...reach(state)].some((each) => each in { canceled: 1, failed: 1, succeeded: 1, partial: 1 })).toBe(true)
})

test('once a row may have been sent, a run can neither restart nor fail', () => {
  for (const state of ['sending', 'canceling'] as const) {
    expect(runTransitions[state].begin).toBeUndefined()
    expect(runTransitions[state].fail).toBeUndefined()
  }
})
