import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createReadAway } from './read-away.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const piece = Buffer.alloc(1000)
/** Returns a body of `pieces` pieces, all of which the sender could send immediately. */
const bodyOf = (pieces: number): IncomingMessage =>
  Readable.from(
    Array.from({ length: pieces }, () => piece),
    { highWaterMark: 2 },
  ) as unknown as IncomingMessage
const rounds = () => new Promise((resolve) => setTimeout(resolve, 20))

test('at most three pieces of discarded bodies are read in each period, in turns, however many bodies arrive', async () => {
  const readAway = createReadAway({ everyMs: 10, pieces: 3, bodies: 10 })
  const read = Array.from({ length: 5 }, () => 0)
  for (const index of read.keys())
    readAway.add(bodyOf(4), () => {
      read[index] = (read[index] ?? 0) + 1
    })
  const sum = (): number => read.reduce((all, count) => all + count, 0)
  await rounds()
  expect(sum()).toBe(0)
  for (const wanted of [3, 6, 9]) {
    vi.advanceTimersByTime(10)
    await rounds()
    expect(sum()).toBe(wanted)
  }
  expect(Math.max(...read) - Math.min(...read)).toBeLessThanOrEqual(1)
})

test('a discarded body is read to its end, and then no timer is left', async () => {
  const readAway = createReadAway({ everyMs: 10, pieces: 3, bodies: 10 })
  const body = bodyOf(5)
  const ended = new Promise((resolve) => body.once('end', resolve))
  let bytes = 0
  readAway.add(body, (count) => {
    bytes += count
  })
  for (let turn = 0; turn < 8; turn++) {
    vi.advanceTimersByTime(10)
    await rounds()
  }
  await ended
  expect(bytes).toBe(5000)
  expect(readAway.waiting()).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
})

test('only a limited number of bodies are discarded at once, and a finished one makes room', async () => {
  const readAway = createReadAway({ everyMs: 10, pieces: 3, bodies: 2 })
  const ignore = (): void => {}
  const first = bodyOf(1)
  expect([readAway.add(first, ignore), readAway.add(bodyOf(1), ignore), readAway.add(bodyOf(1), ignore)]).toEqual([
    true,
    true,
    false,
  ])
  first.destroy()
  await rounds()
  expect(readAway.add(bodyOf(1), ignore)).toBe(true)
})
