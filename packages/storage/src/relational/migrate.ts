import { setTimeout as pause } from 'node:timers/promises'
import { faultPoint } from '@tributary/kernel'
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely'
import { eventSchemas } from '../event-store/migrate.ts'
import { appliedIfAny, appliedSchemas, type MigrationKind, refuseTooNew, schemaLock } from './applied-schemas.ts'
import { migrations as ownMigrations } from './migrations/index.ts'
import { OlderProcessesRun, requireNoneOlder, runningMs } from './process-schemas.ts'

/**
 * One step of the schema, and whether processes of the version before go on working with it. Names sort in the order of applying; an applied migration
 * never changes.
 */
export type Migration = { readonly name: string; up(db: QueryExecutorProvider): Promise<void> } & MigrationKind

/** Thrown when a process that does not change the schema finds one of before its version, or none. */
export class SchemaNotReady extends Error {
  constructor() {
    super(
      'The database does not have the schema of this version of Tributary yet: start the process that runs the other ' +
        'roles, in this version, before those that only collect, process, or deliver.',
    )
    this.name = 'SchemaNotReady'
  }
}

/** What a program knows, of both stores. */
const knownOf = (migrations: readonly Migration[]): ReadonlySet<string> =>
  new Set([...migrations.map(({ name }) => name), ...eventSchemas])

/** The schemas that this program knows, by the names of their migrations. */
export const knownSchemas = (): ReadonlySet<string> => knownOf(ownMigrations)

/** In one transaction: takes the lock, looks which migration is next, applies and records it. False when none is left. */
const applyNext = <DB>(db: Kysely<DB>, migrations: readonly Migration[], done: string[]): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`select pg_advisory_xact_lock(${sql.lit(schemaLock)})`.execute(tx)
    await sql`create table if not exists schema_migrations (
      name text primary key, applied_time timestamptz not null default now())`.execute(tx)
    const applied = await appliedSchemas(tx)
    refuseTooNew(applied, knownOf(migrations))
    const next = migrations.find(({ name }) => !applied.some((one) => one.name === name))
    if (next === undefined) return false
    if (next.kind === 'contract') await requireNoneOlder(tx, next.oldest)
    await next.up(tx)
    faultPoint('migration-before-commit')
    await sql`insert into schema_migrations (name) values (${next.name})`.execute(tx)
    if (next.kind === 'contract')
      await sql`update schema_migrations set oldest = ${next.oldest} where name = ${next.name}`.execute(tx)
    done.push(next.name)
    return true
  })

/**
 * Makes sure that every migration that is still to be applied may be, as far as it depends on the processes that run now. Nothing is changed.
 *
 * @throws SchemaTooNew, OlderProcessesRun
 */
export const requireMigratable = async <DB>(
  db: Kysely<DB>,
  migrations: readonly Migration[] = ownMigrations,
): Promise<void> => {
  const applied = await appliedIfAny(db)
  refuseTooNew(applied, knownOf(migrations))
  if (applied.length === 0) return
  for (const each of migrations)
    if (each.kind === 'contract' && !applied.some(({ name }) => name === each.name))
      await requireNoneOlder(db, each.oldest)
}

/** Tries a task again while processes run that are too old: those that were killed just now count a while longer. */
const whileOlderRun = async <Value>(patienceMs: number, task: () => Promise<Value>): Promise<Value> => {
  const until = performance.now() + patienceMs
  for (;;)
    try {
      return await task()
    } catch (error) {
      if (!(error instanceof OlderProcessesRun) || performance.now() >= until) throw error
      await pause(250)
    }
}

/**
 * Brings the schema forward to this version and returns the names of the migrations applied now. Each is one
 * transaction under an advisory lock, so processes that start together do not disturb each other, and a killed one
 * leaves the schema at a whole step; calling again goes on from there. One that contracts is applied while no process runs that is too old for it;
 * it waits for those that were killed just now.
 *
 * @throws SchemaTooNew, OlderProcessesRun before changing anything.
 */
export const migrate = async <DB>(
  db: Kysely<DB>,
  migrations: readonly Migration[] = ownMigrations,
  { patienceMs = runningMs + 1000 }: { patienceMs?: number } = {},
): Promise<string[]> => {
  const ordered = migrations.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const done: string[] = []
  await whileOlderRun(patienceMs, () => requireMigratable(db, ordered))
  while (await whileOlderRun(patienceMs, () => applyNext(db, ordered, done))) {
    // Each turn is one committed migration.
  }
  return done
}

/**
 * Makes sure that the schema is that of this version, or of a newer one that it can work with, for a process that leaves it to another one to bring it there.
 *
 * @throws SchemaNotReady, SchemaTooNew
 */
export const requireSchema = async <DB>(
  db: Kysely<DB>,
  migrations: readonly Migration[] = ownMigrations,
): Promise<void> => {
  const applied = await appliedIfAny(db)
  refuseTooNew(applied, knownOf(migrations))
  if (migrations.some(({ name }) => !applied.some((one) => one.name === name))) throw new SchemaNotReady()
}
