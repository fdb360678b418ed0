import { createTestDatabase } from '@tributary/test-kit'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type Migration, migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import type { Relational } from './open.ts'

/** The schema as processes of the previous version see it, each object by its name. */
type Catalog = {
  /** The parts of the schema that must remain unchanged. */
  things: ReadonlyMap<string, string>
  /** Columns for which a row must give a value, because they have no default. */
  demanded: readonly string[]
  /** Constraints on rows, with their columns (`table.column`). */
  limits: ReadonlyMap<string, readonly string[]>
  /** Tables whose rows cannot be removed while another table refers to them. */
  holds: ReadonlyMap<string, string>
}

const columnsText = `
select format('%s.%s', c.relname, a.attname) as name,
  format('%s%s', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' else '' end) as is,
  a.attnotnull and not a.atthasdef and a.attidentity = '' as demanded
from pg_attribute a join pg_class c on c.oid = a.attrelid
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and a.attnum > 0 and not a.attisdropped`

const columnNames = (table: string, numbers: string): string =>
  `array(select format('%s.%s', ${table}::regclass, attname) from pg_attribute where attrelid = ${table} and attnum = any(${numbers}))`

const limitsText = `
select format('%s: %s', conrelid::regclass, conname) as name, pg_get_constraintdef(oid) as is, ${columnNames('conrelid', 'conkey')} as columns,
  case when contype = 'f' and confdeltype in ('a', 'r') then confrelid::regclass::text end as holds
from pg_constraint where connamespace = 'public'::regnamespace and contype in ('c', 'u', 'x', 'p', 'f')
union all
select format('%s: %s', indrelid::regclass, indexrelid::regclass), pg_get_indexdef(indexrelid), ${columnNames('indrelid', 'indkey')}, null
from pg_index join pg_class on pg_class.oid = indrelid where relnamespace = 'public'::regnamespace and indisunique`

const othersText = `
select 'function ' || oid::regprocedure as name, md5(prosrc) as is from pg_proc where pronamespace = 'public'::regnamespace
union all select format('trigger %s of %s', tgname, tgrelid::regclass), pg_get_triggerdef(pg_trigger.oid)
  from pg_trigger join pg_class on pg_class.oid = tgrelid where relnamespace = 'public'::regnamespace and not tgisinternal
union all select format('view %s', viewname), definition from pg_views where schemaname = 'public'
union all select format('value %s of %s', enumlabel, enumtypid::regtype), '' from pg_enum
union all select format('index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
  from pg_index join pg_class on pg_class.oid = indrelid where relnamespace = 'public'::regnamespace`

type Named = { name: string; is: string }

const catalogOf = async ({ pool }: Pick<Relational, 'pool'>): Promise<Catalog> => {
  const columns = (await pool.query<Named & { demanded: boolean }>(columnsText)).rows
  const limits = (await pool.query<Named & { columns: string[]; holds: string | null }>(limitsText)).rows
  const others = (await pool.query<Named>(othersText)).rows
  return {
    things: new Map([...columns, ...limits, ...others].map(({ name, is }) => [name, is])),
    demanded: columns.filter(({ demanded }) => demanded).map(({ name }) => name),
    limits: new Map(limits.map(({ name, columns: of }) => [name, of])),
    holds: new Map(limits.flatMap(({ name, holds }) => (holds === null ? [] : [[name, holds]]))),
  }
}

const tableOf = (column: string): string => column.slice(0, column.indexOf('.'))

/** The changes between two catalogs that processes of the previous version would notice. */
const noticed = (before: Catalog, after: Catalog): string[] => {
  const tables = new Set([...before.things.keys()].map(tableOf))
  const isNew = (column: string): boolean => !before.things.has(column)
  const gone = [...before.things]
    .filter(([name, is]) => after.things.get(name) !== is)
    .map(([name]) => `${name} is not as it was`)
  const demanded = after.demanded
    .filter((column) => isNew(column) && tables.has(tableOf(column)))
    .map((column) => `${column} has no default`)
  const limited = [...after.limits]
    .filter(([name, columns]) => isNew(name) && columns.some((column) => !isNew(column)))
    .map(([name]) => `${name} limits what they write`)
  const held = [...after.holds]
    .filter(([name, table]) => isNew(name) && tables.has(table))
    .map(([name, table]) => `${name} keeps them from removing rows of ${table}`)
  return [...gone, ...demanded, ...limited, ...held]
}

/** Applies a migration to a database with the earlier ones, and returns its noticeable changes. */
const noticedOf = async (store: Relational, migration: Migration, earlier: readonly Migration[]) => {
  const before = await catalogOf(store)
  await migrate(store.db, [...earlier, migration])
  return noticed(before, await catalogOf(store))
}

describe('an expanding migration', () => {
  it('an expanding migration changes nothing that processes of the previous version use', async () => {
    await using store = await createTestDatabase()
    await store.pool.query('drop schema public cascade; create schema public')
    await migrate(store.db, migrations.slice(0, 1))
    const found: string[] = []
    for (const [at, migration] of migrations.entries()) {
      if (at === 0) continue
      const of = await noticedOf(store, migration, migrations.slice(0, at))
      if (migration.kind === 'expand') found.push(...of.map((what) => `${migration.name}: ${what}`))
    }
    expect(found).toEqual([])
  })

  it.each([
    ['alter table mails drop column kind', 'mails.kind is not as it was'],
    ['alter table mails rename column kind to sort', 'mails.kind is not as it was'],
    ['drop table mails cascade', 'mails.kind is not as it was'],
    ['alter table mails alter column kind type varchar', 'mails.kind is not as it was'],
    ['alter table mails alter column kind drop not null', 'mails.kind is not as it was'],
    ['alter table mails add column sort text not null', 'mails.sort has no default'],
    ["alter table mails add constraint short check (kind <> '')", 'mails: short limits what they write'],
    ['create unique index one_kind on mails (kind)', 'mails: one_kind limits what they write'],
    ['alter table mails drop constraint mails_pkey cascade', 'mails: mails_pkey is not as it was'],
    [
      'create table notes (id uuid primary key references users)',
      'notes: notes_id_fkey keeps them from removing rows of users',
    ],
  ])('an expanding migration does not include: %s', async (statement, what) => {
    await using store = await createTestDatabase()
    const migration: Migration = {
      name: '9001-taken',
      kind: 'expand',
      up: async (db) => void (await sql.raw(statement).execute(db)),
    }
    expect(await noticedOf(store, migration, migrations)).toContain(what)
  })

  it.each([
    'create table notes (id uuid primary key references users on delete cascade, text text not null unique)',
    "alter table mails add column sort text not null default '', add column note text check (note <> '')",
    'create index mails_kind on mails (kind)',
  ])('an expanding migration may include: %s', async (statement) => {
    await using store = await createTestDatabase()
    const migration: Migration = {
      name: '9001-added',
      kind: 'expand',
      up: async (db) => void (await sql.raw(statement).execute(db)),
    }
    expect(await noticedOf(store, migration, migrations)).toEqual([])
  })
})

it('a contracting migration removes only parts that an earlier version did not use, and names that version', () => {
  const names = migrations.map(({ name }) => name)
  expect(names).toEqual(names.toSorted())
  // All processes are stopped for the first one, which is the baseline.
  for (const each of migrations.slice(1)) {
    if (each.kind === 'expand') continue
    expect(names).toContain(each.oldest)
    expect(each.oldest < each.name, each.name).toBe(true)
  }
})
