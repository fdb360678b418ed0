import { silentLogger } from '@tributary/kernel'
import { describe, expect, it } from 'vitest'
import { Stopped } from '../../retrying.ts'
import { createLifecycle, type LifecycleDeps } from './lifecycle.ts'

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'nothing')

const setUp = (more: Partial<LifecycleDeps> = {}) => {
  const told: string[] = []
  const reading = Promise.withResolvers<void>()
  const lifecycle = createLifecycle({
    run: () => reading.promise,
    stopReading: reading.resolve,
    flush: () => told.push('flush'),
    isIdle: () => true,
    close: ({ cause }) => told.push(`close ${messageOf(cause)}`),
    drainMs: 10_000,
    logger: silentLogger,
    onFault: (error) => told.push(`fault ${messageOf(error)}`),
    ...more,
  })
  return { lifecycle, told }
}

describe('the life of a pipeline', () => {
  it('starts once', async () => {
    const { lifecycle } = setUp()
    expect(lifecycle.isRunning()).toBe(false)
    lifecycle.start()
    expect(lifecycle.isRunning()).toBe(true)
    expect(() => lifecycle.start()).toThrow('A pipeline starts once')
    await lifecycle.stop()
    expect(() => lifecycle.start()).toThrow('A pipeline starts once')
  })

  it('a stop reads no more, flushes until nothing is uncommitted, and only then ends', async () => {
    let left = 3
    const { lifecycle, told } = setUp({ isIdle: () => left-- === 0 })
    lifecycle.start()
    const stopped = lifecycle.stop()
    expect([lifecycle.isRunning(), lifecycle.signal.aborted]).toEqual([false, false])
    await stopped
    expect(told).toEqual(['flush', 'flush', 'flush', 'close nothing'])
    expect(lifecycle.signal.aborted).toBe(true)
    await lifecycle.stop()
    expect(told).toHaveLength(4)
  })

  it('a stop ends in its time, whatever is uncommitted', async () => {
    const { lifecycle, told } = setUp({ isIdle: () => false, drainMs: 20 })
    lifecycle.start()
    await lifecycle.stop()
    expect(told.at(-1)).toBe('close nothing')
  })

  it('a fault ends it at once, is told of once, and no other after it', async () => {
    const { lifecycle, told } = setUp({ run: () => Promise.reject(new Error('broken')) })
    lifecycle.start()
    await expect.poll(() => told).toEqual(['close broken', 'fault broken'])
    expect([lifecycle.isRunning(), lifecycle.signal.aborted]).toEqual([false, true])
    lifecycle.fail(new Error('another'))
    await lifecycle.stop()
    expect(told).toHaveLength(2)
  })

  it('a fault breaks off a stop that waits for what is uncommitted', async () => {
    const { lifecycle, told } = setUp({ isIdle: () => false })
    lifecycle.start()
    const stopped = lifecycle.stop()
    lifecycle.fail(new Error('broken'))
    await stopped
    expect(told).toContain('fault broken')
  })

  it('to be stopped is no fault', async () => {
    const { lifecycle, told } = setUp({ run: () => Promise.reject(new Stopped()) })
    lifecycle.start()
    await lifecycle.stop()
    expect(told).toEqual(['close nothing'])
  })
})
