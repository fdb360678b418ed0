import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPeer } from '@tributary/connector-kit/testing'
import { webhook } from '@tributary/destination-webhook'
import { openJournal } from '@tributary/storage'
import { createTestDatabase, createTestEventStore, type TestDatabase, type TestEventStore } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFixture, expectedIds, sortedIds } from './testing.ts'

let database: TestDatabase
let store: TestEventStore
beforeAll(async () => {
  ;[database, store] = await Promise.all([createTestDatabase(), createTestEventStore()])
})
afterAll(async () => {
  await database.close()
  await store.close()
})

test.each([
  ['of before there were incarnations', ''],
  ['of an incarnation that is gone', '0mabc12def3456'],
])('with positions %s and an empty log, everything that comes is delivered once', async (_, incarnation) => {
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
