import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RewriteOptions, rewriteFiles } from './rewrite-files.ts'
import { type Run, startTrialDatabase, type TrialDatabase, uniqueWord } from './testing/trial-database.ts'

let database: TrialDatabase
const run: Run = (text, params) => database.run(text, params)
/** Generous times, because a machine that is busy with other tests is slow. */
const options = (part: Partial<RewriteOptions> = {}): RewriteOptions =>
  database.options({ maxClosedMs: 20_000, onlineFromBytes: 16 * 2 ** 20, ...part })

beforeAll(async () => {
  database = await startTrialDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

beforeEach(async () => {
  await database.empty()
  await run(`create table trial.people (id integer primary key, name text not null, note text);
    create index people_name on trial.people (name);
    alter table trial.people alter column note set storage external`)
  await run(`insert into trial.people select n, 'other ' || n, 'kept ' || n from generate_series(1, 2000) as n`)
})

test('a removed value is in no file of the database: not in a table, TOAST data, an index, statistics, or the log', async () => {
  const planted = {
    deleted: uniqueWord(),
    'replaced by another value': uniqueWord(),
    'too large for its table': uniqueWord(),
    'of a table that is gone': uniqueWord(),
    'of a table that was emptied': uniqueWord(),
    'of a transaction that failed': uniqueWord(),
  }
  await run('insert into trial.people values (9001, $1), (9002, $2)', [
    planted.deleted,
    planted['replaced by another value'],
  ])
  await run('insert into trial.people values (9003, $1, $2)', [
    'large',
    `${planted['too large for its table']}${randomBytes(50_000).toString('hex')}`,
  ])
  // Frequent, so that it is among the most common values in the statistics and in samples.
  await run('insert into trial.people select 10000 + n, $1 from generate_series(1, 500) as n', [planted.deleted])
  await run('create table trial.gone (name text); create table trial.emptied (name text primary key)')
  await run('insert into trial.gone values ($1)', [planted['of a table that is gone']])
  await run('insert into trial.emptied values ($1)', [planted['of a table that was emptied']])
  const failed = `begin; insert into trial.emptied values ('${planted['of a transaction that failed']}'); rollback`
  await run(failed)
  await run('analyze')
  await run('checkpoint')
  expect(await database.filesWith(planted.deleted)).not.toEqual([])
  const statistics = `select from pg_stats where tablename = 'people' and most_common_vals::text like '%' || $1 || '%'`
  expect((await run(statistics, [planted.deleted])).rows).toHaveLength(1)

  await run('delete from trial.people where name = $1 or id = 9003', [planted.deleted])
  await run(`update trial.people set name = 'new' where id = 9002`)
  await run('drop table trial.gone')
  await run('delete from trial.emptied')
  await run('checkpoint')
  for (const [what, value] of Object.entries(planted))
    expect([what, await database.filesWith(value)]).not.toEqual([what, []])

  expect(await rewriteFiles(options())).toEqual({ left: [] })
  for (const [what, value] of Object.entries(planted))
    expect([what, await database.filesWith(value)]).toEqual([what, []])
  const { rows } = await run('select count(*)::int as n, min(note) as note from trial.people')
  expect(rows).toEqual([{ n: 2001, note: 'kept 1' }])
  expect((await run('show wal_recycle')).rows).toEqual([{ wal_recycle: 'on' }])
})

test('a table that other clients lock, or that takes too long, is reported and left unchanged, and rewritten the next time', async () => {
  const value = uniqueWord()
  await run('insert into trial.people values (9001, $1)', [value])
  await run('delete from trial.people where id = 9001')
  const other = await database.openClient()
  await other.query('begin; lock table trial.people in row exclusive mode')
  const held = await rewriteFiles(options({ maxClosedMs: 50 }))
  expect(held.left.join()).toContain('trial.people: it could not be rewritten within 50 ms')
  // Writers can continue.
  await run(`insert into trial.people values (9002, 'written meanwhile')`)
  await other.query('commit')
  await other.end()
  expect(await rewriteFiles(options())).toEqual({ left: [] })
  expect(await database.filesWith(value)).toEqual([])
  expect((await run('select name from trial.people where id = 9002')).rows).toEqual([{ name: 'written meanwhile' }])
})

test('data that an earlier transaction may still see is reported after a wait, because it is copied along', async () => {
  const other = await database.openClient()
  await other.query('begin isolation level repeatable read; select from trial.people limit 1')
  const { left } = await rewriteFiles(options({ transactionsMs: 0 }))
  expect(left).toEqual(['A transaction of before is still open'])
  await other.query('commit')
  await other.end()
})

test('a table that does not fit on the disk twice is reported and left unchanged', async () => {
  const { left } = await rewriteFiles(options({ freeBytes: async () => 1000 }))
  expect(left.join()).toContain('trial.people: the disk has not enough free space')
})

test('tables that an earlier attempt rewrote are skipped, and each further table is reported', async () => {
  await run('create table trial.pets (id integer primary key); insert into trial.pets values (1)')
  const file = async (table: string) => (await run(`select pg_relation_filepath($1) as path`, [table])).rows[0]
  const [people, pets] = [await file('trial.people'), await file('trial.pets')]
  const reported: string[] = []
  const onDone = async (table: string): Promise<void> => void reported.push(table)
  const progress = { done: new Set(['trial.people']), onDone }
  expect(await rewriteFiles(options({ progress }))).toEqual({ left: [] })
  expect(reported).toEqual(['trial.pets'])
  expect([await file('trial.people'), await file('trial.pets')]).toEqual([people, expect.not.objectContaining(pets)])
})
