import { join } from 'node:path'
import { startPeer } from '@tributary/connector-kit/testing'
import { journalFilePlaces, openJournal, resetJournalFile } from '@tributary/storage'
import { createTestStores, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFixture, expectedIds, type Fixture, messageIds, sortedIds } from '../testing.ts'
import { relay } from '../testing-connector.ts'
import { sentAgainBefore, sentAgainNote } from './partitions.ts'

const { database, store } = await createTestStores()
let fixture: Fixture
let peer: Awaited<ReturnType<typeof startPeer>>
let deletedUntil = 0

beforeEach(async () => {
  deletedUntil = 0
  peer = await startPeer(() => ({ status: 200 }))
  const forgotten = { until: () => deletedUntil, version: () => `${deletedUntil}`, isOf: () => deletedUntil > 0 }
  fixture = await createFixture({ db: database.db, eventStore: store, connector: relay, forgotten })
})
afterEach(async () => {
  await fixture.close()
  await peer.close()
  await database.db.deleteFrom('parked_deliveries').execute()
  await store.command('truncate table deliveries')
})

const journalFile = (): string => join(fixture.folder, 'journal.db')
/** Resets the positions like the command does, while nothing is in flight. */
const setBack = async (): Promise<void> => {
  await fixture.delivery.idle()
  const places = journalFilePlaces(journalFile()) ?? []
  resetJournalFile(
    journalFile(),
    places.map(({ partition, offset }) => ({
      partition,
      offset: 0,
      incarnation: undefined,
      note: sentAgainNote(offset),
    })),
  )
}

it('delivered events are sent again after a reset of the position, and later events once', async () => {
  const id = fixture.destination({ url: peer.url })
  await fixture.append([id], 20)
  await setBack()
  await fixture.append([id], 10)
  await fixture.restart()
  await eventually('all of it', () => messageIds(peer).length === 50)
  await fixture.delivery.idle()
  expect(sortedIds(peer)).toEqual([...expectedIds(0, 20).flatMap((each) => [each, each]), ...expectedIds(20, 30)])
  // After another restart, the events are not sent a third time.
  await fixture.restart()
  await fixture.delivery.idle()
  expect(messageIds(peer)).toHaveLength(50)
})

it('after a reset, events of audiences and syncs are not sent again, but their later events are sent', async () => {
  const id = fixture.destination({ url: peer.url })
  const change = (key: string) => fixture.append([id], 1, 1, { b: { k: 'audience', n: 'audience c-1', e: [key] } })
  await change('p-1')
  await fixture.append([id], 1)
  await change('p-1')
  await setBack()
  await change('p-1')
  await fixture.restart()
  await eventually('what is new', () => messageIds(peer).includes('m-3'))
  await fixture.delivery.idle()
  expect(sortedIds(peer)).toEqual(['m-0', 'm-1', 'm-1', 'm-2', 'm-3'])
})

it('after a reset, held events are sent once', async () => {
  const id = fixture.destination({ url: peer.url }, { enabled: false })
  await fixture.append([id], 30)
  await setBack()
  await fixture.restart()
  await fixture.delivery.idle()
  fixture.change(id, { enabled: true })
  await eventually('all of it', () => messageIds(peer).length >= 30)
  await fixture.delivery.idle()
  expect(sortedIds(peer)).toEqual(expectedIds(0, 30))
})

it('after a reset, events of users who were deleted since are not sent', async () => {
  const id = fixture.destination({ url: peer.url })
  await fixture.append([id], 5)
  await setBack()
  deletedUntil = Date.now()
  await fixture.restart()
  await fixture.delivery.idle()
  expect(messageIds(peer)).toHaveLength(5)
  const attempts = await fixture.attempts()
  expect(attempts.filter(({ status }) => status === 'filtered')).toHaveLength(5)
})

it('a reset note of another log does not apply to this log', async () => {
  const id = fixture.destination({ url: peer.url })
  await fixture.append([id], 1, 1, { b: { k: 'audience', n: 'audience c-1', e: ['p-1'] } })
  await fixture.delivery.idle()
  const places = journalFilePlaces(journalFile()) ?? []
  // The offsets are far beyond the end of this log, both in the note and as the position.
  const far = places.map(({ partition }) => ({
    partition,
    offset: 500,
    incarnation: 'another',
    note: sentAgainNote(500),
  }))
  resetJournalFile(journalFile(), far)
  await fixture.restart()
  await eventually('all of this log', () => messageIds(peer).length === 2)
  await fixture.delivery.idle()
  const journal = openJournal({ file: journalFile(), filterBytes: 1024 * 1024 })
  expect([...journal.notes().values()].filter((note) => note !== '')).toEqual([])
  journal.close()
})

it('after two resets, the note has the higher of the two positions', () => {
  const once = sentAgainNote(1000)('')
  expect([once, sentAgainNote(400)(once), sentAgainNote(1500)(once)].map(sentAgainBefore)).toEqual([1000, 1000, 1500])
})
