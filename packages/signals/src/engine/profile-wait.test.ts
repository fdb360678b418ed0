import { expect, it } from 'vitest'
import { type ProfileWaitDeps, untilRead } from './profile-wait.ts'

const start = Date.UTC(2026, 10, 29)
const timeOf = (seconds: number): string => new Date(start + seconds * 1000).toISOString()

/** Waits with a clock that goes on by a second at each look. Resolves to the answer and the seconds. */
const waited = async (receivedAt: readonly string[], more: Partial<ProfileWaitDeps> = {}) => {
  let now = start
  const profiles = {
    look: async () => [],
    hasRead: () => {
      now += 1000
      return false
    },
  }
  const deps = { profiles, profileWaitMs: 5000, clock: () => now, ...more }
  const answer = await untilRead(deps, receivedAt, { partition: 0, offset: 1 }, new AbortController().signal)
  return { answer, seconds: (now - start) / 1000 }
}

it.each<[string, string[], number]>([
  ['received now', [timeOf(0)], 5],
  ['of which the oldest counts', [timeOf(-3), timeOf(0)], 2],
  ['of a clock that is ahead', [timeOf(3600)], 5],
  ['without a time', ['x'], 1],
])('a batch of events %s waits for a limited time', async (_, receivedAt, seconds) => {
  expect(await waited(receivedAt)).toEqual({ answer: false, seconds })
})

it('no batch waits for profiles that are silent, or without profiles', async () => {
  expect(await waited([timeOf(0)], { areProfilesSilent: () => true })).toEqual({ answer: false, seconds: 1 })
  expect(await waited([timeOf(0)], { profiles: undefined })).toEqual({ answer: true, seconds: 0 })
})

it('a wait ends with an error when it is stopped', async () => {
  const stopping = new AbortController()
  const profiles = { look: async () => [], hasRead: () => false }
  const deps = { profiles, profileWaitMs: 60_000, clock: () => start }
  const wait = untilRead(deps, [timeOf(0)], { partition: 0, offset: 1 }, stopping.signal)
  stopping.abort()
  await expect(wait).rejects.toThrow('aborted')
})
