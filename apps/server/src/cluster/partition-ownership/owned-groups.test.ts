import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@tributary/kernel'
import {
  connectionsOf,
  createMembers,
  LeaseLost,
  leaseEpoch,
  openLeases,
  openPostgresJournal,
  openRelational,
  PartitionGroupsInUse,
  settlePartitionGroups,
} from '@tributary/storage'
import { createTestDatabase, eventually, type TestDatabase } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RoleThread } from '../../threads/role-thread.ts'
import { createOwnedGroups, groupRoles, type OwnedGroups, shareOf } from './owned-groups.ts'

describe('the share of a process in the groups', () => {
  it('from any start, the shares converge to equal numbers of groups, or one more, and then no group moves', () => {
    for (const groups of [1, 2, 3, 4, 7, 16])
      for (const first of [[groups], [groups, 0], [0, 0, groups], [1, groups - 1, 0, 0], [0, 0, 0, 0, 0]]) {
        const held = new Map(first.map((count, at) => [`p${at}`, count]))
        let free = groups - first.reduce((sum, count) => sum + count, 0)
        let moves = 0
        for (let moved = true; moved && moves < 500; ) {
          moved = false
          for (const [id, count] of held) {
            const { mayTake, shouldGive } = shareOf(held, id, groups)
            const taken = Math.min(mayTake, free)
            if (taken + shouldGive === 0) continue
            held.set(id, count + taken - shouldGive)
            free += shouldGive - taken
            moves++
            moved = true
          }
        }
        const counts = [...held.values()]
        expect([free, Math.max(...counts) - Math.min(...counts) <= 1], `${groups} of ${first.join()}`).toEqual([
          0,
          true,
        ])
        expect(moves, `${groups} of ${first.join()}`).toBeLessThan(4 * groups + 4)
      }
  })

  it('no group moves if the giving process would then have too few', () => {
    expect(
      shareOf(
        new Map([
          ['a', 2],
          ['b', 1],
        ]),
        'a',
        3,
      ),
    ).toEqual({ mayTake: 0, shouldGive: 0 })
    expect(
      shareOf(
        new Map([
          ['a', 2],
          ['b', 1],
        ]),
        'b',
        3,
      ),
    ).toEqual({ mayTake: 1, shouldGive: 0 })
  })
})

describe('groups of partitions', () => {
  let store: TestDatabase
  let stack: AsyncDisposableStack
  beforeEach(async () => {
    store = await createTestDatabase()
    stack = new AsyncDisposableStack()
  })
  afterEach(async () => {
    await stack.disposeAsync()
    await store.close()
  })

  /** Returns the time at which a process last renewed its row, and the number of groups that it reported. */
  const said = async (id: string): Promise<{ held: number; seen: number }> => {
    const { rows } = await store.pool.query<{ held: number; seen: number }>(
      'select cardinality(held) as held, extract(epoch from seen_time)::float as seen from processes where id = $1',
      [id],
    )
    return rows[0] ?? { held: -1, seen: 0 }
  }

  /** A process that logs its steps; `drain` delays the end of its threads. */
  const startProcess = async (
    id: string,
    groups: number,
    {
      drain = async () => {},
      fails = () => false,
      begins = async () => {},
      check = async () => {},
      silentMs = () => 0,
      leaves = async () => {},
      onMade = () => {},
    }: {
      drain?: () => Promise<void>
      fails?: () => boolean
      begins?: (lose: (why: string) => void) => Promise<void>
      check?: (lose: (why: string) => void) => Promise<void>
      silentMs?: () => number
      leaves?: () => Promise<void>
      onMade?: (stop: () => Promise<void>) => void
    } = {},
  ) => {
    const log: string[] = []
    const running = new Map<string, (why: string) => void>()
    const leases = openLeases({ url: store.url, logger: silentLogger })
    let lose: (why: string) => void = () => {}
    const members = createMembers({
      pool: store.pool,
      id,
      host: 'here',
      version: '1',
      roles: ['pipeline'],
      ttlMs: 2000,
    })
    const owned: OwnedGroups = createOwnedGroups({
      roles: ['pipeline'],
      groups,
      id,
      leases: {
        ...leases,
        take(lease) {
          log.push(`take ${lease.name}`)
          lose = lease.onLost
          return leases.take(lease)
        },
      },
      members: {
        ...members,
        async leave() {
          await leaves()
          await members.leave()
        },
      },
      // It is also called before each check for groups.
      check: async () => (log.length === 0 ? undefined : await check(lose)),
      epochOf: (name) => leaseEpoch(store, name),
      silentMs,
      onRefused: (why) => log.push(`refused: ${why}`),
      make(_role, { group }, _tenure, onReplaced): RoleThread {
        return {
          async start() {
            log.push(`start ${group}`)
            if (fails()) throw new Error('The topic cannot be read')
            await begins(onReplaced)
            running.set(String(group), onReplaced)
          },
          running: () => true,
          wake: () => {},
          relay: async () => undefined,
          async stop(deadlineMs) {
            if (deadlineMs !== 0) await drain()
            log.push(`${deadlineMs === 0 ? 'end' : 'stop'} ${group}`)
            running.delete(String(group))
          },
        }
      },
      logger: silentLogger,
    })
    let stopped: Promise<void> | undefined
    const stop = () => (stopped ??= owned.stop().then(() => leases.close()))
    onMade(stop)
    await owned.start()
    stack.defer(stop)
    return { log, running, owned, stop, has: () => [...running.keys()].sort() }
  }

  it('groups of partitions have one owner at a time; a new process gets its share after the previous owner has drained it', async () => {
    const drained = Promise.withResolvers<void>()
    const one = await startProcess('one', 4, { drain: () => drained.promise })
    expect(one.has()).toEqual(['0', '1', '2', '3'])
    const two = await startProcess('two', 4)
    stack.defer(() => drained.resolve())
    await eventually('asked to hand over', async () => (await said('one')).held === 2)
    const { seen } = await said('two')
    await eventually('the other has looked again', async () => (await said('two')).seen > seen + 1)
    expect(two.has()).toEqual([])
    drained.resolve()
    await eventually('shared', () => two.has().length === 2)
    expect([one.has(), two.has()]).toEqual([
      ['2', '3'],
      ['0', '1'],
    ])
    const before = await two.owned.epochOf('pipeline', 3)
    await one.stop()
    await eventually('all of it', () => two.has().length === 4)
    expect(await two.owned.epochOf('pipeline', 3)).toBe(Number(before) + 1)
    await two.stop()
    expect(await two.owned.epochOf('pipeline', 3)).toBeUndefined()
    expect(two.log.filter((line) => line.startsWith('stop'))).toHaveLength(4)
  })

  it('a process that is stopped during its first check for groups does not count as one of the processes later', async () => {
    let stop = async (): Promise<void> => {}
    let stopped: Promise<void> | undefined
    await startProcess('one', 2, {
      onMade: (made) => (stop = made),
      begins: async () => {
        stopped = stop()
      },
    }).catch(() => {})
    await stopped
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(await said('one')).toEqual({ held: -1, seen: 0 })
  })

  it('groups of partitions end immediately if another process has their lease or their log, and are taken again later', async () => {
    const one = await startProcess('one', 2)
    one.running.get('1')?.('Another process has opened the log')
    await eventually('ended', () => one.log.includes('end 1'))
    expect(one.has()).toEqual(['0'])
    await eventually('taken again', () => one.has().length === 2)
    expect(one.log.filter((line) => line === 'start 1')).toHaveLength(2)
    await store.pool.query(
      `update coordination_leases set holder = 'somebody', epoch = epoch + 1, expire_time = now() + interval '1 hour' where name = 'pipeline 1/2'`,
    )
    await eventually('lost', () => one.log.includes('end 0'), 20_000)
    expect(one.has()).toEqual(['1'])
    expect([one.owned.owns('pipeline', 0), one.owned.owns('pipeline', 1)]).toEqual([false, true])
  })

  it.each(['check', 'begins'] as const)(
    'groups of partitions that are lost before they have begun are taken again: %s',
    async (when) => {
      let isFirst = true
      const one = await startProcess('one', 1, {
        async [when](lose: (why: string) => void) {
          if (!isFirst) return
          isFirst = false
          lose('PostgreSQL has not confirmed it')
          // Fails like a thread that is ended before it is ready.
          if (when === 'begins') throw new Error('ended')
        },
      })
      await eventually('taken again', () => one.log.filter((line) => line.startsWith('take')).length === 2)
      await eventually('begun', () => one.has().length === 1)
      expect(one.log.filter((line) => line === 'start 0')).toHaveLength(when === 'check' ? 1 : 2)
    },
  )

  it('groups are left to others while the log does not respond here, and taken again later; a single process keeps them', async () => {
    const silent = { one: 9000, two: 0 }
    const one = await startProcess('one', 2, { silentMs: () => silent.one })
    const two = await startProcess('two', 2, { silentMs: () => silent.two })
    await eventually('shared', () => one.has().length === 1 && two.has().length === 1)
    silent.one = 10_000
    await eventually('the other has both', () => two.has().length === 2)
    expect(one.has()).toEqual([])
    expect((await said('one')).held).toBe(-1)
    // Now the log responds to no process: the last process keeps its groups and waits for the log.
    silent.two = 10_000
    const { seen } = await said('two')
    await eventually('it has looked again', async () => (await said('two')).seen > seen + 1)
    expect(two.has()).toHaveLength(2)
    Object.assign(silent, { one: 0, two: 0 })
    await eventually('shared again', () => one.has().length === 1 && two.has().length === 1)
  })

  it('groups of partitions are left to other processes even if PostgreSQL fails at the same time as the log', async () => {
    let silent = 0
    let refusals = 0
    const leaves = async (): Promise<void> => {
      if (silent > 0 && refusals++ === 0) throw new Error('PostgreSQL does not answer')
    }
    const one = await startProcess('one', 2, { silentMs: () => silent, leaves })
    const two = await startProcess('two', 2)
    await eventually('shared', () => one.has().length === 1 && two.has().length === 1)
    silent = 10_000
    await eventually('the other has both', () => two.has().length === 2)
    expect(one.has()).toEqual([])
    expect(refusals).toBeGreaterThan(0)
  })

  it('a process that was paused beyond its leases no longer owns its groups, even before it notices the pause', async () => {
    const one = await startProcess('one', 1)
    expect(one.owned.owns('pipeline', 0)).toBe(true)
    const now = Date.now()
    vi.spyOn(Date, 'now').mockReturnValue(now + 60_000)
    try {
      expect([one.has(), one.owned.owns('pipeline', 0)]).toEqual([['0'], false])
    } finally {
      vi.restoreAllMocks()
    }
  })

  it('groups of partitions that cannot begin here are all left to others', async () => {
    let fails = false
    const one = await startProcess('one', 2, { fails: () => fails })
    fails = true
    for (const group of ['0', '1']) one.running.get(group)?.('Another process has opened the log')
    await eventually('failed', () => one.log.filter((line) => line.startsWith('end')).length >= 3)
    const two = await startProcess('two', 2)
    await eventually('taken', () => two.has().length === 2)
    expect(one.has()).toEqual([])
  })

  it('groups of partitions are not taken by a process with another number of groups, and the rejection is reported', async () => {
    let isOther = false
    const one = await startProcess('one', 2, {
      check: async () => {
        if (isOther) throw new PartitionGroupsInUse('It is 4 in the processes beside this one')
      },
    })
    isOther = true
    one.running.get('1')?.('Another process has opened the log')
    await eventually('reported', () => one.log.some((line) => line.startsWith('refused: It is 4')))
    expect(one.log.filter((line) => line.startsWith('take'))).toHaveLength(2)
  })

  it('groups that are lost while they are drained end immediately, because another process may have them', async () => {
    const drained = Promise.withResolvers<void>()
    const one = await startProcess('one', 2, { drain: () => drained.promise })
    await startProcess('two', 2)
    stack.defer(() => drained.resolve())
    await eventually('handed over', async () => (await said('one')).held === 1)
    await store.pool.query(
      `update coordination_leases set holder = 'somebody', epoch = epoch + 1 where name = 'pipeline 1/2'`,
    )
    await eventually('ended', () => one.log.includes('end 0'))
  })

  it('a new number of groups fences a paused owner of a former number, which can write nothing more', async () => {
    const settle = (groups: number) => settlePartitionGroups(store, { roles: groupRoles, groups })
    await settle(4)
    const leases = openLeases({ url: store.url, logger: silentLogger, renewMs: 3_600_000 })
    const tenure = await leases.take({ name: 'delivery 1/4', of: 'the owner', onLost: () => {} })
    if (tenure === undefined) throw new Error('Somebody else has it')
    await using pool = openRelational({
      url: store.url,
      logger: silentLogger,
      maxConnections: 1,
      ...connectionsOf(tenure),
    })
    stack.defer(() => tenure.release().then(leases.close))
    await pool.pool.query('select 1')
    await store.pool.query('update coordination_leases set expire_time = now()')
    await settle(2)
    await eventually('its connections are ended', async () => {
      const { rows } = await store.pool.query(
        `select from pg_stat_activity where application_name like 'tributary delivery%' and datname = current_database()`,
      )
      return rows.length === 0
    })
    await expect(pool.pool.query('select 1')).rejects.toThrow(LeaseLost)
    const journal = openPostgresJournal({
      url: store.url,
      consumer: 'delivery 1/4',
      lease: tenure,
      file: join(tmpdir(), `${randomUUID()}.db`),
      logger: silentLogger,
    })
    await expect(journal).rejects.toThrow(LeaseLost)
    await settle(4)
  })

  it('groups of partitions keep their number while any is processed or open, and otherwise get the configured number', async () => {
    const settle = (groups: number, isInFile = false) =>
      settlePartitionGroups(store, { roles: groupRoles, groups, isInFile: () => isInFile })
    await expect(settle(2, true)).rejects.toThrow('Start once with 1')
    await store.pool.query(`insert into journals (consumer, serial) values ('pipeline', 7), ('delivery', 3);
      insert into journal_positions values ('pipeline', 0, 10, 'a'), ('pipeline', 5, 20, 'b'), ('delivery', 5, 4, 'b');
      insert into journal_notes values ('pipeline', 5, 'here');
      insert into journal_ids values ('pipeline', 'x', 5, 3, 1, now());
      insert into coordination_leases values ('delivery', 'somebody', 1, now() + interval '1 hour')`)
    await expect(settle(2)).rejects.toThrow('Stop all processes')
    await store.pool.query(`update coordination_leases set expire_time = now()`)
    await store.pool.query(`insert into journal_ranges values ('pipeline', 't', 5, 8, 0, 20, 30, 'b')`)
    await expect(settle(2)).rejects.toThrow('start once more with 1')
    await store.pool.query('delete from journal_ranges')
    const known = async () => {
      const { rows } = await store.pool.query<{ known: string }>(
        `select p.consumer || ' ' || partition || ' ' || next || ' ' || coalesce(note, '') || ' ' || coalesce(i.record, 0) as known
         from journal_positions p left join journal_notes n using (consumer, partition)
         left join journal_ids i using (consumer, partition) order by p.consumer desc, partition`,
      )
      return rows.map(({ known: text }) => text)
    }
    const before = await known()
    await settle(2, true)
    expect(await known()).toEqual(['pipeline 2/2 5 20 here 3', 'pipeline 1/2 0 10  0', 'delivery 2/2 5 4  0'])
    const { rows } = await store.pool.query<{ serial: string }>('select serial::text from journals order by consumer')
    // The numbers are higher than those of every write with the former number of groups.
    expect(rows.map(({ serial }) => Number(serial) - 2 ** 20)).toEqual([3, 3, 7, 7])
    await settle(1)
    expect(await known()).toEqual(before)
  })
})
