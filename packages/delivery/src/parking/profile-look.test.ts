import { expect, it } from 'vitest'
import { type DeliveryRecord, openRecord } from '../log/record.ts'
import type { ParkedRow } from './parked-row.ts'
import { createProfileLook, lookedTogether } from './profile-look.ts'

it.each<[readonly number[], number]>([
  [[], 0],
  [[100, 100, 1], 2],
  [[500, 1], 1],
  [[1, 500], 1],
])('of records with %j events, the first are looked up together, with 200 events at most', (eventsOf, count) => {
  expect(lookedTogether(eventsOf)).toBe(count)
})

const recordOfUser = (): DeliveryRecord => {
  const body = Buffer.from(JSON.stringify([{ eventId: '0-1-0', userId: 'u1' }]))
  const meta = JSON.stringify({ w: 'w', s: 's', d: ['d'], n: 1 })
  const record = openRecord({ partition: 0, offset: 1, incarnation: '', time: 0, key: 'w', meta, body })
  if (record === undefined) throw new Error('no record')
  return record
}

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
    return look.look([{ record: recordOfUser() }]).then(
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

const needs = ['traits.email', 'consent']
const latest = { json: '{"traits":{"email":"new"}}', lacks: '', consent: { time: 't', granted: ['ads'] } }
const noted = async (hasRead: boolean, row?: Partial<ParkedRow>) => {
  const profiles = { hasRead: () => hasRead, look: async () => [latest] }
  const settings = { profileWaitMs: 0 }
  const deps = { profiles, forgotten: { version: () => '' }, clock: () => 1, settings }
  const record = recordOfUser()
  await createProfileLook(deps, () => ({ needs, usesProfile: () => true })).look([{ record, row: row as ParkedRow }])
  return record.profiles?.get(0)
}

it('the consent of a profile that is behind is out of date', async () => {
  expect(await noted(true)).toEqual({ ...latest, needs, version: '' })
  const consent = { ...latest.consent, isOutOfDate: true }
  expect(await noted(false)).toEqual({ json: latest.json, lacks: 'profiles were behind', consent, needs, version: '' })
})

it('a retry keeps the first values if only the destination now requires consent', async () => {
  const first = { json: '{"traits":{"email":"old"}}', lacks: '', needs: ['traits.email'], version: '' }
  const row = (kept: typeof first) => ({ indexes: [0], profiles: { '0-1-0': kept } })
  expect(await noted(true, row(first))).toEqual({ ...first, consent: latest.consent, needs })
  expect(await noted(true, row({ ...first, needs: ['traits.name'] }))).toEqual({ ...latest, needs, version: '' })
})
