import { newId } from '@tributary/kernel'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { SchemaTooNew } from './applied-schemas.ts'
import { type Migration, migrate, requireSchema, SchemaNotReady } from './migrate.ts'
import type { Relational } from './open.ts'

const step = (name: string, ...statements: string[]): Migration => ({
  name,
  kind: 'expand',
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
})

/**
 * Turns a migration into one that removes something. Processes that run without the migration `oldest` still use it.
 */
const contracting = (migration: Migration, oldest: Migration): Migration => ({
  name: migration.name,
  up: migration.up,
  kind: 'contract',
  oldest: oldest.name,
})

const tables = async (store: Relational): Promise<string[]> => {
  const { rows } = await store.pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename like 'step_%' order by 1",
  )
  return rows.map(({ name }) => name)
}

const user = (email: string): { id: string; email: string } => ({ id: newId(), email })

/**
 * The tests that every relational store must pass. `open` returns a migrated database without other users, which is
 * disposed after each test.
 */
export const relationalConformance = (name: string, open: () => Promise<Relational>): void => {
  describe(`relational conformance: ${name}`, () => {
    dataTests(open)
    migrationTests(open)
  })
}

const dataTests = (open: () => Promise<Relational>): void => {
  it('a transaction that throws writes nothing, and one that commits writes everything', async () => {
    await using store = await open()
    const failed = store.db.transaction().execute(async (tx) => {
      await tx.insertInto('users').values(user('a@example.com')).execute()
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    await store.db.transaction().execute(async (tx) => {
      await tx.insertInto('users').values(user('b@example.com')).execute()
      await tx.insertInto('users').values(user('c@example.com')).execute()
    })
    const rows = await store.db.selectFrom('users').select('email').orderBy('email').execute()
    expect(rows).toEqual([{ email: 'b@example.com' }, { email: 'c@example.com' }])
  })

  it('two transactions run concurrently, and neither sees uncommitted changes of the other', async () => {
    await using store = await open()
    await store.db.transaction().execute(async (outer) => {
      await outer.insertInto('users').values(user('outer@example.com')).execute()
      await store.db.transaction().execute(async (inner) => {
        expect(await inner.selectFrom('users').select('email').execute()).toEqual([])
        await inner.insertInto('users').values(user('inner@example.com')).execute()
      })
    })
    expect(await store.db.selectFrom('users').select('email').execute()).toHaveLength(2)
  })

  it('a unique violation is reported by the name of its constraint, whatever the case of the letters', async () => {
    await using store = await open()
    await store.db.insertInto('users').values(user('ärger@example.com')).execute()
    const again = await store.db
      .insertInto('users')
      .values(user('ÄRGER@example.com'))
      .execute()
      .catch((error: unknown) => error)
    expect(again).toMatchObject({ code: '23505', constraint: 'users_email' })
  })

  it('exactly one of several concurrent writes of the same key succeeds', async () => {
    await using store = await open()
    const results = await Promise.allSettled(
      [1, 2, 3, 4].map(() => store.db.insertInto('users').values(user('same@example.com')).execute()),
    )
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused.map(({ reason }) => reason.constraint)).toEqual(Array(3).fill('users_email'))
  })

  it('a foreign key violation is reported by its name', async () => {
    await using store = await open()
    const error = await store.db
      .insertInto('workspaces')
      .values({ id: newId(), organization_id: newId(), title: 'Lost' })
      .execute()
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: '23503', constraint: 'workspaces_organization_id_fkey' })
  })

  it('bytes, JSON, times and large integers are returned as they were written', async () => {
    await using store = await open()
    const bytes = Buffer.from([0, 1, 92, 255])
    const moment = new Date('2026-02-28T23:59:59.123Z')
    const { rows } = await store.pool.query<Record<string, unknown>>(
      'select $1::bytea as bytes, $2::jsonb as json, $3::timestamptz as time, $4::bigint as big',
      [bytes, JSON.stringify({ 'a.b': null, list: [1, 'é'] }), moment, '9007199254740993'],
    )
    expect(rows).toEqual([{ bytes, json: { 'a.b': null, list: [1, 'é'] }, time: moment, big: '9007199254740993' }])
  })
}

const migrationTests = (open: () => Promise<Relational>): void => {
  /** These steps follow the product's own schema, which is already applied. */
  const first = step('9001-first', 'create table step_one (id integer primary key)')
  const second = step('9002-second', 'create table step_two (id integer)', 'insert into step_one values (1)')

  const withOwn = async (...steps: Migration[]): Promise<Migration[]> => {
    const { migrations } = await import('./migrations/index.ts')
    return [...migrations, ...steps]
  }

  it('a migration that fails halfway leaves no trace, and a repetition completes it', async () => {
    await using store = await open()
    const broken: Migration = {
      name: second.name,
      kind: 'expand',
      async up(db) {
        await second.up(db)
        throw new Error('the power went')
      },
    }
    await expect(migrate(store.db, await withOwn(first, broken))).rejects.toThrow('the power went')
    expect(await tables(store)).toEqual(['step_one'])
    expect(await migrate(store.db, await withOwn(first, second))).toEqual([second.name])
    expect(await tables(store)).toEqual(['step_one', 'step_two'])
    expect(await migrate(store.db, await withOwn(first, second))).toEqual([])
  })

  it('several processes that migrate together apply each migration once', async () => {
    await using store = await open()
    const all = await withOwn(first, second)
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(store.db, all)))
    expect(applied.flat().toSorted()).toEqual([first.name, second.name])
  })

  const third = step('9003-third', 'create table step_three (id integer)')

  it('a database to which a newer version only added parts is migrated further, and works', async () => {
    await using store = await open()
    await migrate(store.db, await withOwn(first, second))
    await requireSchema(store.db, await withOwn(first))
    expect(await migrate(store.db, await withOwn(first, third))).toEqual([third.name])
    expect(await tables(store)).toEqual(['step_one', 'step_three', 'step_two'])
  })

  it('a database from which a newer version removed parts that this version needs is rejected unchanged', async () => {
    await using store = await open()
    await migrate(store.db, await withOwn(first, contracting(second, second)))
    await expect(migrate(store.db, await withOwn(first, third))).rejects.toThrow(SchemaTooNew)
    expect(await tables(store)).toEqual(['step_one', 'step_two'])
    await expect(requireSchema(store.db, await withOwn(first))).rejects.toThrow('9002-second')
  })

  it('a database from which a newer version removed parts that this version does not use works', async () => {
    await using store = await open()
    await migrate(store.db, await withOwn(first, contracting(second, first)))
    await requireSchema(store.db, await withOwn(first))
    expect(await migrate(store.db, await withOwn(first))).toEqual([])
    await expect(requireSchema(store.db, await withOwn())).rejects.toThrow(SchemaTooNew)
  })

  it('a process that does not migrate rejects any schema of another version, and changes nothing', async () => {
    await using store = await open()
    await expect(requireSchema(store.db, await withOwn(first))).rejects.toThrow(SchemaNotReady)
    expect(await tables(store)).toEqual([])
    await migrate(store.db, await withOwn(first))
    await requireSchema(store.db, await withOwn(first))
    await expect(requireSchema(store.db, await withOwn(first, second))).rejects.toThrow(SchemaNotReady)
    await store.pool.query('drop table schema_migrations')
    await expect(requireSchema(store.db, [first])).rejects.toThrow(SchemaNotReady)
  })
}
