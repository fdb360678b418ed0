import { randomUUID } from 'node:crypto'
import { silentLogger } from '@tributary/kernel'
import { createTestDatabase, eventually } from '@tributary/test-kit'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SchemaTooNew } from './applied-schemas.ts'
import { knownSchemas, type Migration, migrate, requireMigratable } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import type { Relational } from './open.ts'
import { announceProcess, noteContraction, OlderProcessesRun } from './process-schemas.ts'

const newest = migrations.at(-1)?.name ?? ''
/**
 * Migrations of the next version: one adds something; others remove something that the current version uses, or does
 * not use.
 */
const expands: Migration = {
  name: '9001-added',
  kind: 'expand',
  up: async (db) => void (await sql`create table step_one (id integer)`.execute(db)),
}
const contracts = (oldest: string): Migration => ({
  name: '9002-taken',
  kind: 'contract',
  oldest,
  up: async (db) => void (await sql`create table step_two (id integer)`.execute(db)),
})
const at = { patienceMs: 0 }

describe('processes of two versions', () => {
  let store: Relational
  const ending: (() => Promise<void>)[] = []
  beforeEach(async () => {
    store = await createTestDatabase()
  })
  afterEach(async () => {
    for (const end of ending.splice(0)) await end()
    await store.close()
  })
  const run = async (roles: string[], given: { knows?: ReadonlySet<string>; everyMs?: number } = {}) => {
    const onTooOld = vi.fn()
    const process = await announceProcess({
      pool: store.pool,
      id: randomUUID(),
      host: 'shop-1',
      version: '1.2.3',
      roles,
      knows: knownSchemas(),
      onTooOld,
      logger: silentLogger,
      ...given,
    })
    ending.push(() => process.stop())
    return { ...process, onTooOld }
  }
  const tables = async (): Promise<unknown[]> =>
    (await store.pool.query("select tablename from pg_tables where tablename like 'step_%'")).rows

  it('processes of two versions run together while migrations only add to the schema', async () => {
    const old = await run(['collect'], { everyMs: 20 })
    await migrate(store.db, [...migrations, expands], at)
    const next = await run(['pipeline'], { knows: new Set([...knownSchemas(), expands.name]) })
    await Promise.all([old.check(), next.check()])
    await run(['delivery'])
    expect(old.onTooOld).not.toHaveBeenCalled()
  })

  it('a process prevents a migration from removing parts that it uses, whatever its roles, and is reported', async () => {
    const old = await run(['collect'])
    const all = [...migrations, expands, contracts(expands.name)]
    await expect(migrate(store.db, all, at)).rejects.toThrow(
      /processes run that are too old for it \(collect on shop-1, version 1\.2\.3\)/,
    )
    await expect(requireMigratable(store.db, all)).rejects.toThrow(OlderProcessesRun)
    // Nothing has changed yet: the tables of the previous version still work.
    expect(await tables()).toEqual([])
    const next = await run(['pipeline'], { knows: new Set([...knownSchemas(), expands.name]) })
    await old.stop()
    expect(await migrate(store.db, all, at)).toEqual([expands.name, '9002-taken'])
    await next.check()
  })

  it('processes do not prevent a migration from removing parts that none of them uses', async () => {
    const old = await run(['collect'], { everyMs: 20 })
    await migrate(store.db, [...migrations, expands, contracts(newest)], at)
    await old.check()
    await run(['delivery'])
    expect(old.onTooOld).not.toHaveBeenCalled()
  })

  it('a migration waits for processes that may have ended already', async () => {
    const old = await run(['pipeline'])
    const migrating = migrate(store.db, [...migrations, contracts('9001-added')], { patienceMs: 60_000 })
    await store.pool.query("update process_schemas set seen_time = seen_time - interval '1 hour'")
    expect(await migrating).toEqual(['9002-taken'])
    await expect(old.check()).rejects.toThrow(SchemaTooNew)
  })

  it('a process that stopped announcing itself ends if parts that it uses were removed meanwhile', async () => {
    const old = await run(['collect'], { everyMs: 20 })
    const { name } = contracts(expands.name)
    await store.pool.query('insert into schema_migrations (name, oldest) values ($1, $2)', [name, expands.name])
    await eventually('told', () => old.onTooOld.mock.calls.length > 0)
    expect(old.onTooOld.mock.calls).toEqual([[expect.stringContaining(`newer version of Tributary (${name})`)]])
    await expect(run(['collect'])).rejects.toThrow(SchemaTooNew)
  })

  it('a process starts before a contracting migration checks for running processes, or after the migration has ended', async () => {
    const { promise: taking, resolve: takesAway } = Promise.withResolvers<void>()
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const slow: Migration = {
      ...contracts(expands.name),
      async up() {
        takesAway()
        await mayEnd
      },
    }
    const migrating = migrate(store.db, [...migrations, slow], at)
    await taking
    const starting = run(['collect']).catch((error: unknown) => error)
    const waits = eventually('it waits', async () => {
      const { rows } = await store.pool.query(
        "select from pg_stat_activity where datname = current_database() and query ~ '^(rollback|select pg_try_advisory)'",
      )
      return rows.length > 0
    })
    await waits.finally(end)
    await migrating
    expect(await starting).toBeInstanceOf(SchemaTooNew)
  })

  it('a process also protects parts of the event store that it uses', async () => {
    const old = await run(['delivery'])
    const contraction = { name: 'event store 900', oldest: 'event store 899' }
    await expect(noteContraction(store, contraction)).rejects.toThrow('delivery on shop-1')
    await old.check()
    await old.stop()
    await noteContraction(store, contraction)
    await noteContraction(store, contraction)
    await expect(old.check()).rejects.toThrow('event store 900')
    // The program that applied it supports it.
    await run(['api'], { knows: new Set([...knownSchemas(), 'event store 899']) })
  })
})
