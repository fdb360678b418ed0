import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { schemaLock } from '../../applied-schemas.ts'
import { migrate } from '../../migrate.ts'
import { rewriteOnline } from './rewrite-online.ts'
import { describeSchema, differences, findDamage, findLeftovers } from './testing/catalog.ts'
import { interruptRewrite } from './testing/interrupt-rewrite.ts'
import { createPeople, readDigest } from './testing/people.ts'
import { type Run, startTrialDatabase, type TrialDatabase } from './testing/trial-database.ts'

let database: TrialDatabase
const run: Run = (text, params) => database.run(text, params)

beforeAll(async () => {
  database = await startTrialDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(() => database.empty())

test('a table keeps its rows, its names, and its dependent objects, and works as before', async () => {
  await createPeople(run, 3000)
  const [was, rows] = [await describeSchema(run, 'trial'), await readDigest(run)]
  const file = async () => (await run(`select pg_relation_filepath('trial.people') as path`)).rows[0]
  const path = await file()
  expect(await rewriteOnline('trial.people', database.options())).toBeUndefined()
  expect(await file()).not.toEqual(path)
  expect(differences(was, await describeSchema(run, 'trial'))).toEqual([])
  expect(await readDigest(run)).toEqual(rows)
  expect(await findDamage(run, 'trial')).toEqual([])
  expect(await findLeftovers(run)).toEqual([])
  // Once more, because a swapped table must allow another swap.
  expect(await rewriteOnline('trial.people', database.options())).toBeUndefined()
  expect(differences(was, await describeSchema(run, 'trial'))).toEqual([])
  expect(await findDamage(run, 'trial')).toEqual([])

  await expect(run(`insert into trial.pets (part, person) values (7, 'nobody')`)).rejects.toThrow('pets_person')
  await expect(run(`insert into trial.people (id, team) values ('new', 99)`)).rejects.toThrow('people_team_fkey')
  await expect(run(`insert into trial.people (id) values ('old-1')`)).rejects.toThrow('people_pkey')
  await expect(run(`insert into trial.people (id, amount) values ('new', -1000000)`)).rejects.toThrow('people_positive')
  await run(`insert into trial.pets (part, person) values (7, 'old-1')`)
  await run(`update trial.people set id = 'other' where id = 'old-1'`)
  expect((await run('select person from trial.pets')).rows).toEqual([{ person: 'other' }])
  await run(`delete from trial.people where id = 'other'`)
  expect((await run('select from trial.pets')).rows).toEqual([])
  const inserted = await run(`insert into trial.people (id) values ('new') returning number::int, note, late, twice`)
  expect(inserted.rows[0]).toMatchObject({ note: 'new', late: 'a default of later', twice: 0 })
  expect(inserted.rows[0].number).toBeGreaterThan(3000)
  await run('delete from trial.teams where id = 1')
  expect((await run('select from trial.people where team = 1')).rows).toEqual([])
})

test('every table of the product has the same catalog entries after an online rewrite', async () => {
  await run('drop schema public cascade; create schema public')
  await migrate(database.store.db)
  const { rows: tables } =
    await run(`select c.oid::int as oid, format('%I.%I', 'public', c.relname) as name from pg_class c
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p' order by relname`)
  // Rows with arbitrary values; foreign keys and triggers of the product are not checked.
  const filler = await database.openClient()
  await filler.query('set session_replication_role = replica')
  let filled = 0
  for (const { oid, name } of tables as { oid: number; name: string }[]) {
    const { rows: columns } = await filler.query(
      `select quote_ident(attname) as name, format_type(atttypid, atttypmod) as type,
        (select min(m[1]) from pg_constraint k, regexp_matches(pg_get_constraintdef(k.oid), '''([^'']+)''::text') m
          where k.conrelid = attrelid and k.contype = 'c' and conkey = array[attnum]) as allowed
      from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped and attgenerated = ''`,
      [oid],
    )
    const valueOf = ({ type, allowed }: { type: string; allowed: string | null }): string =>
      allowed !== null
        ? `'${allowed}'`
        : type === 'uuid'
          ? 'gen_random_uuid()'
          : type === 'text'
            ? `'value ' || n`
            : type.endsWith('[]')
              ? `'{}'`
              : type.startsWith('timestamp')
                ? `timestamptz '2026-01-01' + n * interval '1 hour'`
                : type === 'date'
                  ? `date '2026-01-01' + n`
                  : type === 'boolean'
                    ? 'n % 2 = 0'
                    : type === 'bytea'
                      ? `sha256(n::text::bytea)`
                      : type.startsWith('json')
                        ? `('{"n":' || n || '}')::${type}`
                        : type === 'interval'
                          ? `interval '1 hour' * n`
                          : 'n'
    for (const count of [300, 1]) {
      const done = await filler
        .query(
          `insert into ${name} (${columns.map((column) => column.name).join(', ')}) overriding system value
          select ${columns.map((column) => valueOf(column)).join(', ')} from generate_series(1, ${count}) n`,
        )
        .then(
          () => true,
          () => false,
        )
      if (!done) continue
      filled++
      break
    }
  }
  await filler.end()
  const sums = async () => {
    const all: unknown[] = []
    for (const { name } of tables as { name: string }[])
      all.push([
        name,
        (await run(`select count(*)::int as n, sum(hashtextextended(t::text, 0)) as sum from ${name} t`)).rows[0],
      ])
    return all
  }
  const [was, rows] = [await describeSchema(run, 'public'), await sums()]
  const left: unknown[] = []
  for (const { name } of tables as { name: string }[]) {
    const reason = await rewriteOnline(name, database.options())
    if (reason !== undefined) left.push([name, reason])
  }
  expect(differences(was, await describeSchema(run, 'public'))).toEqual([])
  expect(await sums()).toEqual(rows)
  expect(await findDamage(run, 'public')).toEqual([])
  process.stdout.write(`${tables.length} tables, ${filled} with rows, without a key: ${JSON.stringify(left)}\n`)
  expect(tables.length).toBeGreaterThan(100)
  expect(filled).toBeGreaterThan(80)
  expect(left.map((one) => (one as string[])[1])).toEqual(left.map(() => 'it has no primary key'))
  expect(left.length).toBeLessThanOrEqual(4)
  await run('drop schema public cascade; create schema public')
}, 300_000)
test.each([
  ['a column is added', 'alter table trial.people add column more text', 'its columns were changed'],
  ['an index is added', 'create index more on trial.people (amount)', 'its indexes were changed'],
  ['an index is dropped', 'drop index trial.people_note', 'its indexes were changed'],
  [
    'triggers are off for a time',
    `alter table trial.people disable trigger all; update trial.people set amount = 11 where id = 'old-1';
      alter table trial.people enable trigger all`,
    'its triggers were changed',
  ],
  ['the table is emptied', 'truncate trial.people cascade', 'the table was emptied'],
])('the table is left unchanged if meanwhile %s', async (_, change, reason) => {
  await createPeople(run, 500)
  expect(await interruptRewrite(database, 'compared', () => run(change))).toContain(reason)
  expect(await rewriteOnline('trial.people', database.options())).toBeUndefined()
})

test('a migration aborts a rewrite, and a start removes the remains of a killed one', async () => {
  await createPeople(run, 500)
  const rows = await readDigest(run)
  expect(await interruptRewrite(database, 'copied', () => migrate(database.store.db, []))).toContain(
    'tributary_rewrite',
  )
  expect(await readDigest(run)).toEqual(rows)

  // Simulates a process that was killed after it created the trigger.
  const onStep = (): Promise<void> => new Promise(() => {})
  rewriteOnline('trial.people', database.options({ onStep })).catch(() => {})
  await expect.poll(() => findLeftovers(run)).toHaveLength(3)
  await run(`update trial.people set amount = 11 where id = 'old-1'`)
  await migrate(database.store.db, [])
  expect(await findLeftovers(run)).toEqual([])
  await run(`update trial.people set amount = 10 where id = 'old-1'`)
  expect(await readDigest(run)).toEqual(rows)
})

test('no rewrite begins while a migration runs', async () => {
  await createPeople(run, 10)
  const other = await database.openClient()
  await other.query(`begin; select pg_advisory_xact_lock(${schemaLock})`)
  expect(await rewriteOnline('trial.people', database.options({ maxClosedMs: 50 }))).toContain('a migration')
  await other.query('commit')
  await other.end()
})

test('a table without a key, with an exclusion constraint, or with row security is skipped with the reason', async () => {
  await run(`create table trial.keyless (n integer); create table trial.bookings (id integer primary key, during int4range,
    exclude using gist (during with &&)); insert into trial.keyless values (1)`)
  expect(await rewriteOnline('trial.keyless', database.options())).toBe('it has no primary key')
  expect(await rewriteOnline('trial.bookings', database.options())).toBe('it has an exclusion constraint')
  await run('create table trial.secured (id integer primary key); alter table trial.secured enable row level security')
  expect(await rewriteOnline('trial.secured', database.options())).toBe('it has row security')
})
