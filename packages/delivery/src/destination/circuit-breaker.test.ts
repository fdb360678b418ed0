import type { DeliverResult } from '@tributary/connector-kit'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { describe, expect, it } from 'vitest'
import { defaultDeliverySettings } from '../settings.ts'
import {
  createCircuitBreaker,
  mayStart,
  noFailures,
  noteOutcome,
  trips,
  workerEvents,
  workerStates,
  workerTransitions,
} from './circuit-breaker.ts'

const circuit = { consecutive: 3, window: 10, ratio: 0.8, baseMs: 1000, capMs: 60_000 }

/** A flowing breaker with a test clock; `heard` lists the callbacks it has called. */
const start = () => {
  let now = 0
  const heard: string[] = []
  const breaker = createCircuitBreaker(
    'd-1',
    {
      clock: () => now,
      settings: { ...defaultDeliverySettings, circuit, retryAfterCapMs: 60_000 },
      logger: silentLogger,
      metrics: noMetrics,
    },
    { recovered: () => heard.push('recovered'), stopped: () => heard.push('stopped') },
  )
  breaker.note('usable', '')
  heard.length = 0
  const answered = (outcomes: DeliverResult['outcomes'], facts = { misconfigured: false, ordered: false }): void =>
    breaker.record({ outcomes, httpStatus: 0, latencyMs: 0 }, 2, facts)
  return {
    breaker,
    heard,
    answered,
    fails: (retryAfterMs?: number, facts?: { misconfigured: boolean; ordered: boolean }): void =>
      answered({ kind: 'retry', reason: 'HTTP 500', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }, facts),
    succeeds: (): void => answered({ kind: 'delivered' }),
    pass: (ms: number): void => {
      now += ms
      breaker.tick()
    },
  }
}

it('consecutive failures break the circuit, queued events are requeued, and the breaker waits before it probes', () => {
  const { breaker, heard, fails, pass } = start()
  fails()
  fails()
  expect([breaker.state(), heard]).toEqual(['flowing', []])
  fails()
  expect([breaker.state(), breaker.reason(), heard]).toEqual(['broken', 'HTTP 500', ['stopped']])
  pass(circuit.capMs)
  expect(breaker.state()).toBe('probing')
})

describe('an event that waits alone', () => {
  const waits = { kind: 'retry', reason: 'Too recent', ofEvent: true, retryAfterMs: 60_000 } as const

  it('it neither breaks the circuit nor pauses the destination, and it hides no failure of another event', () => {
    const { breaker, heard, answered } = start()
    for (let tries = 0; tries < 20; tries++) answered([waits, { kind: 'delivered' }])
    for (let tries = 0; tries < 20; tries++) answered(waits)
    expect([breaker.state(), heard]).toEqual(['flowing', []])
    for (let tries = 0; tries < 3; tries++) answered([waits, { kind: 'retry', reason: 'HTTP 500' }])
    expect([breaker.state(), breaker.reason()]).toEqual(['broken', 'HTTP 500'])
  })

  it('it stops an ordered destination', () => {
    const { breaker, answered } = start()
    answered([waits, { kind: 'delivered' }], { misconfigured: false, ordered: true })
    expect(breaker.state()).toBe('broken')
  })
})

it('a failed probe breaks the circuit again, and a successful one resumes the flow', () => {
  const { breaker, heard, fails, succeeds, pass } = start()
  for (let tries = 0; tries < 3; tries++) fails()
  pass(circuit.capMs)
  fails()
  expect(breaker.state()).toBe('broken')
  pass(circuit.capMs)
  succeeds()
  expect([breaker.state(), breaker.reason()]).toEqual(['flowing', ''])
  expect(heard).toEqual(['stopped', 'stopped', 'recovered'])
  // Failures before the break are no longer counted.
  fails()
  fails()
  expect(breaker.state()).toBe('flowing')
})

it('Retry-After is obeyed up to a maximum: a short pause keeps the queue in memory, a long one requeues its events', () => {
  const brief = start()
  brief.fails(1500)
  expect([brief.breaker.state(), brief.heard]).toEqual(['deferred', []])
  brief.pass(1499)
  expect(brief.breaker.state()).toBe('deferred')
  brief.pass(1)
  expect([brief.breaker.state(), brief.heard]).toEqual(['flowing', []])
  const long = start()
  long.fails(86_400_000)
  expect([long.breaker.state(), long.heard]).toEqual(['deferred', ['stopped']])
  long.pass(60_000)
  expect(long.breaker.state()).toBe('flowing')
})

it.each([
  { misconfigured: true, ordered: false },
  { misconfigured: false, ordered: true },
])('a single failure breaks the circuit with %o', (facts) => {
  const { breaker, fails } = start()
  fails(undefined, facts)
  expect(breaker.state()).toBe('broken')
})

it('a manual retry ends the rest, and the next tick probes', () => {
  const { breaker, fails, pass } = start()
  for (let tries = 0; tries < 3; tries++) fails()
  pass(1)
  expect(breaker.state()).toBe('broken')
  breaker.endRest()
  pass(0)
  expect(breaker.state()).toBe('probing')
})

describe('the states of a worker', () => {
  it.each(workerStates)('the worker state %s handles every event and leads to a valid state', (state) => {
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
  ] as const)('the worker state %s and the event %s lead to %s', (state, event, next) => {
    expect(workerTransitions[state][event]).toBe(next)
  })

  it.each(workerStates)(
    'the worker state %s becomes paused when the worker is halted, and gone when the destination is removed',
    (state) => {
      expect(workerTransitions[state].halted).toBe('paused')
      expect(workerTransitions[state].removed).toBe('gone')
    },
  )

  it('only a flowing worker starts requests up to the concurrency, and only a probing one starts a single request', () => {
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
  ])('after the outcomes %j (x failed), the circuit is broken: %s', (outcomes, broken) => {
    expect(after(outcomes)).toBe(broken)
  })

  it('the circuit breaks when most of the recent requests fail, even if few failures are consecutive', () => {
    const loose = { consecutive: 100, window: 10, ratio: 0.8 }
    const window = [...'xxxx.xxxx.'].reduce((all, mark) => noteOutcome(all, mark === 'x', 10), noFailures)
    expect(trips(window, loose)).toBe(true)
    expect(trips(noteOutcome(window, false, 10), loose)).toBe(false)
  })

  it('the circuit uses no memory for a healthy destination', () => {
    expect(noteOutcome(noFailures, false, 10)).toBe(noFailures)
  })
})
