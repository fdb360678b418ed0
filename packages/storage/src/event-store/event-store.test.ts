import { silentLogger } from '@tributary/kernel'
import { createTestEventStore } from '@tributary/test-kit'
import { describe, expect, it } from 'vitest'
import { createClickHouseEventStore } from './clickhouse.ts'
import { eventStoreConformance } from './conformance.ts'
import { migrateEventStore } from './migrate.ts'

eventStoreConformance('embedded', () => createTestEventStore())

const remote = process.env['CLICKHOUSE_URL']
if (remote !== undefined && remote !== '') eventStoreConformance('CLICKHOUSE_URL', () => createTestEventStore(remote))

describe('migrateEventStore', () => {
  it('does nothing the second time, also when two start together, and mends an interrupted run', async () => {
    await using store = await createTestEventStore()
    await Promise.all([migrateEventStore(store), migrateEventStore(store)])
    await store.insert('events', '{"event_id":"1"}', { token: 'a' })
    await store.command('drop table deliveries sync')
    await store.command('truncate table schema_versions')
    await migrateEventStore(store)
    expect(
      await store.query(
        'select (select count() from events) as events, (select count() from deliveries) as deliveries',
      ),
    ).toEqual([{ events: 1, deliveries: 0 }])
    expect(await store.query('select version from schema_versions order by version')).toEqual([
      { version: 1 },
      { version: 2 },
      { version: 3 },
    ])
  })

  it('refuses a database that a newer program has migrated', async () => {
    await using store = await createTestEventStore()
    await store.insert('schema_versions', '{"version":999}', { token: 'newer' })
    await expect(migrateEventStore(store)).rejects.toThrow('999')
  })
})

describe('createClickHouseEventStore', () => {
  it('answers EventStoreUnavailable to everything while nobody listens', async () => {
    const store = createClickHouseEventStore({ url: 'http://127.0.0.1:1', logger: silentLogger })
    await expect(store.query('select 1')).rejects.toMatchObject({ name: 'EventStoreUnavailable' })
    await expect(store.command('select 1')).rejects.toMatchObject({ name: 'EventStoreUnavailable' })
    await expect(store.insert('events', '{}', { token: 'a' })).rejects.toMatchObject({ name: 'EventStoreUnavailable' })
    expect(await store.ping()).toBe(false)
    await store.close()
  })
})
