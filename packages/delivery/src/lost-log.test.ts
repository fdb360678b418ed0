import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPeer } from '@tributary/connector-kit/testing'
import { webhook } from '@tributary/connectors/destinations/webhook'
import { newId } from '@tributary/kernel'
import { openJournal, partitionOf } from '@tributary/storage'
import { createTestStores, eventually } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { createFixture, expectedIds, sortedIds } from './testing.ts'

const { database, store } = await createTestStores()

test.each([
  ['of before there were incarnations', ''],
  ['of an incarnation that is gone', '0mabc12def3456'],
])('with positions %s and an empty log, every new event is delivered once', async (_, incarnation) => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-lost-'))
  const journal = openJournal({ file: join(folder, 'journal.db') })
  const partitions = [0, 1, 2, 3]
  journal.saw(partitions.map((partition) => ({ partition, offset: 499, incarnation })))
  journal.commit(new Map(partitions.map((partition) => [partition, 500])))
  journal.close()
  await using stack = new AsyncDisposableStack()
  const peer = await startPeer(() => ({ status: 200 }))
  stack.defer(() => peer.close())
  const fixture = await createFixture({ folder, db: database.db, eventStore: store, connector: webhook })
  stack.defer(() => fixture.close())
  await fixture.append([fixture.destination({ url: peer.url })], 20)
  await fixture.delivery.idle()
  expect(sortedIds(peer)).toEqual(expectedIds(0, 20))
})

test('held and parked events of a lost log are dead, and new events at the same offsets are delivered once', async () => {
  const workspaceId = newId()
  const stores = { db: database.db, eventStore: store, connector: webhook, workspaceId }
  await using stack = new AsyncDisposableStack()
  let status = 503
  const peer = await startPeer(() => ({ status }))
  stack.defer(() => peer.close())
  const before = await createFixture(stores)
  const [paused, failing] = [
    before.destination({ url: peer.url }, { enabled: false }),
    before.destination({ url: peer.url }),
  ]
  const { entries, attempts } = before
  await before.append([paused, failing], 20)
  const rows = (state: 'waiting' | 'dead') =>
    database.db
      .selectFrom('parked_deliveries')
      .select(['destination_id', 'event_count', 'last_reason', 'log_end'])
      .where('workspace_id', '=', workspaceId)
      .where('state', '=', state)
      .execute()
  const eventsOf = (found: Awaited<ReturnType<typeof rows>>, id: string): number =>
    found.filter((row) => row.destination_id === id).reduce((sum, row) => sum + row.event_count, 0)
  await eventually('all of it is referred to', async () => {
    const found = await rows('waiting')
    return eventsOf(found, paused) === 20 && eventsOf(found, failing) === 20
  })
  await before.close()
  expect((await rows('waiting')).some(({ log_end }) => log_end !== null)).toBe(true)

  const folder = mkdtempSync(join(tmpdir(), 'tributary-lost-'))
  const journal = openJournal({ file: join(folder, 'journal.db') })
  const partition = partitionOf(workspaceId, 4)
  journal.saw([{ partition, offset: 19, incarnation: '0mabc12def3456' }])
  journal.commit(new Map([[partition, 20]]))
  journal.close()
  status = 200
  const after = await createFixture({ ...stores, folder, start: false })
  stack.defer(() => after.close())
  for (const [id, entry] of entries) after.entries.set(id, { ...entry, enabled: true })
  await after.append([paused, failing], 20, 1, {}, (number) => ({
    eventId: `0-${number}-0-later`,
    messageId: `later-${number}`,
  }))
  await after.delivery.start()
  await after.delivery.idle()
  await eventually('everything held and parked is dead', async () => (await rows('waiting')).length === 0)
  const dead = await rows('dead')
  expect([eventsOf(dead, paused), eventsOf(dead, failing)]).toEqual([20, 20])
  expect(new Set(dead.map(({ last_reason }) => last_reason))).toEqual(new Set(['No longer in the log']))
  const delivered = (await attempts()).filter(({ status }) => status === 'delivered')
  for (const id of [paused, failing])
    expect(
      delivered
        .filter(({ destination_id }) => destination_id === id)
        .map(({ message_id }) => message_id)
        .toSorted(),
    ).toEqual(Array.from({ length: 20 }, (_, number) => `later-${number}`).toSorted())
})
