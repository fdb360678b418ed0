import type { DeliverResult } from '@tributary/connector-kit'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { expect, it } from 'vitest'
import { defaultDeliverySettings } from '../settings.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'

const circuit = { consecutive: 3, window: 10, ratio: 0.8, baseMs: 1000, capMs: 60_000 }

/** A breaker that flows, with a clock of its own; `heard` are the calls it made since. */
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
    fails: (retryAfterMs?: number, facts?: { misconfigured: boolean; ordered: boolean }): void =>
      answered({ kind: 'retry', reason: 'HTTP 500', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }, facts),
    succeeds: (): void => answered({ kind: 'delivered' }),
    pass: (ms: number): void => {
      now += ms
      breaker.tick()
    },
  }
}

it('failures in a row break it, what is queued goes back, and it rests before it probes', () => {
  const { breaker, heard, fails, pass } = start()
  fails()
  fails()
  expect([breaker.state(), heard]).toEqual(['flowing', []])
  fails()
  expect([breaker.state(), breaker.reason(), heard]).toEqual(['broken', 'HTTP 500', ['stopped']])
  pass(circuit.capMs)
  expect(breaker.state()).toBe('probing')
})

it('a probe that fails breaks it again, and one that succeeds lets all flow that waited', () => {
  const { breaker, heard, fails, succeeds, pass } = start()
  for (let tries = 0; tries < 3; tries++) fails()
  pass(circuit.capMs)
  fails()
  expect(breaker.state()).toBe('broken')
  pass(circuit.capMs)
  succeeds()
  expect([breaker.state(), breaker.reason()]).toEqual(['flowing', ''])
  expect(heard).toEqual(['stopped', 'stopped', 'recovered'])
  // Failures before the break no longer count.
  fails()
  fails()
  expect(breaker.state()).toBe('flowing')
})

it('a pause that is asked for is kept: a short one with the queue in memory, a long one without, none beyond the cap', () => {
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
])('a single failure breaks it with %o', (facts) => {
  const { breaker, fails } = start()
  fails(undefined, facts)
  expect(breaker.state()).toBe('broken')
})

it('a person who ends its rest makes it probe at the next tick', () => {
  const { breaker, fails, pass } = start()
  for (let tries = 0; tries < 3; tries++) fails()
  pass(1)
  expect(breaker.state()).toBe('broken')
  breaker.endRest()
  pass(0)
  expect(breaker.state()).toBe('probing')
})
