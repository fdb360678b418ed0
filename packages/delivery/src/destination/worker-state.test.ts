import { describe, expect, it } from 'vitest'
import {
  mayStart,
  noFailures,
  noteOutcome,
  trips,
  workerEvents,
  workerStates,
  workerTransitions,
} from './worker-state.ts'

describe('the states of a worker', () => {
  it.each(workerStates)('%s answers every event with a known state', (state) => {
    expect(Object.keys(workerTransitions[state]).toSorted()).toEqual([...workerEvents].toSorted())
    for (const event of workerEvents) expect(workerStates).toContain(workerTransitions[state][event])
  })

  it.each([
    ['flowing', 'failed', 'flowing'],
    ['flowing', 'tripped', 'broken'],
    ['flowing', 'asked', 'deferred'],
    ['deferred', 'rested', 'flowing'],
    ['deferred', 'succeeded', 'deferred'],
    ['broken', 'succeeded', 'broken'],
    ['broken', 'rested', 'probing'],
    ['probing', 'succeeded', 'flowing'],
    ['probing', 'failed', 'broken'],
    ['probing', 'asked', 'broken'],
    ['paused', 'usable', 'flowing'],
    ['paused', 'rested', 'paused'],
    ['gone', 'usable', 'flowing'],
    ['gone', 'halted', 'paused'],
  ] as const)('%s and %s give %s', (state, event, next) => {
    expect(workerTransitions[state][event]).toBe(next)
  })

  it.each(workerStates)('%s leads to paused when halted and to gone when removed', (state) => {
    expect(workerTransitions[state].halted).toBe('paused')
    expect(workerTransitions[state].removed).toBe('gone')
  })

  it('only flowing starts up to the concurrency, and only probing starts a single request', () => {
    expect(workerStates.filter((state) => mayStart(state, 0, 16))).toEqual(['flowing', 'probing'])
    expect(workerStates.filter((state) => mayStart(state, 1, 16))).toEqual(['flowing'])
    expect(mayStart('flowing', 16, 16)).toBe(false)
  })
})

describe('the circuit', () => {
  const rules = { consecutive: 3, window: 10, ratio: 0.8 }
  const after = (outcomes: string): boolean =>
    trips(
      [...outcomes].reduce((window, mark) => noteOutcome(window, mark === 'x', rules.window), noFailures),
      rules,
    )

  it.each([
    ['', false],
    ['..........', false],
    ['xx', false],
    ['xx.', false],
    ['xxx', true],
    ['xx.xx.', false],
    ['xx.xx.xx', false],
    ['xx.xx.xx.x', false],
    ['.xx.xx.xx.xx.', false],
    ['xx.xx.xxx', true],
  ])('after %j (x failed): broken is %s', (outcomes, broken) => {
    expect(after(outcomes)).toBe(broken)
  })

  it('breaks when most of the recent requests fail, though never so many in a row', () => {
    const loose = { consecutive: 100, window: 10, ratio: 0.8 }
    const window = [...'xxxx.xxxx.'].reduce((all, mark) => noteOutcome(all, mark === 'x', 10), noFailures)
    expect(trips(window, loose)).toBe(true)
    expect(trips(noteOutcome(window, false, 10), loose)).toBe(false)
  })

  it('costs a healthy destination no memory', () => {
    expect(noteOutcome(noFailures, false, 10)).toBe(noFailures)
  })
})
