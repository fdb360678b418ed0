import { ConfigurationError, EgressRefusedError, RejectedError, RetryableError } from '@tributary/connector-kit'
import { describe, expect, it } from 'vitest'
import { defaultDeliverySettings } from '../settings.ts'
import { decide, outcomeAt, resultOfError } from './outcomes.ts'

const policy = { baseMs: 1000, capMs: 60_000, maxElapsedMs: 4 * 3_600_000 }
const cap = 3_600_000
const now = 1_000_000_000
const retry = (retryAfterMs?: number) => ({
  kind: 'retry' as const,
  reason: 'HTTP 503',
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})
const facts = (attempt: number, sinceFirst: number) => ({ attempt, firstTime: now - sinceFirst, now, random: () => 1 })

describe('after an attempt', () => {
  it.each([
    ['delivered is final', { kind: 'delivered' as const }, facts(1, 0), { kind: 'delivered' }],
    [
      'rejected is dead at once',
      { kind: 'rejected' as const, reason: 'HTTP 400' },
      facts(1, 0),
      { kind: 'dead', reason: 'HTTP 400' },
    ],
    [
      'a first failure waits the base',
      retry(),
      facts(1, 0),
      { kind: 'waiting', nextTime: now + 1000, reason: 'HTTP 503' },
    ],
    ['the wait doubles', retry(), facts(4, 9000), { kind: 'waiting', nextTime: now + 8000, reason: 'HTTP 503' }],
    ['up to the cap', retry(), facts(40, 9000), { kind: 'waiting', nextTime: now + 60_000, reason: 'HTTP 503' }],
    [
      'Retry-After is obeyed when longer',
      retry(120_000),
      facts(1, 0),
      { kind: 'waiting', nextTime: now + 120_000, reason: 'HTTP 503' },
    ],
    [
      'a shorter Retry-After changes nothing',
      retry(10),
      facts(1, 0),
      { kind: 'waiting', nextTime: now + 1000, reason: 'HTTP 503' },
    ],
    [
      'a senseless Retry-After is capped',
      retry(1e12),
      facts(1, 0),
      { kind: 'waiting', nextTime: now + cap, reason: 'HTTP 503' },
    ],
    [
      'it goes on just before the time is over',
      retry(),
      facts(30, policy.maxElapsedMs - 1),
      { kind: 'waiting', nextTime: now + 60_000, reason: 'HTTP 503' },
    ],
    [
      'and is dead when it is',
      retry(),
      facts(30, policy.maxElapsedMs),
      { kind: 'dead', reason: 'Retries exhausted: HTTP 503' },
    ],
    [
      'a set-up that fails: held beyond the retry window, since no retry fixes it',
      { kind: 'retry' as const, reason: 'not allowed', misconfigured: true },
      facts(1, policy.maxElapsedMs * 10),
      { kind: 'waiting', nextTime: now + 1000, reason: 'not allowed' },
    ],
  ])('after an attempt: %s', (_title, outcome, attempt, decision) => {
    expect(decide(outcome, attempt, policy, cap)).toEqual(decision)
  })

  it('the jitter is at most half of the delay', () => {
    const earliest = decide(retry(), { ...facts(4, 0), random: () => 0 }, policy, cap)
    expect(earliest).toMatchObject({ nextTime: now + 4000 })
  })

  it('retries continue for at least four hours by default', () => {
    expect(defaultDeliverySettings.retry.maxElapsedMs).toBeGreaterThanOrEqual(4 * 3_600_000)
  })
})

describe('an error thrown by a connector', () => {
  const exchange = { httpStatus: 0, latencyMs: 5, request: 'POST', response: 'none' }
  it.each([
    [
      new RetryableError('slow', { retryAfterMs: 7, exchange }),
      { kind: 'retry', reason: 'slow', retryAfterMs: 7 },
      false,
    ],
    [new RejectedError('no', exchange), { kind: 'rejected', reason: 'no' }, false],
    [new ConfigurationError('bad key', exchange), { kind: 'retry', reason: 'bad key', misconfigured: true }, true],
    [new EgressRefusedError('private', exchange), { kind: 'retry', reason: 'private', misconfigured: true }, true],
    [new TypeError('secret detail'), { kind: 'retry', reason: 'The connector failed' }, false],
  ])("the connector's error %s has its own outcome", (error, outcomes, misconfigured) => {
    expect(resultOfError(error)).toMatchObject({ outcomes, misconfigured })
  })

  it('an error thrown by a connector keeps request and response', () => {
    expect(resultOfError(new RejectedError('no', exchange))).toMatchObject(exchange)
  })
})

it("an event without an outcome in the connector's result is retried", () => {
  const result = { outcomes: [{ kind: 'delivered' as const }], httpStatus: 200, latencyMs: 1 }
  expect(outcomeAt(result, 0)).toEqual({ kind: 'delivered' })
  expect(outcomeAt(result, 1)).toMatchObject({ kind: 'retry' })
})
