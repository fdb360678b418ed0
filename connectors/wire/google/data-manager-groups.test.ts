import { type Call, ConfigurationError, type EventOutcome, RetryableError } from '@tributary/connector-kit'
import { describe, expect, it } from 'vitest'
import type { Verdict } from './data-manager.ts'
import { type Group, sendGroups } from './data-manager-groups.ts'

const call = { answer: { status: 200, headers: {}, body: '', latencyMs: 0 }, exchange: () => ({}) } as unknown as Call
const delivered: EventOutcome = { kind: 'delivered' }
const noScope = new ConfigurationError('No access')

/** Sends groups of numbers to a vendor that gives a verdict on each request, or throws. */
const run = async (
  groups: readonly { receiver: string; numbers: readonly number[] }[],
  verdict: (numbers: readonly number[], receiver: string) => EventOutcome | Error,
) => {
  const asked: string[] = []
  let at = 0
  const made = groups.map(({ receiver, numbers }): Group => {
    let sent: readonly number[] = []
    return {
      target: 'list',
      receiver,
      items: numbers.map((body) => ({ at: at++, body })),
      ask: (bodies) => {
        sent = bodies as number[]
        asked.push(`${receiver} ${sent.join(',')}`)
        return Promise.resolve({ call, hidden: {} })
      },
      read: (): Verdict => {
        const outcome = verdict(sent, receiver)
        if (outcome instanceof Error) throw outcome
        return { outcome, refused: new Map() }
      },
    }
  })
  const { outcomes } = await sendGroups(made, { count: at, clock: () => 0 })
  return { outcomes, asked }
}

describe('groups of items', () => {
  it.each([
    ['waits for a user', noScope, { kind: 'retry', misconfigured: true, ofEvent: true, reason: 'No access' }],
    ['has no answer', new RetryableError('Reset'), { kind: 'retry', reason: 'Reset' }],
  ])('an accepted half is not sent again if the other half %s', async (_, failure, later) => {
    const { outcomes } = await run([{ receiver: 'a', numbers: [1, 2] }], (numbers) => {
      if (numbers.length > 1) return { kind: 'rejected', reason: 'One is bad' }
      return numbers[0] === 1 ? delivered : failure
    })
    expect(outcomes).toEqual([delivered, later])
  })

  it('after a list of a mapping that waits, its later changes are not sent, and other lists are', async () => {
    const wait: EventOutcome = { kind: 'retry', misconfigured: true, ofEvent: true, reason: 'No list' }
    const groups = ['wrong', 'good', 'wrong'].map((receiver, at) => ({ receiver, numbers: [at] }))
    const { outcomes, asked } = await run(groups, (_, receiver) => (receiver === 'wrong' ? wait : delivered))
    expect(outcomes).toEqual([wait, delivered, wait])
    expect(asked).toEqual(['wrong 0', 'good 1'])
  })

  it('lists that all wait cost 20 requests', async () => {
    const groups = Array.from({ length: 100 }, (_, at) => ({ receiver: `${at}`, numbers: [at] }))
    const { outcomes, asked } = await run(groups, () => ({
      kind: 'retry',
      misconfigured: true,
      ofEvent: true,
      reason: 'No list',
    }))
    expect(asked).toHaveLength(20)
    expect(outcomes.every((one) => one.kind === 'retry' && one.misconfigured === true)).toBe(true)
  })

  it('a reason that all items share costs few requests, and items that were not sent alone wait', async () => {
    const numbers = Array.from({ length: 1000 }, (_, at) => at)
    const { outcomes, asked } = await run([{ receiver: 'a', numbers }], () => ({ kind: 'rejected', reason: 'Bad' }))
    expect(asked.length).toBeLessThan(60)
    expect(outcomes.map(({ kind }) => kind)).toEqual(numbers.map((at) => (at < 20 ? 'rejected' : 'retry')))
  })
})
