import { expect, it } from 'vitest'
import { openRecord } from '../log/record.ts'
import { createProfileLook, lookedTogether } from './profile-look.ts'

it.each<[readonly number[], number]>([
  [[], 0],
  [[100, 100, 1], 2],
  [[500, 1], 1],
  [[1, 500], 1],
])('of records with %j events, the first are looked up together, with 200 events at most', (eventsOf, count) => {
  expect(lookedTogether(eventsOf)).toBe(count)
})

it('failures that are far apart count as different ones: events wait again', async () => {
  let now = 0
  const profiles = { hasRead: () => true, look: () => Promise.reject(new Error('the database is away')) }
  const forgotten = { version: () => '' }
  const look = createProfileLook(
    { profiles, forgotten, clock: () => now, settings: { profileWaitMs: 30_000 } },
    () => ({
      needs: ['traits.email'],
      usesProfile: () => true,
    }),
  )
  const fails = async (time: number): Promise<boolean> => {
    now = time
    const body = Buffer.from(JSON.stringify([{ eventId: '0-1-0', userId: 'u1' }]))
    const meta = JSON.stringify({ w: 'w', s: 's', d: ['d'], n: 1 })
    const record = openRecord({ partition: 0, offset: 1, incarnation: '', time: 0, key: 'w', meta, body })
    if (record === undefined) throw new Error('no record')
    return look.look([{ record }]).then(
      () => false,
      () => true,
    )
  }
  expect(await fails(0)).toBe(true)
  expect(await fails(7_200_000)).toBe(true)
  expect(await fails(7_215_000)).toBe(true)
  expect(await fails(7_231_000)).toBe(false)
  expect(await fails(7_232_000)).toBe(false)
})
