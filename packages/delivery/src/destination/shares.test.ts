import { newId, silentLogger } from '@tributary/kernel'
import { groupOfPartition, partitionsOf } from '@tributary/storage'
import { createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createParking } from '../parking/parking.ts'
import type { DestinationEntry } from '../ports.ts'
import { createShares } from './shares.ts'

const groups = 4
const workspaceId = newId()
/** Partitions of the workspace, each in another group. */
const places = partitionsOf(workspaceId, groups, 64)

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

let entry: DestinationEntry
let now: number
beforeEach(() => {
  now = 0
  entry = {
    id: newId(),
    workspaceId,
    title: 'Hook',
    app: 'relay',
    enabled: true,
    spread: 4,
    widest: 4,
    settings: {},
    mappings: undefined,
    presetVersion: 2,
    consentCategories: [],
    filters: new Map(),
  }
})

/** Adds a parked row for the destination to a partition. */
const park = async (at: number, state: 'waiting' | 'dead' = 'waiting'): Promise<void> => {
  await database.db
    .insertInto('parked_deliveries')
    .values({
      id: newId(),
      workspace_id: workspaceId,
      source_id: newId(),
      destination_id: entry.id,
      log_partition: places[at] ?? -1,
      log_offset: 0,
      event_indexes: [0],
      event_ids: ['a/1'],
      event_count: 1,
      bytes: 1,
      state,
      attempts: 1,
      first_time: new Date(),
      next_time: new Date(),
    })
    .execute()
}
const sent = async (at: number): Promise<void> => {
  await database.db
    .deleteFrom('parked_deliveries')
    .where('destination_id', '=', entry.id)
    .where('log_partition', '=', places[at] ?? -1)
    .execute()
}
/** The shares of the owner of a partition. */
const ownerOf = (at: number) => {
  const owned = new Set([places[at] ?? -1])
  return createShares({
    groups,
    owned,
    parking: createParking(database.db, owned),
    destinationCache: { get: () => entry },
    clock: () => now,
    logger: silentLogger,
  })
}
type Shares = ReturnType<typeof createShares>
const amongOf = async (shares: Shares): Promise<number> => {
  shares.of(entry)
  now += 5000
  await shares.refresh()
  return shares.of(entry).among
}

describe('shared limits of a destination', () => {
  test("all former owners share a destination's limits, until none of them has waiting deliveries", async () => {
    await park(1)
    await park(2, 'dead')
    const shares = [ownerOf(0), ownerOf(1)]
    for (const each of shares) expect(each.of(entry).among).toBe(4)
    entry = { ...entry, spread: 1 }
    for (const each of shares) expect(each.of(entry).among).toBe(4)
    for (const each of shares) expect(await amongOf(each)).toBe(2)
    await sent(1)
    for (const each of shares) expect(await amongOf(each)).toBe(1)
    // A user retries a dead letter of a former owner.
    await database.db
      .updateTable('parked_deliveries')
      .set({ state: 'waiting' })
      .where('destination_id', '=', entry.id)
      .execute()
    for (const each of shares) expect(await amongOf(each)).toBe(2)
    entry = { ...entry, title: 'Other' }
    expect(shares[0]?.of(entry).among).toBe(2)
    entry = { ...entry, spread: 2 }
    expect(shares[0]?.of(entry).among).toBe(4)
    expect(shares[0] && (await amongOf(shares[0]))).toBe(3)
  })

  test("a share of a destination's limits stays the same object until it changes", async () => {
    entry = { ...entry, spread: 1 }
    await park(1)
    const shares = ownerOf(0)
    await amongOf(shares)
    const share = shares.of(entry)
    await amongOf(shares)
    expect(shares.of(entry)).toBe(share)
  })

  test('with one request at a time, the owners of a destination take turns, beginning with former owners', async () => {
    const owners = [0, 1, 2, 3].map(ownerOf)
    const turns = async (): Promise<boolean[]> => {
      now += 5000
      await Promise.all(owners.map((each) => each.refresh()))
      return owners.map((each) => each.of(entry).turn === 'mine')
    }
    expect(await turns()).toEqual([false, false, false, false])
    entry = { ...entry, spread: 1 }
    expect(owners.filter((each) => each.of(entry).turn === 'mine')).toHaveLength(1)
    await park(1)
    await park(2)
    const groupOf = (at: number): number => groupOfPartition(places[at] ?? -1, groups)
    const [first, second] = [1, 2].toSorted((one, other) => groupOf(one) - groupOf(other))
    expect(await turns()).toEqual([0, 1, 2, 3].map((at) => at === first))
    await sent(first ?? -1)
    expect(await turns()).toEqual([0, 1, 2, 3].map((at) => at === second))
    await sent(second ?? -1)
    expect((await turns())[0]).toBe(true)
  })
})
