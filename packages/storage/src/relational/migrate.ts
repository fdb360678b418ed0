import { setTimeout as pause } from 'node:timers/promises'
import { faultPoint } from '@tributary/kernel'
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely'
import { eventSchemas } from '../event-store/migrate.ts'
import { appliedIfAny, appliedSchemas, type MigrationKind, refuseTooNew, schemaLock } from './applied-schemas.ts'
import { earlierMigrations, stepToBaseline } from './baseline.ts'
import { baselineName, completeEarlier } from './migrations/0200-baseline/baseline.ts'
import { migrations as ownMigrations } from './migrations/index.ts'
import { OlderProcessesRun, requireNoneOlder, runningMs } from './process-schemas.ts'
import { removeRewriteSchema } from './rewrite-schema.ts'

/**
 * One step of the schema, and whether processes of the previous version continue to work with it. Migrations are
 * applied in the order of their names; an applied migration never changes.
 */
export type Migration = { readonly name: string; up(db: QueryExecutorProvider): Promise<void> } & MigrationKind

/** Thrown if a process that does not migrate finds a schema of an earlier version, or none. */
export class SchemaNotReady extends Error {
  constructor() {
    super(
      'The database does not have the schema of this version of Tributary yet: start the main process, in this version, ' +
        'before commands and before processes that only collect, process, or deliver.',
    )
    this.name = 'SchemaNotReady'
  }
}

/** The schemas that a program supports, of both stores; those of version 0.1 are part of the baseline. */
const knownOf = (migrations: readonly Migration[]): ReadonlySet<string> =>
  new Set([...earlierMigrations, ...migrations.map(({ name }) => name), ...eventSchemas])

/** The schemas that this program supports, by the names of their migrations. */
export const knownSchemas = (): ReadonlySet<string> => knownOf(ownMigrations)

/**
 * In one transaction: takes the lock, finds the next migration, applies and records it. Returns false if there is none.
 */
const applyNext = <DB>(db: Kysely<DB>, migrations: readonly Migration[], done: string[]): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`select pg_advisory_xact_lock(${sql.lit(schemaLock)})`.execute(tx)
    // Aborts a rewrite of a table's files, because a migration may change that table, and the rewrite's trigger must
    // not outlive its process.
    await sql.raw(removeRewriteSchema).execute(tx)
    await sql`create table if not exists schema_migrations (
      name text primary key, applied_time timestamptz not null default now(), oldest text)`.execute(tx)
    const applied = await appliedSchemas(tx)
    refuseTooNew(applied, knownOf(migrations))
    const step = await stepToBaseline(tx, applied)
    const next = migrations.find(({ name }) => !applied.some((one) => one.name === name))
    if (next === undefined) return false
    if (next.kind === 'contract') await requireNoneOlder(tx, next.oldest)
    if (next.name === baselineName && step === 'complete') await completeEarlier(tx)
    else await next.up(tx)
    faultPoint('migration-before-commit')
    await sql`insert into schema_migrations (name) values (${next.name})`.execute(tx)
    if (next.kind === 'contract')
      await sql`update schema_migrations set oldest = ${next.oldest} where name = ${next.name}`.execute(tx)
    done.push(next.name)
    return true
  })

/**
 * Checks that every missing migration may be applied. The database must be empty, at the baseline, or of the last
 * commit of version 0.1, and no running process may be too old. Changes nothing.
 *
 * @throws SchemaTooNew, OlderStore, OlderProcessesRun
 */
export const requireMigratable = async <DB>(
  db: Kysely<DB>,
  migrations: readonly Migration[] = ownMigrations,
): Promise<void> => {
  const applied = await appliedIfAny(db)
  refuseTooNew(applied, knownOf(migrations))
  if ((await stepToBaseline(db, applied)) === 'create') return
  for (const each of migrations)
    if (each.kind === 'contract' && !applied.some(({ name }) => name === each.name))
      await requireNoneOlder(db, each.oldest)
}

/**
 * Checks that a database is not of version 0.1, which only the start of the product migrates.
 *
 * @throws SchemaNotReady, SchemaTooNew, OlderStore
 */
export const requireNoEarlierVersion = async <DB>(db: Kysely<DB>): Promise<void> => {
  const applied = await appliedIfAny(db)
  refuseTooNew(applied, knownSchemas())
  if ((await stepToBaseline(db, applied)) === 'complete') throw new SchemaNotReady()
}

/** Retries a task while processes run that are too old: recently killed ones count as running for a while. */
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
 * Migrates the schema to this version and returns the names of the migrations applied now. Each is one transaction
 * under an advisory lock, so processes that start together do not conflict. A killed process leaves the schema at a
 * complete step; the next call continues from there. A contracting migration is applied only while no process runs that
 * is too old for it; it waits for recently killed ones. A database of the last commit of version 0.1 gets the additions
 * of the baseline, and its rows stay.
 *
 * @throws SchemaTooNew, OlderStore, OlderProcessesRun before changing anything
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
    // Each iteration is one committed migration.
  }
  return done
}

/**
 * Checks that the schema is that of this version, or a newer one that this program supports. For a process that does
 * not migrate.
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
