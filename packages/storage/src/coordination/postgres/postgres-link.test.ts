import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { silentLogger } from '@tributary/kernel'
import { createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isRelationalUnavailable } from '../../relational/errors.ts'
import { coordinationConformance } from '../conformance.ts'
import { connectCoordination } from '../in-process/connection.ts'
import { type CoordinationHub, createCoordinationHub } from '../in-process/hub.ts'
import { missedTopic } from '../port.ts'
import { createSharedLedger, LeaseLost, requireLease } from './leases.ts'
import { createPartReader, partsOf } from './parts.ts'
import { openPostgresLink, type PostgresLinkOptions } from './postgres-link.ts'

const openHub = async (url: string, more: Partial<PostgresLinkOptions> = {}): Promise<CoordinationHub> =>
  createCoordinationHub({ link: await openPostgresLink({ url, logger: silentLogger, ...more }) })

/** Lets time pass by the clock of the database alone: moves expiry times back. */
const passIn =
  ({ pool }: TestDatabase) =>
  async (ms: number): Promise<void> => {
    for (const table of ['coordination_counters', 'coordination_leases'])
      await pool.query(`update ${table} set expire_time = expire_time - $1 * interval '1 millisecond'`, [ms])
  }

/** Two processes, of which one has a thread. */
coordinationConformance('PostgreSQL', async () => {
  const store = await createTestDatabase()
  const hubs = [await openHub(store.url), await openHub(store.url)] as const
  return {
    members: [hubs[0].coordination, connectCoordination(hubs[1].port()), hubs[1].coordination],
    pass: passIn(store),
    async close() {
      for (const hub of hubs) await hub.close()
      await store.close()
    },
  }
})

let store: TestDatabase
const hubs: CoordinationHub[] = []
const open = async (more: Partial<PostgresLinkOptions> = {}): Promise<CoordinationHub['coordination']> => {
  const hub = await openHub(store.url, more)
  hubs.push(hub)
  return hub.coordination
}
/** A database for each test of a group, and processes that share it. */
const withStore = (): void => {
  beforeEach(async () => {
    store = await createTestDatabase()
  })
  afterEach(async () => {
    vi.useRealTimers()
    for (const hub of hubs.splice(0)) await hub.close()
    await store.close()
  })
}

describe('leases and counters in PostgreSQL', () => {
  withStore()
  const written = async (): Promise<string[]> =>
    (await store.pool.query<{ what: string }>('select what from written order by n')).rows.map(({ what }) => what)
  /** Writes in a transaction of the tenure with this epoch, and waits for `inside` in between. */
  const write = (what: string, epoch: number | undefined, inside: () => Promise<void> = async () => {}) =>
    store.db.transaction().execute(async (tx) => {
      await requireLease(tx, 'job', epoch ?? 0)
      await inside()
      await sql`insert into written (what) values (${what})`.execute(tx)
    })
  beforeEach(() => store.pool.query('create table written (n serial, what text)'))

  it('a holder that was paused beyond its lease can write nothing once another tenure has begun', async () => {
    const [a, b] = [await open(), await open()]
    const first = await a.acquireLease('job', 'a', 1_000)
    await write('a', first)
    await passIn(store)(1_001)
    // No other tenure has begun yet.
    await write('a is late', first)
    const second = await b.acquireLease('job', 'b', 1_000)
    await expect(write('a goes on', first)).rejects.toThrow(LeaseLost)
    await write('b', second)
    await expect(write('nobody', undefined)).rejects.toThrow(LeaseLost)
    expect(await written()).toEqual(['a', 'a is late', 'b'])
  })

  it('no tenure begins while a transaction of the previous one is open', async () => {
    const [a, b] = [await open(), await open()]
    const first = await a.acquireLease('job', 'a', 1_000)
    await passIn(store)(1_001)
    let begun: Promise<number | undefined> | undefined
    let hasBegun = false
    await write('a', first, async () => {
      begun = b.acquireLease('job', 'b', 1_000).finally(() => {
        hasBegun = true
      })
      // As far as that it waits for the row.
      await expect
        .poll(async () => (await store.pool.query('select 1 from pg_locks where not granted')).rowCount)
        .toBeGreaterThan(0)
      expect(hasBegun).toBe(false)
    })
    expect(await begun).toBe((first ?? 0) + 1)
    await expect(write('a goes on', first)).rejects.toThrow(LeaseLost)
    expect(await written()).toEqual(['a'])
  })

  it.each([-600_000, 600_000])(
    "leases and counters last as long as the database's clock says, even if a clock is %d ms off",
    async (off) => {
      const [a, b] = [await open(), await open()]
      const epoch = await a.acquireLease('job', 'a', 60_000)
      expect(await a.increment('n', 1, 60_000)).toBe(1)
      vi.useFakeTimers({ now: Date.now() + off, toFake: ['Date'] })
      expect(await b.acquireLease('job', 'b', 60_000)).toBeUndefined()
      expect(await a.acquireLease('job', 'a', 60_000)).toBe(epoch)
      expect(await b.increment('n', 1, 60_000)).toBe(2)
      await passIn(store)(60_001)
      expect(await b.acquireLease('job', 'b', 60_000)).toBe((epoch ?? 0) + 1)
      expect(await b.increment('n', 1, 60_000)).toBe(1)
    },
  )

  it('counters have no address in the database, and are removed when they expire, unlike leases', async () => {
    const ledger = createSharedLedger(store.pool)
    await ledger.increment('sign-in:ada@example.com', 1, 1_000)
    await ledger.increment('sign-in:bob@example.com', 1, 60_000)
    await ledger.acquireLease('job', 'a', 1_000)
    const counters = async () => (await store.pool.query('select * from coordination_counters')).rows
    expect(JSON.stringify(await counters())).not.toMatch(/ada|bob/)
    await passIn(store)(1_001)
    await ledger.sweep()
    expect(await counters()).toHaveLength(1)
    expect(await ledger.increment('sign-in:bob@example.com', 1, 60_000)).toBe(2)
    expect(await ledger.acquireLease('job', 'b', 1_000)).toBe(2)
  })
})

describe('messages over PostgreSQL', () => {
  withStore()
  const heardBy = (member: CoordinationHub['coordination'], topic: string): unknown[] => {
    const heard: unknown[] = []
    member.subscribe(topic, (message) => heard.push(message))
    return heard
  }

  it('messages of every size and with all characters arrive completely up to a million, and longer ones not at all', async () => {
    const [a, b] = [await open(), await open()]
    const heard = heardBy(b, 'topic')
    const long = `${'ü'.repeat(6_999)}😀"\\\n\u2028`.repeat(10)
    a.publish('topic', 'x'.repeat(1024 * 1024))
    a.publish('topic', { long })
    a.publish('topic', '\ud800')
    a.publish('topic', null)
    await expect.poll(() => heard.length).toBe(3)
    expect(heard).toEqual([{ long }, '\ud800', null])
  })

  it('messages are delivered within the process while PostgreSQL is unavailable, and calls report this', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const listening = server.address()
    const port = typeof listening === 'object' && listening !== null ? listening.port : 0
    server.close()
    await once(server, 'close')
    const hub = await openHub(`postgres://u:p@127.0.0.1:${port}/db`)
    hubs.push(hub)
    const heard = heardBy(hub.coordination, 'topic')
    hub.coordination.publish('topic', 1)
    await expect.poll(() => heard).toEqual([1])
    for (const call of [hub.coordination.increment('n', 1, 1_000), hub.coordination.acquireLease('job', 'a', 1_000)])
      expect(isRelationalUnavailable(await call.catch((error: unknown) => error))).toBe(true)
  })

  it('transient messages are sent only while another process is present, and all others always', async () => {
    const client = await store.pool.connect()
    const said: string[] = []
    client.on('notification', ({ payload = '' }) => said.push(payload.split(' ').slice(4).join(' ')))
    await client.query('listen tributary_coordination')
    const a = await open({ isPassing: (topic) => topic === 'passing' })
    a.publish('passing', 1)
    a.publish('kept', 2)
    await expect.poll(() => said.filter((each) => !each.startsWith('beat'))).toEqual(['kept 2'])
    const b = await open()
    const heard = heardBy(b, 'passing')
    await expect
      .poll(() => {
        a.publish('passing', 3)
        return heard.length
      })
      .toBeGreaterThan(0)
    client.release(true)
  })

  it('messages continue after connections were cut, and subscribers that may have missed some are notified', async () => {
    const [a, b] = [await open({ beatMs: 500 }), await open({ beatMs: 500 })]
    const [missed, heard] = [heardBy(b, missedTopic), heardBy(b, 'topic')]
    await store.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tributary coordination'",
    )
    await expect.poll(() => missed.length).toBeGreaterThan(0)
    // On a busy machine, a process can miss messages again.
    await expect
      .poll(() => {
        a.publish('topic', 'after')
        return heard
      })
      .toContain('after')
    expect(await a.increment('n', 1, 60_000)).toBeGreaterThan(0)
    expect(await b.acquireLease('job', 'b', 60_000)).toBe(1)
  })

  it('messages continue after the network lost the connections without notice', async () => {
    const address = new URL(store.url.replace('@/', '@placeholder/'))
    const silent = new Set<Socket>()
    const clients = new Set<Socket>()
    const proxy = createServer((client) => {
      const server = connect(`${address.searchParams.get('host')}/.s.PGSQL.5432`)
      clients.add(client)
      for (const socket of [client, server]) socket.on('error', () => {})
      client.on('data', (chunk) => void (silent.has(client) || server.write(chunk)))
      server.on('data', (chunk) => void (silent.has(client) || client.write(chunk)))
      client.on('close', () => server.destroy())
      server.on('close', () => client.destroy())
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const listening = proxy.address()
    const port = typeof listening === 'object' && listening !== null ? listening.port : 0
    const url = `postgres://tributary:unused@127.0.0.1:${port}${address.pathname}`
    const hub = await openHub(url, { beatMs: 50, statementMs: 100 })
    hubs.push(hub)
    const [missed, heard] = [heardBy(hub.coordination, missedTopic), heardBy(hub.coordination, 'topic')]
    const other = await open()
    for (const client of clients) silent.add(client)
    await expect.poll(() => missed.length).toBeGreaterThan(0)
    other.publish('topic', 'heard again')
    await expect.poll(() => heard).toEqual(['heard again'])
    proxy.close()
  })
})

describe('parts of messages', () => {
  const read = (...payloads: string[]): string[] => {
    const heard: string[] = []
    const reader = createPartReader((origin, topic, text) => heard.push(`${origin} ${topic} ${text}`))
    for (const payload of payloads) reader.read(payload)
    return heard
  }
  const long = `"${'x'.repeat(20_000)}"`

  it('parts of messages fit into a notification and are joined, also if parts of several origins are mixed', () => {
    const [one, two] = [partsOf('a', 0, 't', long), partsOf('b', 7, 't', long)]
    expect([one.length, Math.max(...one.map((part) => Buffer.byteLength(part))) < 8000]).toEqual([3, true])
    expect(read(...one.flatMap((part, at) => [part, two[at] ?? '']))).toEqual([`a t ${long}`, `b t ${long}`])
  })

  it('repeated parts are delivered once, and a message whose beginning is missing is dropped', () => {
    const [first, second] = [partsOf('a', 0, 't', long), partsOf('a', 1, 't', '2')]
    expect(read(...first, ...second, ...first, ...second)).toEqual([`a t ${long}`, 'a t 2'])
    expect(read(...first.slice(1), ...second)).toEqual(['a t 2'])
    expect(read(first[0] ?? '', first[2] ?? '', ...second)).toEqual(['a t 2'])
    expect(read('nonsense', '', ...second)).toEqual(['a t 2'])
  })
})
