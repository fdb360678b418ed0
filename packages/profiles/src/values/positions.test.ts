import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { followProfilePositions, publishProfilePositions } from './positions.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const catchingUp = JSON.stringify({ catchUp: { to: { incarnation: '', offset: 9 } } })

const open = () => {
  const sent: unknown[] = []
  let hear: (message: unknown) => void = () => {}
  const positions = new Map([
    [0, 5],
    [1, 7],
  ])
  const notes = new Map<number, string>()
  const followed = followProfilePositions(
    {
      subscribe: (_, listener) => {
        hear = (message) => listener(message)
        return () => {}
      },
    },
    () => Date.now(),
  )
  const publish = (_: string, message: unknown): void => {
    sent.push(message)
    hear(message)
  }
  const stop = publishProfilePositions({ publish }, { positions: () => positions, notes: () => notes })
  return { sent, positions, notes, followed, stop }
}

test('changed positions are published at once, and all of them each second', async () => {
  const { sent, positions, followed, stop } = open()
  await vi.advanceTimersByTimeAsync(100)
  positions.set(1, 8)
  await vi.advanceTimersByTimeAsync(1000)
  stop()
  const [whole, later] = [
    [0, 5],
    [1, 8],
  ]
  expect(sent).toEqual([[whole, [1, 7]], [later], [whole, later]])
  expect([followed.next(0), followed.next(1), followed.next(2)]).toEqual([5, 8, 0])
})

test('a partition whose earlier events profiles read from the event store counts as not read', async () => {
  const { notes, followed, stop } = open()
  notes.set(1, catchingUp)
  await vi.advanceTimersByTimeAsync(100)
  expect([followed.next(0), followed.next(1)]).toEqual([5, 0])
  notes.set(1, '{}')
  await vi.advanceTimersByTimeAsync(100)
  expect(followed.next(1)).toBe(7)
  notes.set(1, catchingUp)
  await vi.advanceTimersByTimeAsync(100)
  expect(followed.next(1)).toBe(0)
  stop()
})

test('profiles are silent five seconds after their last message, or half a minute after the start', async () => {
  const { followed, stop } = open()
  stop()
  await vi.advanceTimersByTimeAsync(29_000)
  expect(followed.isSilent()).toBe(false)
  await vi.advanceTimersByTimeAsync(1000)
  expect(followed.isSilent()).toBe(true)
  const second = open()
  await vi.advanceTimersByTimeAsync(100)
  second.stop()
  await vi.advanceTimersByTimeAsync(4999)
  expect(second.followed.isSilent()).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(second.followed.isSilent()).toBe(true)
})
