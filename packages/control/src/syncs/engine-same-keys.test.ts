import type { SyncRun } from '@tributary/contract'
import { hasMariaDb, startMariaDb } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { startSyncEngine, sums } from '../testing/sync-engine.ts'
import { openTypedSync } from '../testing/typed-sync.ts'

const mariaDb = hasMariaDb ? await startMariaDb() : undefined
const engine = await startSyncEngine(inject('postgresUrl'), mariaDb)
const { peer } = engine
afterEach(engine.calm)
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
  await mariaDb?.[Symbol.asyncDispose]()
})
beforeAll(async () => {
  await peer.query('create extension if not exists citext')
  await peer.query(`create schema synced authorization ${peer.access.user}`)
})

type Row = readonly [key: string, value: string]
type Ends = {
  target: string
  /** Makes a table at the destination. */
  make(table: string, type: string): Promise<unknown>
  there(table: string): Promise<string[]>
}

const textOf = ({ k, v }: { k: string; v: string }): string => `${k} ${v}`
const postgres: Ends = {
  target: engine.target,
  make: (table, type) =>
    peer.query(`create table synced.${table} (k ${type} primary key, v text);
      alter table synced.${table} owner to ${peer.access.user}`),
  there: async (table) =>
    (await peer.query<{ k: string; v: string }>(`select k::text, v from synced.${table} order by v`)).map(textOf),
}
const maria: Ends = {
  target: engine.mariaDb?.target ?? '',
  make: async (table, type) => mariaDb?.query(`create table ${table} (k ${type}, v text, primary key (k))`),
  there: async (table) => {
    const select = `select cast(k as char) as k, v from ${table} order by v`
    return ((await mariaDb?.query<{ k: string; v: string }>(select)) ?? []).map(textOf)
  },
}

let tables = 0
type Given = { ends?: Ends; type: string | undefined; mode?: 'FULL_SYNC' | 'UPSERT_ONLY'; source?: string }

/** A sync from a table to a table, with keys of the given types; without a type the sync makes the table. */
const open = async ({ ends = postgres, type, mode = 'FULL_SYNC', source = 'text' }: Given) => {
  const table = `keys${++tables}`
  if (type !== undefined) await ends.make(table, type)
  await peer.query(`create table shop.${table} (k ${source}, v text)`)
  await peer.query(`grant select on shop.${table} to ${peer.access.user}`)
  const sync = await openTypedSync(engine, { query: `select * from shop.${table}`, table, target: ends.target, mode })
  return {
    ...sync,
    there: () => ends.there(table),
    run: async (...rows: readonly Row[]): Promise<SyncRun> => {
      await peer.query(`truncate shop.${table}`)
      for (const row of rows) await peer.query(`insert into shop.${table} values ($1, $2)`, [...row])
      const run = await sync.run()
      expect(sums(run), JSON.stringify(run.counts)).toBe(true)
      return run
    },
  }
}

const changes: [where: string, given: Given, first: string, second: string][] = [
  ['citext', { type: 'citext' }, 'ada@x.test', 'Ada@x.test'],
  ['numeric in a table that the sync makes', { type: undefined, source: 'numeric' }, '1.1', '1.10'],
]
if (hasMariaDb)
  changes.push([
    'a text of MariaDB',
    { ends: maria, type: 'varchar(80) collate utf8mb4_unicode_ci' },
    'straße',
    'STRASSE',
  ])

test.each(changes)(
  'a row stays the same row if its key changes to one that %s treats as equal',
  async (_, given, first, second) => {
    const sync = await open(given)
    await sync.run([first, 'first'])
    expect(await sync.run([second, 'second'])).toMatchObject({
      state: 'succeeded',
      counts: { added: 0, changed: 1, removed: 0 },
    })
    const [row, ...others] = await sync.there()
    expect(others).toEqual([])
    // The destination stores a text as the model now has it, and a number as its column formats it.
    expect(row).toBe(/^[\d.]+$/.test(second) ? `${row?.split(' ')[0]} second` : `${second} second`)
    expect(await sync.run([second, 'second'])).toMatchObject({ state: 'succeeded', counts: { unchanged: 1 } })
    await sync.run()
    expect(await sync.there()).toEqual([])
  },
)

test.each(changes)(
  'if %s treats two rows as one, one row is written and the other is rejected with the reason',
  async (_, given, first, second) => {
    const sync = await open(given)
    const run = await sync.run([first, 'v'], [second, 'v'])
    expect(run).toMatchObject({ state: 'partial', counts: { read: 2, added: 1, rejected: 1 } })
    const rejected = await sync.rows(run, { outcome: 'rejected' })
    const [kept] = [first, second].filter((key) => key !== rejected[0]?.key)
    expect(rejected.map(({ reason }) => reason)).toEqual([
      `The destination takes this key for the same as the key ${kept}`,
    ])
    expect(await sync.there()).toHaveLength(1)
    // Each run writes the same one of the two rows. When it is removed, the other one replaces it.
    const again = await sync.run([first, 'v'], [second, 'v'])
    expect(again).toMatchObject({ state: 'partial', counts: { unchanged: 1, rejected: 1, removed: 0 } })
    const other = kept === first ? second : first
    expect(await sync.run([other, 'other'])).toMatchObject({ state: 'succeeded', counts: { rejected: 0 } })
    expect(await sync.there()).toEqual([expect.stringMatching(/ other$/)])
  },
)

test('if a key was replaced by an equal one, a mirroring run keeps the row that the model now has', async () => {
  const sync = await open({ type: 'citext', mode: 'UPSERT_ONLY' })
  await sync.run(['ada', 'first'])
  await sync.run(['Ada', 'second'])
  // The hash of a key that another key replaced does not prove the current row.
  await sync.run(['ada', 'first'])
  expect(await sync.there()).toEqual(['ada first'])
  await sync.run(['ADA', 'third'], ['bob', 'v'])
  await sync.update({ mode: 'FULL_SYNC' })
  expect(await sync.run(['ADA', 'third'], ['bob', 'v'])).toMatchObject({ state: 'succeeded', counts: { removed: 0 } })
  expect(await sync.there()).toEqual(['ADA third', 'bob v'])
})

test('a repeated removal that was rejected does not remove the row of an equal key that was added since', async () => {
  const sync = await open({ type: 'char(6)' })
  await sync.run(['ada', 'first'], ['bob', 'v'])
  engine.delivery.state.refuse = () => true
  await sync.run(['bob', 'v'])
  engine.delivery.state.refuse = () => false
  expect(await sync.run(['ada ', 'again'], ['bob', 'v'])).toMatchObject({ state: 'succeeded', counts: { removed: 0 } })
  expect(await sync.there()).toEqual(['ada again', 'bob v'])
})

test('a confirmed row is kept in preference to the first row in the order of keys', async () => {
  const sync = await open({ type: 'uuid' })
  const [small, capitals] = ['550e8400-e29b-41d4-a716-446655440000', '550E8400-E29B-41D4-A716-446655440000']
  await sync.run([small, 'small'])
  const both = await sync.run([small, 'small'], [capitals, 'capitals'])
  expect(both).toMatchObject({ state: 'partial', counts: { unchanged: 1, rejected: 1, removed: 0 } })
  const dry = await sync.dryRun()
  expect(dry).toMatchObject({ state: 'done', counts: { read: 2, unchanged: 1, invalid: 1, removed: 0 } })
  const reason = `The destination takes this key for the same as the key ${small}`
  expect(dry.samples).toMatchObject([{ group: 'invalid', key: capitals, reason }])
  const run = await sync.run([capitals, 'capitals'])
  expect(run).toMatchObject({ state: 'succeeded', counts: { changed: 1, removed: 0 } })
  expect(await sync.there()).toEqual([`${small} capitals`])
})
