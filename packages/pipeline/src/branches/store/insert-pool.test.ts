import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Stopped } from '../../retrying.ts'
import { batchAgain } from '../store.ts'
import type { Batch } from './insert.ts'
import { createInsertPool } from './insert.ts'

const batch = (token: string, deliveries: Promise<unknown> = Promise.resolve()): Batch =>
  batchAgain(token, [], [], deliveries)

const setUp = (insert: (batch: Batch) => Promise<void>) => {
  const reported: string[] = []
  const stop = new AbortController()
  const insertPool = createInsertPool({
    count: 2,
    signal: stop.signal,
    insert,
    committer: {
      track: ({ token }) => reported.push(`track ${token}`),
      stored: (token) => reported.push(`stored ${token}`),
      delivered: (token) => reported.push(`delivered ${token}`),
      commit: async () => {
        reported.push('commit')
      },
    },
    onFree: () => reported.push(`free, ${insertPool.busy} busy`),
    onFault: (error) => reported.push(`fault ${error instanceof Error ? error.message : ''}`),
  })
  return { insertPool, reported, stop }
}

describe('the insert pool', () => {
  it('the insert pool runs as many inserts as the settings allow', async () => {
    const inserts: PromiseWithResolvers<void>[] = []
    const { insertPool } = setUp(() => {
      const insert = Promise.withResolvers<void>()
      inserts.push(insert)
      return insert.promise
    })
    const launched = [insertPool.launch(batch('a'))]
    expect([insertPool.isFree(), insertPool.busy]).toEqual([true, 1])
    launched.push(insertPool.launch(batch('b')))
    expect([insertPool.isFree(), insertPool.busy]).toEqual([false, 2])
    inserts[1]?.resolve()
    await launched[1]
    expect([insertPool.isFree(), insertPool.busy]).toEqual([true, 1])
    inserts[0]?.resolve()
    await launched[0]
    expect(insertPool.busy).toBe(0)
  })

  it('an insert slot is free when the rows are stored; the batch is committed when it is also delivered', async () => {
    const deliveries = Promise.withResolvers<void>()
    const { insertPool, reported } = setUp(async () => {})
    const launched = insertPool.launch(batch('a', deliveries.promise))
    await expect.poll(() => reported).toEqual(['track a', 'stored a', 'free, 0 busy'])
    deliveries.resolve()
    await launched
    expect(reported.slice(3)).toEqual(['delivered a', 'commit'])
  })

  it('the insert pool reports an error that no retry fixes, and commits nothing after it', async () => {
    const { insertPool, reported } = setUp(() => Promise.reject(new Error('broken')))
    await insertPool.launch(batch('a'))
    expect(reported.filter((line) => !line.startsWith('delivered'))).toEqual(['track a', 'fault broken'])
    expect(insertPool.busy).toBe(0)
    const { insertPool: others, reported: of } = setUp(async () => {})
    await others.launch(batch('b', Promise.reject(new Error('stale'))))
    expect(of.slice(-1)).toEqual(['fault stale'])
    expect(of).not.toContain('commit')
  })

  it('the insert pool reports no error if inserts or deliveries end because of a stop', async () => {
    const deliveries = Promise.withResolvers<void>()
    const { insertPool, reported, stop } = setUp(() => Promise.reject(new Stopped()))
    const launched = insertPool.launch(batch('a', deliveries.promise))
    deliveries.reject(new Stopped())
    stop.abort()
    await launched
    // No caller is left to handle a rejection, and an unhandled one ends the process.
    await nextTurn()
    expect(reported).toEqual(['track a'])
  })
})
