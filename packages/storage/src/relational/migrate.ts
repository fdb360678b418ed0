import { faultPoint } from '@tributary/kernel'
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely'
import { migrations as ownMigrations } from './migrations/index.ts'

/** One step of the schema. Names sort in the order of applying; an applied migration never changes. */
export type Migration = { name: string; up(db: QueryExecutorProvider): Promise<void> }

/** Key of the advisory lock that lets one process migrate at a time; "trib" in ASCII. */
const lockKey = 0x74726962

/** Thrown when the database was migrated by a later version of the product. */
export class SchemaTooNew extends Error {
  constructor(names: readonly string[]) {
    super(
      `The database was changed by a newer version of Tributary (${names.join(', ')}). Start that version or a later ` +
        'one, or restore a backup made with this one. Schemas cannot be downgraded.',
    )
    this.name = 'SchemaTooNew'
  }
}

/** Thrown when a process that does not change the schema finds one of before its version, or none. */
export class SchemaNotReady extends Error {
  constructor() {
    super(
      'The database does not have the schema of this version of Tributary yet: start the process that runs the other ' +
        'roles, in this version, before those that only collect.',
    )
    this.name = 'SchemaNotReady'
  }
}

const appliedNames = async (tx: QueryExecutorProvider): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`select name from schema_migrations order by name`.execute(tx)
  return rows.map(({ name }) => name)
}

const refuseUnknown = (applied: readonly string[], migrations: readonly Migration[]): void => {
  const unknown = applied.filter((name) => !migrations.some((migration) => migration.name === name))
  if (unknown.length > 0) throw new SchemaTooNew(unknown)
}

/** In one transaction: takes the lock, looks which migration is next, applies and records it. False when none is left. */
const applyNext = <DB>(db: Kysely<DB>, migrations: readonly Migration[], done: string[]): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`select pg_advisory_xact_lock(${sql.lit(lockKey)})`.execute(tx)
    await sql`create table if not exists schema_migrations (
      name text primary key, applied_time timestamptz not null default now())`.execute(tx)
    const applied = await appliedNames(tx)
    refuseUnknown(applied, migrations)
    const next = migrations.find(({ name }) => !applied.includes(name))
    if (next === undefined) return false
    await next.up(tx)
    faultPoint('migration-before-commit')
    await sql`insert into schema_migrations (name) values (${next.name})`.execute(tx)
    done.push(next.name)
    return true
  })

/**
 * Brings the schema forward to this version and returns the names of the migrations applied now. Each is one
 * transaction under an advisory lock, so processes that start together do not disturb each other, and a killed one
 * leaves the schema at a whole step; calling again goes on from there.
 *
 * @throws SchemaTooNew before changing anything.
 */
export const migrate = async <DB>(
  db: Kysely<DB>,
  migrations: readonly Migration[] = ownMigrations,
): Promise<string[]> => {
  const ordered = migrations.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const done: string[] = []
  while (await applyNext(db, ordered, done)) {
    // Each turn is one committed migration.
  }
  return done
}

/**
 * Makes sure that the schema is that of this version, for a process that leaves it to another one to bring it there.
 *
 * @throws SchemaNotReady, SchemaTooNew
 */
export const requireSchema = async <DB>(
  db: Kysely<DB>,
  migrations: readonly Migration[] = ownMigrations,
): Promise<void> => {
  const { rows } = await sql<{ known: boolean }>`select to_regclass('schema_migrations') is not null as known`.execute(
    db,
  )
  const applied = rows[0]?.known === true ? await appliedNames(db) : []
  refuseUnknown(applied, migrations)
  if (migrations.some(({ name }) => !applied.includes(name))) throw new SchemaNotReady()
}
