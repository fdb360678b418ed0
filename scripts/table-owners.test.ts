import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readTables, readWriters, tablesWrittenIn } from './table-writers.ts'

/**
 * Files that process tables of several owners by the tables' names, with the reason. This list may only get shorter.
 */
const passes: Record<string, string> = {
  'apps/server/src/threads/pipeline-thread.ts': 'passes on the inserts of the pipeline while it has its tenure',
  'packages/control/src/secret-key/reseal.ts': 'seals every secret anew, with the tables locked',
  'packages/control/src/workspaces/remove-data.ts': 'removes the rows of a deleted workspace from large tables',
  'packages/storage/src/relational/embedded/rewrite/copy.ts': 'writes the files of any table anew',
  'packages/storage/src/relational/embedded/rewrite/prepare.ts': 'writes the files of any table anew',
}

/** Returns the tables of a store with their owners, as ARCHITECTURE.md lists them. */
const listedOwners = (store: string): Map<string, string> => {
  const text = readFileSync('ARCHITECTURE.md', 'utf8')
  const section = text.split('\n### ').find((part) => part.startsWith(store)) ?? ''
  return new Map(
    [...section.matchAll(/^\| `([a-z_]+)` \| `([a-z/-]+)` \| [^|]+ \|$/gm)].map(([, table = '', owner = '']) => [
      table,
      owner,
    ]),
  )
}

const stores = [
  { store: 'relational', title: 'Tables of PostgreSQL' },
  { store: 'event-store', title: 'Tables of the event store' },
] as const

describe.each(stores)('$title', ({ store, title }) => {
  const tables = readTables(store)
  const owners = listedOwners(title)

  test('ARCHITECTURE.md lists each table with its owner', () => {
    expect(tables.size).toBeGreaterThan(10)
    expect([...owners.keys()].sort()).toEqual([...tables].sort())
  })

  test('only the owner of a table writes it', () => {
    const { writers } = readWriters(tables, new Set(Object.keys(passes)))
    const foreign = [...writers].flatMap(([table, packages]) =>
      [...packages]
        .filter(([name]) => name.replace('packages/', '') !== owners.get(table))
        .map(([, files]) => `${table} belongs to ${owners.get(table)}, but is written in ${files.join(', ')}`),
    )
    expect(foreign).toEqual([])
  })
})

test('each file that writes tables of several owners is listed with its reason', () => {
  const tables = new Set(stores.flatMap(({ store }) => [...readTables(store)]))
  const { writers, open } = readWriters(tables, new Set())
  const shared = new Set(
    [...writers.values()].filter((packages) => packages.size > 1).flatMap((packages) => [...packages.values()].flat()),
  )
  const named = Object.keys(passes)
  expect(open.filter((file) => !named.includes(file))).toEqual([])
  expect(named.filter((file) => !open.includes(file) && !shared.has(file))).toEqual([])
})

const known = new Set(['mails', 'syncs', 'events', 'deliveries'])
const open = '$' + '{table}'

test.each([
  ['an insert of the query builder', "tx.insertInto('mails').values(row)", ['mails']],
  ['an update with an alias', "tx.updateTable('mails as m').set(row)", ['mails']],
  ['a deletion on a line of its own', "tx\n  .deleteFrom(\n    'mails')", ['mails']],
  ['an insert in SQL', 'sql`insert into mails (id) values (1)`', ['mails']],
  ['an update in a part of a statement', 'sql`with a as (update mails set b = 1) select 1`', ['mails']],
  ['a deletion in SQL', 'sql`delete from only mails`', ['mails']],
  ['an insert into the event store', "eventStore.insert('events', rows, options)", ['events']],
  ['a change of the event store', "command('alter table deliveries delete where 1')", ['deliveries']],
  ['a list of tables', `for (const table of ['mails', 'syncs']) sql\`delete from ${open}\``, ['mails', 'syncs']],
  ['a read', "tx.selectFrom('mails'); sql`select 1 from syncs for update of syncs`", []],
  ['a change of the settings of a table', "command('alter table events modify ttl time')", []],
  ['a comment', '/** Never delete from mails. */\n// update syncs', []],
])('the writes of %s are found', (_, source, written) => {
  expect([...tablesWrittenIn(source, known).written].sort()).toEqual(written)
})

test('a statement without a literal table name is found', () => {
  expect(tablesWrittenIn(`sql\`update ${open} set a = 1\``, known).isOpen).toBe(true)
})
