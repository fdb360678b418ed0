import { spreadChange } from '@tributary/configuration'
import { newId, silentLogger } from '@tributary/kernel'
import { logPartitions, partitionsOf } from '@tributary/storage'
import { createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeSpread, type SpreadChangeDeps } from './change-spread.ts'
import { hasUntriedDeliveries, readOpenChange } from './spread-changes.ts'
import { askSpread, readSpreads } from './spreads.ts'

let database: TestDatabase
const organization_id = newId()
beforeAll(async () => {
  database = await createTestDatabase()
  await database.db.insertInto('organizations').values({ id: organization_id, title: 'Acme' }).execute()
})
afterAll(() => database.close())

let workspaceId: string
let stopping: AbortController
beforeEach(async () => {
  await database.db.deleteFrom('workspace_spreads').execute()
  workspaceId = newId()
  stopping = new AbortController()
  await database.db.insertInto('workspaces').values({ id: workspaceId, organization_id, title: 'Shop' }).execute()
})

const ask = (spread: number, groups = 8) => askSpread(database.db, { workspaceId, spread, groups, time: new Date() })
const rowOf = () => database.db.selectFrom('workspace_spreads').selectAll().executeTakeFirstOrThrow()
const openChange = async () => {
  const change = await readOpenChange(database.db)
  if (change === undefined) throw new Error('nothing is asked for')
  return change
}

/** Returns the dependencies of a change, and records its steps. The steps in `fails` reject. */
const steps = (more: Partial<SpreadChangeDeps> = {}) => {
  const noted: string[] = []
  const partitions = partitionsOf(workspaceId, 4, logPartitions)
  const note = async (step: string): Promise<void> => {
    const { pause_time, spread } = await rowOf()
    noted.push(`${step}${pause_time === null ? '' : ', paused'}${spread === 1 ? '' : ', spread'}`)
  }
  const deps: SpreadChangeDeps = {
    db: database.db,
    refresh: () => note('refresh'),
    paused: async () => {
      await note('paused?')
      const { pause_time } = await rowOf()
      return [[spreadChange(workspaceId, pause_time ?? new Date(0))]]
    },
    whenStored: () => note('stored'),
    storedBefore: async () => {
      await note('places')
      return '3-0000000007-a'
    },
    refill: async (_, learned) => note(learned === undefined ? 'ids of the window' : 'ids since'),
    ends: async () => Array.from({ length: logPartitions }, () => 7),
    readers: {
      delivery: async () => {
        await note('delivered?')
        return partitions.map((partition) => ({ partition, offset: 7 }))
      },
    },
    hasUntried: async () => {
      await note('untried?')
      return false
    },
    clock: Date.now,
    logger: silentLogger,
    stopping: stopping.signal,
    ...more,
  }
  return { deps, noted }
}

describe('the spread of a workspace', () => {
  test('a spread can be requested for an existing workspace, up to the number of groups, and only if it differs', async () => {
    await expect(ask(2, 1)).rejects.toThrow('Set TRIBUTARY_PARTITION_GROUPS first')
    await expect(ask(9)).rejects.toThrow('Choose at most 8')
    await expect(ask(1)).rejects.toThrow('in 1 partition already')
    for (const unknown of [newId(), 'x'])
      await expect(
        askSpread(database.db, { workspaceId: unknown, spread: 2, groups: 8, time: new Date() }),
      ).rejects.toThrow(`no workspace ${unknown}`)
    expect(await readSpreads(database.db)).toEqual([])
    await ask(4)
    await expect(ask(2)).rejects.toThrow('not done yet')
    const asked = await rowOf()
    await ask(4)
    expect(await rowOf()).toEqual(asked)
    // From now on, readers of the workspace's data read all partitions that it will use after the change.
    expect(await rowOf()).toMatchObject({ spread: 1, widest: 4, next: 4, pause_time: null })
    expect(await readSpreads(database.db)).toEqual([{ workspaceId, title: 'Shop', spread: 1, next: 4, problem: '' }])
  })

  test('a spread changes once IDs are learned; requests are paused only while accepted ones are stored and read', async () => {
    await ask(4)
    const { deps, noted } = steps()
    await changeSpread(deps, await openChange())
    expect(noted).toEqual([
      'paused?',
      'stored',
      'places',
      'delivered?',
      'ids of the window',
      'untried?',
      'refresh, paused',
      'paused?, paused',
      'stored, paused',
      'delivered?, paused',
      'ids since, paused',
      'untried?, paused',
      'paused?, paused',
      'refresh, spread',
    ])
    expect(await rowOf()).toMatchObject({ spread: 4, widest: 4, next: null, pause_time: null, problem: '' })
    await ask(2)
    await changeSpread(deps, await openChange())
    expect(await rowOf()).toMatchObject({ spread: 2, widest: 4, next: null })
  })

  test('untried deliveries are awaited before and during the pause, so that no later event of a user overtakes them', async () => {
    await ask(4)
    const left = { learning: 3, paused: 2 }
    const { deps } = steps({
      hasUntried: async () => {
        const { spread, pause_time } = await rowOf()
        expect(spread).toBe(1)
        return left[pause_time === null ? 'learning' : 'paused']-- > 0
      },
    })
    await changeSpread(deps, await openChange())
    expect(left).toEqual({ learning: -1, paused: -1 })
    expect(await rowOf()).toMatchObject({ spread: 4, next: null })
  })

  test('a destination that takes no events delays the change by 30 seconds, and does not prolong the pause', async () => {
    await ask(4)
    let now = Date.now()
    const begin = now
    const { deps, noted } = steps({
      clock: () => now,
      hasUntried: async () => {
        noted.push((await rowOf()).pause_time === null ? 'waits' : 'waits, paused')
        now += 10_000
        return true
      },
    })
    await changeSpread(deps, await openChange())
    expect(noted.filter((step) => step.startsWith('waits'))).toEqual(['waits', 'waits', 'waits'])
    expect(now - begin).toBe(30_000)
    expect(await rowOf()).toMatchObject({ spread: 4, next: null, problem: '' })
  })

  test('only live deliveries of the workspace that wait and were never tried are awaited', async () => {
    const { db } = database
    const destination = async (workspace_id: string): Promise<string> => {
      const id = newId()
      await db.insertInto('destinations').values({ id, workspace_id, title: 'Shop', app: 'webhook' }).execute()
      return id
    }
    const id = await destination(workspaceId)
    const otherWorkspace = newId()
    await db.insertInto('workspaces').values({ id: otherWorkspace, organization_id, title: 'Other' }).execute()
    const other = await destination(otherWorkspace)
    let offset = 0
    const park = (more: { destination_id?: string; attempts?: number; bulk?: boolean; state?: 'dead' } = {}) =>
      db
        .insertInto('parked_deliveries')
        .values({
          id: newId(),
          workspace_id: workspaceId,
          source_id: newId(),
          destination_id: id,
          log_partition: 3,
          log_offset: offset++,
          event_indexes: [0],
          event_count: 1,
          state: 'waiting',
          first_time: new Date(),
          next_time: new Date(),
          ...more,
        })
        .execute()
    for (const more of [{ destination_id: other }, { attempts: 1 }, { bulk: true }, { state: 'dead' as const }]) {
      await park(more)
      expect(await hasUntriedDeliveries(db, workspaceId), JSON.stringify(more)).toBe(false)
    }
    await park()
    expect(await hasUntriedDeliveries(db, workspaceId)).toBe(true)
  })

  test.each([
    ['are ever fewer', [100, 20, 4, 1], ['1', '2', '3']],
    ['come as fast as they are learned', [100, 95, 1], ['1', '2']],
    ['are few', [4, 1], ['1']],
  ])(
    'each refill learns the IDs received since the previous refill began, while new requests %s',
    async (_, seconds, places) => {
      await ask(4)
      let now = Date.now()
      const begin = now
      let asked = 0
      const stored: string[] = []
      const times: (number | undefined)[] = []
      const { deps } = steps({
        clock: () => now,
        whenStored: async () => void stored.push('stored'),
        storedBefore: async () => {
          stored.push('places')
          return String(++asked)
        },
        refill: async (_, learned) => {
          stored.push(`ids ${learned?.places ?? 'of the window'}`)
          times.push(learned && (learned.since - begin) / 1000)
          now += (seconds[times.length - 1] ?? 0) * 1000
        },
      })
      await changeSpread(deps, await openChange())
      // Positions are read before each refill begins, so that the next refill misses no request.
      const rounds = places.slice(0, -1).map((each) => ['stored', 'places', `ids ${each}`])
      const last = ['stored', `ids ${places.at(-1)}`]
      expect(stored).toEqual([['stored', 'places', 'ids of the window'], ...rounds, last].flat())
      const began = seconds.map((__, at) => seconds.slice(0, at).reduce((sum, each) => sum + each, 0))
      expect(times).toEqual([undefined, ...began.slice(0, places.length)])
    },
  )

  test.each([
    ['a process that collects is missing', { paused: async () => Promise.reject(new Error('It may still collect')) }],
    ['the event store has no ids', { refill: async () => Promise.reject(new Error('The event store is away')) }],
  ] satisfies [string, Partial<SpreadChangeDeps>][])(
    'a spread stays unchanged if %s, with the reason',
    async (_, fails) => {
      await ask(4)
      // With a clock that is ahead, the time for preparation is over at the first failure.
      const { deps } = steps({ ...fails, clock: () => Date.now() + 7 * 3_600_000 })
      await changeSpread(deps, await openChange())
      const { problem, ...row } = await rowOf()
      expect(row).toMatchObject({ spread: 1, next: null, pause_time: null })
      expect(problem).toMatch(/may still collect|is away/)
      await ask(4)
      expect(await rowOf()).toMatchObject({ next: 4, problem: '' })
    },
  )

  test('a spread change is continued by the next main process, and abandoned if there is none for a minute', async () => {
    await ask(4)
    const ending = steps({
      whenStored: async () => {
        if ((await rowOf()).pause_time !== null) {
          stopping.abort()
          stopping.signal.throwIfAborted()
        }
      },
    })
    await changeSpread(ending.deps, await openChange())
    const open = await openChange()
    expect(open.pauseTime).not.toBeNull()
    stopping = new AbortController()
    const next = steps()
    await changeSpread(next.deps, open)
    expect(next.noted).not.toContain('ids of the window, paused')
    expect(next.noted).toContain('ids since, paused')
    expect(await rowOf()).toMatchObject({ spread: 4, next: null })

    await ask(1)
    const since = new Date(Date.now() - 61_000)
    await database.db.updateTable('workspace_spreads').set({ pause_time: since }).execute()
    await changeSpread(steps().deps, await openChange())
    expect(await rowOf()).toMatchObject({ spread: 4, next: null, pause_time: null })
    expect((await rowOf()).problem).toContain('ended in the middle')
  })

  test.each([
    ['while message ids were learned', (row: { pause_time: Date | null }) => row.pause_time === null],
    ['while requests were paused', (row: { pause_time: Date | null }) => row.pause_time !== null],
  ])(
    'a main process that was away %s does not undo a change of the spread by the next process or a later request',
    async (_, isAway) => {
      await ask(4)
      let isBack = false
      const away = steps({
        whenStored: async () => {
          if (isBack || !isAway(await rowOf())) return
          isBack = true
          await changeSpread(steps().deps, await openChange())
          expect(await rowOf()).toMatchObject({ spread: 4, next: null, pause_time: null })
          await askSpread(database.db, { workspaceId, spread: 2, groups: 8, time: new Date(Date.now() + 1) })
        },
      })
      await changeSpread(away.deps, await openChange())
      expect(await rowOf()).toMatchObject({ spread: 4, next: 2, pause_time: null, problem: '' })
    },
  )
})
