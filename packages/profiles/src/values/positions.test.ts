import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ChangedProfiles, createProfileChanges } from './changes.ts'
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
  /** The changes that the follower received, each with a position at that time. */
  const received: [ChangedProfiles, number][] = []
  followed.onChanged((changed) => void received.push([changed, followed.next(1)]))
  let isLost = false
  const lose = (lost: boolean): void => void (isLost = lost)
  const publish = (_: string, message: unknown): void => {
    sent.push(message)
    if (!isLost) hear(message)
  }
  const changes = createProfileChanges()
  const start = () => publishProfilePositions({ publish }, { positions: () => positions, notes: () => notes }, changes)
  return { sent, positions, notes, followed, received, lose, publish, changes, start, stop: start() }
}

/** The time for which all profiles count as changed after a start, ms. */
const beginningMs = 10_000

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
  const tail = (number: number) => ({ from: expect.any(String), number, changed: 'all' })
  expect(sent).toEqual([
    [whole, [1, 7], tail(0)],
    [later, tail(1)],
    [whole, later, tail(2)],
  ])
  expect([followed.next(0), followed.next(1), followed.next(2)]).toEqual([5, 8, 0])
})

test('changed profiles are published with the positions of their events, and received before these', async () => {
  const { positions, followed, received, changes, stop } = open()
  await vi.advanceTimersByTimeAsync(beginningMs)
  expect(new Set(received.map(([changed]) => changed))).toEqual(new Set(['all']))
  received.length = 0
  changes.note(['0198c5a2-7d1e-7000-8000-000000000001', '0198c5a2-7d1e-7000-8000-000000000001'])
  positions.set(1, 8)
  await vi.advanceTimersByTimeAsync(100)
  changes.note(['0298c5a2-7d1e-7000-8000-000000000002'])
  await vi.advanceTimersByTimeAsync(100)
  expect(received).toEqual([
    [['0198c5a2-7d1e'], 7],
    [['0298c5a2-7d1e'], 8],
  ])
  expect(followed.knownAt()).toBe(Date.now())
  await vi.advanceTimersByTimeAsync(1000)
  stop()
  expect(received).toHaveLength(2)
})

test('after a lost message, another publisher, or one of an earlier version, all profiles count as changed', async () => {
  const { received, followed, lose, changes, publish, start, stop } = open()
  await vi.advanceTimersByTimeAsync(beginningMs)
  received.length = 0
  lose(true)
  changes.note(['0198c5a2-7d1e-7000-8000-000000000001'])
  await vi.advanceTimersByTimeAsync(100)
  expect(received).toEqual([])
  lose(false)
  await vi.advanceTimersByTimeAsync(1000)
  expect([received, followed.knownAt()]).toEqual([[['all', 7]], 0])
  await vi.advanceTimersByTimeAsync(1000)
  expect(followed.knownAt()).toBeGreaterThan(0)
  stop()
  const stopNext = start()
  await vi.advanceTimersByTimeAsync(100)
  stopNext()
  expect([received.length, followed.knownAt()]).toEqual([2, 0])
  publish('', [[1, 9]])
  expect([received.length, followed.next(1), followed.knownAt()]).toEqual([3, 9, 0])
})

test('a message names 4,096 profiles at most, and of more or unknown ones it says that all changed', () => {
  const changes = createProfileChanges()
  const ids = Array.from({ length: 4097 }, (_, n) => `${String(n).padStart(8, '0')}-0000-7000-8000-000000000000`)
  changes.note(ids.slice(1))
  expect(changes.take()).toHaveLength(4096)
  changes.note(ids)
  expect(changes.take()).toBe('all')
  changes.noteAll()
  expect([changes.take(), changes.take()]).toEqual(['all', []])
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
