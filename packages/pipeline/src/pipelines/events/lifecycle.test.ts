import { silentLogger } from '@tributary/kernel'
import { describe, expect, it } from 'vitest'
import { Stopped } from '../../retrying.ts'
import { createLifecycle, type LifecycleDeps } from './lifecycle.ts'

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'nothing')

const setUp = (more: Partial<LifecycleDeps> = {}) => {
  const reported: string[] = []
  const reading = Promise.withResolvers<void>()
  const lifecycle = createLifecycle({
    run: () => reading.promise,
    stopReading: reading.resolve,
    flush: () => reported.push('flush'),
    isIdle: () => true,
    close: ({ cause }) => reported.push(`close ${messageOf(cause)}`),
    drainMs: 10_000,
    logger: silentLogger,
    onFault: (error) => reported.push(`fault ${messageOf(error)}`),
    ...more,
  })
  return { lifecycle, reported }
}

describe('the life of a pipeline', () => {
  it('a pipeline starts only once', async () => {
    const { lifecycle } = setUp()
    expect(lifecycle.isRunning()).toBe(false)
    lifecycle.start()
    expect(lifecycle.isRunning()).toBe(true)
    expect(() => lifecycle.start()).toThrow('A pipeline starts once')
    await lifecycle.stop()
    expect(() => lifecycle.start()).toThrow('A pipeline starts once')
  })

  it('stopping a pipeline ends reading, flushes until everything is committed, and only then closes', async () => {
    let left = 3
    const { lifecycle, reported } = setUp({ isIdle: () => left-- === 0 })
    lifecycle.start()
    const stopped = lifecycle.stop()
    expect([lifecycle.isRunning(), lifecycle.signal.aborted]).toEqual([false, false])
    await stopped
    expect(reported).toEqual(['flush', 'flush', 'flush', 'close nothing'])
    expect(lifecycle.signal.aborted).toBe(true)
    await lifecycle.stop()
    expect(reported).toHaveLength(4)
  })

  it('stopping a pipeline ends after its maximum time, even with uncommitted records', async () => {
    const { lifecycle, reported } = setUp({ isIdle: () => false, drainMs: 20 })
    lifecycle.start()
    await lifecycle.stop()
    expect(reported.at(-1)).toBe('close nothing')
  })

  it('a fault ends the pipeline immediately; only the first fault is reported', async () => {
    const { lifecycle, reported } = setUp({ run: () => Promise.reject(new Error('broken')) })
    lifecycle.start()
    await expect.poll(() => reported).toEqual(['close broken', 'fault broken'])
    expect([lifecycle.isRunning(), lifecycle.signal.aborted]).toEqual([false, true])
    lifecycle.fail(new Error('another'))
    await lifecycle.stop()
    expect(reported).toHaveLength(2)
  })

  it('a fault interrupts a stop that waits for uncommitted records', async () => {
    const { lifecycle, reported } = setUp({ isIdle: () => false })
    lifecycle.start()
    const stopped = lifecycle.stop()
    lifecycle.fail(new Error('broken'))
    await stopped
    expect(reported).toContain('fault broken')
  })

  it('a stop is not reported as a fault', async () => {
    const { lifecycle, reported } = setUp({ run: () => Promise.reject(new Stopped()) })
    lifecycle.start()
    await lifecycle.stop()
    expect(reported).toEqual(['close nothing'])
  })
})
