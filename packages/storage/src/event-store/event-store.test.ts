import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { silentLogger } from '@tributary/kernel'
import { becomeEarlierEventStore, createTestEventStore, ownQueries, type TestEventStore } from '@tributary/test-kit'
import { describe, expect, inject, it } from 'vitest'
import { type ClickHouseOptions, createClickHouseEventStore } from './clickhouse.ts'
import { eventStoreConformance } from './conformance.ts'
import {
  type EventStoreMigration,
  EventStoreNotReady,
  EventStoreTooNew,
  eventStoreMigrations,
  migrateEventStore,
  requireEventStore,
  requireEventStoreMigratable,
} from './migrate.ts'
import { systemOwner } from './port.ts'

eventStoreConformance('embedded', () => createTestEventStore())

const remote = process.env['CLICKHOUSE_URL']
if (remote !== undefined && remote !== '') eventStoreConformance('CLICKHOUSE_URL', () => createTestEventStore(remote))

/** All tables as the engine shows them, without the name of the database. */
const tablesOf = async (store: TestEventStore): Promise<Record<string, string>> => {
  const rows = await store.query<{ name: string }>(
    'select name from system.tables where database = currentDatabase() order by name',
  )
  const shown = await Promise.all(
    rows.map(async ({ name }) => {
      const [row] = await store.query<{ statement: string }>(`show create table ${name}`)
      return [name, row?.statement.replace(`CREATE TABLE ${store.database}.`, 'CREATE TABLE ') ?? ''] as const
    }),
  )
  return Object.fromEntries(shown)
}

describe('the baseline of the event store', () => {
  const versions = (store: TestEventStore) =>
    store.query<{ version: number; oldest: number }>('select version, oldest from schema_versions order by version')
  const commit = 'version 0.1 of commit 8f80beb3'

  it('the baseline of the event store creates the schema of the release: any change needs a new version', async () => {
    await using store = await createTestEventStore()
    for (const name of Object.keys(await tablesOf(store))) await store.command(`drop table ${name} sync`)
    await migrateEventStore(store, { migrations: eventStoreMigrations.slice(0, 1) })
    const shown = Object.values(await tablesOf(store)).join('\n\n')
    await expect(`${shown}\n`).toMatchFileSnapshot('baseline.tables.sql')
    expect(await versions(store)).toEqual([{ version: 17, oldest: 17 }])
  })

  it('the baseline brings an event store of the last commit of version 0.1 to the same schema, and keeps its rows', async () => {
    await using store = await createTestEventStore()
    const made = await tablesOf(store)
    await store.insert('events', '{"event_id":"1"}', { token: 'a' })
    await becomeEarlierEventStore(store)
    const earlier = Object.values(await tablesOf(store)).join('\n\n')
    await expect(`${earlier}\n`).toMatchFileSnapshot('earlier.tables.sql')
    await Promise.all([migrateEventStore(store), migrateEventStore(store)])
    expect(await tablesOf(store)).toEqual(made)
    expect(await store.query('select event_id, imported from events')).toEqual([{ event_id: '1', imported: false }])
    expect((await versions(store)).filter(({ version }) => version === 17)).toEqual([{ version: 17, oldest: 17 }])
    await requireEventStore(store)
  })

  const becomeUnknown = async (store: TestEventStore): Promise<void> => {
    await becomeEarlierEventStore(store, { newest: 12 })
    await store.command('insert into schema_versions (version) values (900)')
  }
  const refused: [string, (store: TestEventStore) => Promise<unknown>, string][] = [
    [
      'without the last version of 0.1',
      (store) => becomeEarlierEventStore(store, { newest: 12 }),
      '11, 12, not 1 to 13',
    ],
    ['with a version that no release had', becomeUnknown, '12, 900, not 1 to 13'],
    [
      'whose creation was interrupted in an earlier version',
      async (store) => {
        await store.command('truncate table schema_versions')
        await store.command('alter table schema_versions drop column oldest')
      },
      'its creation was interrupted in an earlier version',
    ],
    [
      'with tables and no record',
      (store) => store.command('drop table schema_versions sync'),
      'it has tables such as events, deliveries, dropped_events, and no record of their version',
    ],
  ]
  it.each(refused)(
    'the baseline rejects an event store %s unchanged, and names the commit that can migrate it',
    async (_, make, found) => {
      await using store = await createTestEventStore()
      await make(store)
      const before = await tablesOf(store)
      await expect(requireEventStoreMigratable(store)).rejects.toThrow(found)
      await expect(migrateEventStore(store)).rejects.toThrow(found)
      await expect(migrateEventStore(store)).rejects.toThrow(commit)
      expect(await tablesOf(store)).toEqual(before)
    },
  )
})

describe('migrateEventStore', () => {
  it('migrateEventStore creates the schema that the event stores of other tests copy', async () => {
    await using migrated = await createTestEventStore(inject('eventStoreUrl'))
    await using copy = await createTestEventStore()
    const tables = (store: TestEventStore) =>
      store.query<{ name: string; made: string }>(
        `select name, replaceAll(create_table_query, currentDatabase(), '') as made from system.tables
        where database = currentDatabase() order by name`,
      )
    const versions = (store: TestEventStore) => store.query('select version from schema_versions order by version')
    expect(await tables(migrated)).toContainEqual(expect.objectContaining({ name: 'events' }))
    expect(await tables(copy)).toEqual(await tables(migrated))
    expect(await versions(migrated)).not.toEqual([])
    expect(await versions(copy)).toEqual(await versions(migrated))
  })

  it('migrateEventStore does nothing the second time, also if two start together, and completes an interrupted run', async () => {
    await using store = await createTestEventStore(inject('eventStoreUrl'))
    await Promise.all([migrateEventStore(store), migrateEventStore(store)])
    const versions = () => store.query('select version from schema_versions order by version')
    const known = await versions()
    await store.insert('events', '{"event_id":"1"}', { token: 'a' })
    await store.command('drop table deliveries sync')
    await store.command('truncate table schema_versions')
    await migrateEventStore(store)
    expect(
      await store.query(
        'select (select count() from events) as events, (select count() from deliveries) as deliveries',
      ),
    ).toEqual([{ events: 1, deliveries: 0 }])
    expect(await versions()).toEqual(known)
  })

  const versionBy = (version: number, oldest?: number): EventStoreMigration => ({
    version,
    statements: [`create table if not exists step_${version} (a UInt8) engine = Memory`],
    ...(oldest === undefined ? { kind: 'expand' } : { kind: 'contract', oldest }),
  })

  it('migrateEventStore works with a newer schema that only added parts or removed unused ones', async () => {
    await using store = await createTestEventStore()
    await migrateEventStore(store, { migrations: [...eventStoreMigrations, versionBy(900), versionBy(901, 900)] })
    await migrateEventStore(store, { migrations: [...eventStoreMigrations, versionBy(900)] })
    await requireEventStore(store, [...eventStoreMigrations, versionBy(900)])
    await expect(migrateEventStore(store)).rejects.toThrow(EventStoreTooNew)
    await expect(requireEventStore(store)).rejects.toThrow('901')
  })

  it('migrateEventStore asks before it removes something, and removes nothing if that is rejected', async () => {
    await using store = await createTestEventStore()
    const asked: unknown[] = []
    const refuse = async (migration: object): Promise<void> => {
      asked.push(migration)
      throw new Error('older ones run')
    }
    const migrations = [...eventStoreMigrations, versionBy(900), versionBy(901, 900)]
    await expect(migrateEventStore(store, { migrations, contract: refuse })).rejects.toThrow('older ones run')
    expect(asked).toEqual([{ name: 'event store 901', oldest: 'event store 900' }])
    const names = await store.query(
      `select name from system.tables where database = currentDatabase() and name like 'step_%'`,
    )
    expect(names).toEqual([{ name: 'step_900' }])
    await requireEventStore(store)
  })

  it('migrateEventStore is required before a process that does not migrate can start', async () => {
    await using store = await createTestEventStore()
    await expect(requireEventStore(store, [...eventStoreMigrations, versionBy(900)])).rejects.toThrow(
      EventStoreNotReady,
    )
    await store.command('drop table schema_versions sync')
    await expect(requireEventStore(store)).rejects.toThrow(EventStoreNotReady)
  })

  const addsOnly = [
    /^create table if not exists /,
    /^alter table \w+\s+add (column|index) if not exists /,
    /^alter table \w+\s+(materialize index|modify setting) /,
    // A new expression for a computed column: no version writes the column, and every version reads a number.
    /^alter table events\s+modify column owner UInt64 materialized /,
  ]

  it('an expanding migration of the event store only adds parts', () => {
    const others = eventStoreMigrations
      .filter(({ kind }) => kind === 'expand')
      .flatMap(({ statements }) => statements.filter((text) => !addsOnly.some((form) => form.test(text))))
    expect(others).toEqual([])
    const taking = [
      'alter table events drop column a',
      'alter table events modify column a String',
      'drop table events',
    ]
    expect(taking.filter((text) => addsOnly.some((form) => form.test(text)))).toEqual([])
  })

  it('a migration of the event store removes only parts that an earlier version did not use', () => {
    const versions = eventStoreMigrations.map(({ version }) => version)
    // All processes are stopped for the first one, which is the baseline.
    for (const each of eventStoreMigrations.slice(1)) {
      if (each.kind === 'expand') continue
      expect(versions).toContain(each.oldest)
      expect(each.oldest).toBeLessThan(each.version)
    }
  })
})

/** A client of its own store, with its own limits. */
const boundedStore = async (options: Partial<ClickHouseOptions>) => {
  const own = await createTestEventStore()
  const store = createClickHouseEventStore({ url: own.url, logger: silentLogger, ...options })
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close()
      await own.close()
    },
  }
}

const MiB = 1024 ** 2
const endless = 'select count() from numbers(1000000000000) where sipHash64(number) % 7 = 1'

describe('createClickHouseEventStore', () => {
  it('the ClickHouse client sends the limits with each query, and reports which limit ended the query', async () => {
    await using bounded = await boundedStore({
      capacity: { short: 2, heavy: 2, memoryBytes: 400 * MiB },
      limits: { short: { seconds: 1, readBytes: 50 * MiB }, heavy: { seconds: 77, readBytes: 900_000 * MiB } },
    })
    const { store } = bounded
    const settings = (owner: string, slot: 'short' | 'heavy') =>
      store.query(
        `select toUInt64(getSetting('max_execution_time')) as seconds, getSetting('max_memory_usage') as memory,
           getSetting('max_bytes_to_read') as bytes`,
        {},
        { owner, slot },
      )
    expect(await settings('workspace', 'short')).toEqual([{ seconds: 1, memory: 100 * MiB, bytes: 50 * MiB }])
    expect(await settings('workspace', 'heavy')).toEqual([{ seconds: 77, memory: 200 * MiB, bytes: 900_000 * MiB }])
    expect(await settings(systemOwner, 'short')).toEqual([{ seconds: 1, memory: 100 * MiB, bytes: 0 }])

    const asked = (sql: string, slot: 'short' | 'heavy') => store.query(sql, {}, { owner: 'workspace', slot })
    const exceeded = (limit: string) => ({ name: 'EventStoreLimitExceeded', limit })
    await expect(asked('select sum(number) from numbers(100000000)', 'short')).rejects.toMatchObject(exceeded('bytes'))
    await expect(asked('select length(groupArray(number)) from numbers(2000000000)', 'heavy')).rejects.toMatchObject(
      exceeded('memory'),
    )
    await expect(store.query(endless, {}, { owner: systemOwner })).rejects.toMatchObject(exceeded('time'))
  })

  it('the ClickHouse client serves one workspace while another has reached its limits and gets EventStoreBusy', async () => {
    await using bounded = await boundedStore({ capacity: { short: 2, heavy: 2, memoryBytes: 1024 * MiB } })
    const { store } = bounded
    for (const [slot, places] of [
      ['short', 65],
      ['heavy', 33],
    ] as const) {
      const caller = new AbortController()
      const ended = Array.from({ length: places }, () =>
        store.query(endless, {}, { owner: 'a', slot, signal: caller.signal }).catch((error: unknown) => error),
      )
      await expect(store.query('select 1', {}, { owner: 'a', slot })).rejects.toMatchObject({ name: 'EventStoreBusy' })
      expect(await store.query('select 1 as one', {}, { owner: 'b', slot })).toEqual([{ one: 1 }])
      caller.abort(new Error('closed the page'))
      expect(new Set((await Promise.all(ended)).map(String))).toEqual(new Set(['Error: closed the page']))
    }
  })

  it('the ClickHouse client repeats a query once if its connection is dropped, but not an insert', async () => {
    let drops = 0
    const asked: string[] = []
    const server = createServer((request, response) => {
      request.resume()
      request.once('end', () => {
        asked.push(new URL(request.url ?? '', 'http://localhost').searchParams.has('readonly') ? 'query' : 'insert')
        if (drops-- > 0) request.socket.destroy()
        else response.end('{"one":1}\n')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const store = ownQueries(createClickHouseEventStore({ url: `http://127.0.0.1:${port}`, logger: silentLogger }))
    try {
      drops = 1
      expect(await store.query('select 1 as one')).toEqual([{ one: 1 }])
      drops = 2
      await expect(store.query('select 1 as one')).rejects.toMatchObject({ name: 'EventStoreUnavailable' })
      drops = 1
      await expect(store.insert('events', '{}', { token: 'a' })).rejects.toMatchObject({
        name: 'EventStoreUnavailable',
      })
      expect(asked).toEqual(['query', 'query', 'query', 'query', 'insert'])
    } finally {
      await store.close()
      await new Promise((resolve) => server.close(resolve))
    }
  })

  it('the ClickHouse client fails every call with EventStoreUnavailable if no server listens', async () => {
    const store = ownQueries(createClickHouseEventStore({ url: 'http://127.0.0.1:1', logger: silentLogger }))
    await expect(store.query('select 1')).rejects.toMatchObject({ name: 'EventStoreUnavailable' })
    await expect(store.command('select 1')).rejects.toMatchObject({ name: 'EventStoreUnavailable' })
    await expect(store.insert('events', '{}', { token: 'a' })).rejects.toMatchObject({ name: 'EventStoreUnavailable' })
    expect(await store.ping()).toBe(false)
    await store.close()
  })
})
