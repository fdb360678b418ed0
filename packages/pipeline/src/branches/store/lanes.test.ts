import { describe, expect, it } from 'vitest'
import { Stopped } from '../../retrying.ts'
import { type Batch, batchAgain } from './buffer.ts'
import { createLanes } from './lanes.ts'

const batch = (token: string, deliveries: Promise<unknown> = Promise.resolve()): Batch =>
  batchAgain(token, [], [], deliveries)

const setUp = (insert: (batch: Batch) => Promise<void>) => {
  const told: string[] = []
  const stop = new AbortController()
  const lanes = createLanes({
    count: 2,
    signal: stop.signal,
    insert,
    committer: {
      track: ({ token }) => told.push(`track ${token}`),
      stored: (token) => told.push(`stored ${token}`),
      delivered: (token) => told.push(`delivered ${token}`),
      commit: async () => {
        told.push('commit')
      },
    },
    onFree: () => told.push(`free, ${lanes.busy} busy`),
    onFault: (error) => told.push(`fault ${error instanceof Error ? error.message : ''}`),
  })
  return { lanes, told, stop }
}

describe('lanes', () => {
  it('are as many inserts as the settings say', async () => {
    const inserts: PromiseWithResolvers<void>[] = []
    const { lanes } = setUp(() => {
      const insert = Promise.withResolvers<void>()
      inserts.push(insert)
      return insert.promise
    })
    const launched = [lanes.launch(batch('a'))]
    expect([lanes.isFree(), lanes.busy]).toEqual([true, 1])
    launched.push(lanes.launch(batch('b')))
    expect([lanes.isFree(), lanes.busy]).toEqual([false, 2])
    inserts[1]?.resolve()
    await launched[1]
    expect([lanes.isFree(), lanes.busy]).toEqual([true, 1])
    inserts[0]?.resolve()
    await launched[0]
    expect(lanes.busy).toBe(0)
  })

  it('are free when the rows are stored, and the batch is committed when it is delivered, too', async () => {
    const deliveries = Promise.withResolvers<void>()
    const { lanes, told } = setUp(async () => {})
    const launched = lanes.launch(batch('a', deliveries.promise))
    await expect.poll(() => told).toEqual(['track a', 'stored a', 'free, 0 busy'])
    deliveries.resolve()
    await launched
    expect(told.slice(3)).toEqual(['delivered a', 'commit'])
  })

  it('tell of what no retry mends, and then commit nothing', async () => {
    const { lanes, told } = setUp(() => Promise.reject(new Error('broken')))
    await lanes.launch(batch('a'))
    expect(told.filter((line) => !line.startsWith('delivered'))).toEqual(['track a', 'fault broken'])
    expect(lanes.busy).toBe(0)
    const { lanes: others, told: of } = setUp(async () => {})
    await others.launch(batch('b', Promise.reject(new Error('stale'))))
    expect(of.slice(-1)).toEqual(['fault stale'])
    expect(of).not.toContain('commit')
  })

  it('end quietly when they are stopped, store and deliveries alike', async () => {
    const deliveries = Promise.withResolvers<void>()
    const { lanes, told, stop } = setUp(() => Promise.reject(new Stopped()))
    const launched = lanes.launch(batch('a', deliveries.promise))
    deliveries.reject(new Stopped())
    stop.abort()
    await launched
    // Nobody is left to hear of it: a rejection that is not handled ends the process.
    await new Promise((resolve) => setImmediate(resolve))
    expect(told).toEqual(['track a'])
  })
})
