import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createPauses, type Waiter } from './log-producer.ts'
import type { WorkspaceSpread, WorkspaceSpreads } from './ports.ts'

const setUp = (isUnsure = () => false) => {
  const known = new Map<string, WorkspaceSpread>()
  const spreads: WorkspaceSpreads = {
    of: (workspaceId) => known.get(workspaceId),
    changes: () => [...known.values()].flatMap(({ change }) => change ?? []),
  }
  return {
    pauses: createPauses(spreads, isUnsure),
    begin: (workspaceId: string, change: string) => known.set(workspaceId, { partitions: [0], change }),
    end: (workspaceId: string) => known.set(workspaceId, { partitions: [0, 1] }),
  }
}

const waiter = (tell: (isOver: boolean) => unknown, bytes = 0): Waiter => ({
  bytes,
  *goOn() {
    yield* []
    tell(true)
  },
  sendAway: () => tell(false),
})

describe('a change of a spread', () => {
  test('a change of a spread is reported as paused when all earlier appends are in the log, and does not wait for later appends', async () => {
    const { pauses, begin, end } = setUp()
    const [first, second] = [pauses.begin(), pauses.begin()]
    expect(pauses.paused()).toEqual([])
    begin('w', 'w 1')
    expect([pauses.isPaused('w'), pauses.isPaused('other')]).toEqual([true, false])
    expect(pauses.paused()).toEqual([])
    const later = pauses.begin()
    first()
    await pause(0)
    expect(pauses.paused()).toEqual([])
    second()
    await expect.poll(() => pauses.paused()).toEqual(['w 1'])
    end('w')
    expect([pauses.paused(), pauses.isPaused('w')]).toEqual([[], false])
    // The next change of the same workspace has another name.
    begin('w', 'w 2')
    expect(pauses.paused()).toEqual([])
    later()
    await expect.poll(() => pauses.paused()).toEqual(['w 2'])
  })

  test('the end of a change of a spread lets waiting requests continue', async () => {
    const { pauses, begin, end } = setUp()
    begin('w', 'w 1')
    const reported: boolean[] = []
    pauses.wait(
      'w',
      waiter((isOver) => reported.push(isOver)),
    )
    await pause(60)
    expect(reported).toEqual([])
    end('w')
    await expect.poll(() => reported).toEqual([true])
  })

  test.each([
    ['many', 1000, 0, 100],
    ['large ones', 20, 64 * 1024, 4],
  ])('waiting requests, here %s, continue in order, a limited number at a time', async (_, all, bytes, max) => {
    const { pauses, begin, end } = setUp()
    begin('w', 'w 1')
    const reported: number[] = []
    let atOnce = 0
    for (let n = 0; n < all; n++) {
      const tell = (): void => {
        if (reported.push(n) === 1) setImmediate(() => (atOnce = reported.length))
      }
      pauses.wait('w', waiter(tell, bytes))
    }
    end('w')
    await expect.poll(() => reported.length).toBe(all)
    expect(atOnce).toBeLessThanOrEqual(max)
    expect(reported).toEqual(reported.toSorted((a, b) => a - b))
  })

  test('a waiting request that yields finishes before the next request begins; other work runs between its parts, and newer requests follow', async () => {
    const { pauses, begin, end } = setUp()
    begin('w', 'w 1')
    const reported: string[] = []
    const inRounds = (name: string): Waiter => ({
      ...waiter(() => {}),
      *goOn() {
        for (const part of [1, 2, 3]) {
          reported.push(`${name}${part}`)
          setImmediate(() => reported.push('others'))
          if (name === 'a' && part === 2) pauses.wait('w', inRounds('c'))
          yield
        }
      },
    })
    pauses.wait('w', inRounds('a'))
    pauses.wait('w', inRounds('b'))
    end('w')
    await expect.poll(() => pauses.isAwaited('w')).toBe(false)
    expect(reported).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3'].flatMap((part) => [part, 'others']))
  })

  test('a request that must wait again, for the next change of a spread, stays first in the queue', async () => {
    const { pauses, begin, end } = setUp()
    begin('w', 'w 1')
    const reported: string[] = []
    pauses.wait('w', {
      ...waiter(() => {}),
      *goOn() {
        yield* []
        begin('w', 'w 2')
        pauses.wait(
          'w',
          waiter(() => reported.push('first')),
          true,
        )
      },
    })
    pauses.wait(
      'w',
      waiter(() => reported.push('second')),
    )
    end('w')
    await expect.poll(() => pauses.isPaused('w')).toBe(true)
    expect(reported).toEqual([])
    end('w')
    await expect.poll(() => reported).toEqual(['first', 'second'])
  })

  test('a change of a spread is not reported as paused while a failed append is still being sent, even if this takes long', async () => {
    let isUnsure = true
    const { pauses, begin } = setUp(() => isUnsure)
    begin('w', 'w 1')
    pauses.paused()
    await pause(0)
    expect(pauses.paused()).toEqual([])
    isUnsure = false
    expect(pauses.paused()).toEqual(['w 1'])
  })

  test('a change of a spread holds a limited number of requests and rejects more of them immediately; closing rejects all', async () => {
    const { pauses, begin } = setUp()
    begin('w', 'w 1')
    const reported: boolean[] = []
    for (let n = 0; n < 5001; n++)
      pauses.wait(
        'w',
        waiter((isOver) => reported.push(isOver)),
      )
    expect(reported).toEqual([false])
    pauses.close()
    await expect.poll(() => reported.length).toBe(5001)
    expect(reported.includes(true)).toBe(false)
    pauses.wait(
      'w',
      waiter((isOver) => reported.push(isOver)),
    )
    expect(reported).toHaveLength(5002)
  })

  describe('timeouts of a change of a spread', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    test('a request that waits for the end of a change of a spread is rejected after eight seconds', () => {
      const { pauses, begin } = setUp()
      begin('w', 'w 1')
      const reported: boolean[] = []
      pauses.wait(
        'w',
        waiter((isOver) => reported.push(isOver)),
      )
      vi.advanceTimersByTime(7900)
      expect(reported).toEqual([])
      vi.advanceTimersByTime(200)
      expect(reported).toEqual([false])
    })

    test('a change of a spread is reported as paused only ten seconds after a failed append that may still reach the log', async () => {
      const { pauses, begin } = setUp()
      begin('w', 'w 1')
      pauses.paused()
      await Promise.resolve()
      expect(pauses.paused()).toEqual(['w 1'])
      pauses.begin()(true)
      vi.advanceTimersByTime(9900)
      expect(pauses.paused()).toEqual([])
      vi.advanceTimersByTime(200)
      expect(pauses.paused()).toEqual(['w 1'])
    })
  })
})
