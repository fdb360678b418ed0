import { OlderStore } from '../older-store.ts'
import * as baseline from './migrations/0017-baseline.ts'
import { type EventStore, systemOwner } from './port.ts'

/**
 * One version of the schema; each statement may run twice. An expanding version only adds: processes of the previous
 * version continue to work. A contracting version removes parts that older processes may use: only processes that
 * support the version `oldest` continue to work.
 */
export type EventStoreMigration = { readonly version: number; readonly statements: readonly string[] } & (
  | { readonly kind: 'expand' }
  | { readonly kind: 'contract'; readonly oldest: number }
)

/** The version that creates the whole schema. */
const baselineVersion = 17
/** The newest version of the schema in the last commit of version 0.1. */
const lastEarlier = 13

/**
 * All migrations in order. A released one never changes. New ones are appended, with their kind. The first is the
 * baseline: processes of earlier versions cannot run together with one of this version.
 */
export const eventStoreMigrations: readonly EventStoreMigration[] = [
  { version: baselineVersion, kind: 'contract', oldest: baselineVersion, statements: baseline.statements },
]

/** The name of a version in the list of schemas that processes support. */
const schemaName = (version: number): string => `event store ${version}`

/** The names of the versions that this program supports. */
export const eventSchemas: readonly string[] = eventStoreMigrations.map(({ version }) => schemaName(version))

/** `oldest` is the oldest version that a process must support; 0 for a version that only adds. */
const versionsTable = `create table if not exists schema_versions (
  version UInt32,
  applied_at DateTime64(3, 'UTC') default now64(3),
  oldest UInt32
) engine = MergeTree
order by version
settings non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192,
  min_rows_to_fsync_after_merge = 1`

type AppliedVersion = { version: number; oldest?: number }

/**
 * The applied versions.
 *
 * @throws EventStoreTooNew if one of them removed something that this program uses
 */
const readApplied = async (
  store: EventStore,
  migrations: readonly EventStoreMigration[],
): Promise<ReadonlySet<number>> => {
  // Databases of earlier versions may have only the number.
  const rows = await store.query<AppliedVersion>('select * from schema_versions', {}, { owner: systemOwner })
  const newest = Math.max(...migrations.map(({ version }) => version))
  const beyond = rows.filter(({ version, oldest = 0 }) => version > newest && oldest > newest)
  if (beyond.length > 0) throw new EventStoreTooNew(Math.max(...beyond.map(({ version }) => version)), newest)
  return new Set(rows.map(({ version }) => version))
}

/** Thrown if a later version of the product migrated the event store to a schema that this version does not support. */
export class EventStoreTooNew extends Error {
  override readonly name = 'EventStoreTooNew'
  constructor(found: number, known: number) {
    super(
      `The event store has the schema version ${found}, and this version of Tributary, which knows ${known}, cannot work with it. Start the newer ` +
        'version, or restore a backup.',
    )
  }
}

/** Thrown if a process that does not migrate finds an event store of an earlier version, or none. */
export class EventStoreNotReady extends Error {
  override readonly name = 'EventStoreNotReady'
  constructor() {
    super(
      'The event store does not have the schema of this version of Tributary yet: start the main process, in this version, before those that only ' +
        'process or deliver.',
    )
  }
}

const tableOf = (statement: string): string | undefined => /^create table if not exists (\w+)/.exec(statement)?.[1]

/**
 * Whether the table of versions has the form of this version but no rows: the creation of the baseline was interrupted.
 */
const isInterrupted = async (store: EventStore): Promise<boolean> => {
  const columns = await store.query(
    `select name from system.columns where database = currentDatabase() and table = 'schema_versions' and name = 'oldest'`,
    {},
    { owner: systemOwner },
  )
  return columns.length > 0
}

type Start = { step: 'done' | 'complete' | 'create'; applied: ReadonlySet<number> }

const storeName = 'The event store'

/**
 * Checks that the event store is empty, at the baseline, or of the last commit of version 0.1, and returns its
 * versions. Changes nothing.
 *
 * @throws OlderStore, EventStoreTooNew
 */
export const requireEventStoreMigratable = async (
  store: EventStore,
  migrations: readonly EventStoreMigration[] = eventStoreMigrations,
): Promise<Start> => {
  const rows = await store.query<{ name: string }>(
    'select name from system.tables where database = currentDatabase()',
    {},
    { owner: systemOwner },
  )
  const tables = new Set(rows.map(({ name }) => name))
  const own = baseline.statements.map(tableOf).filter((name) => name !== undefined && tables.has(name))
  if (!tables.has('schema_versions')) {
    if (own.length === 0) return { step: 'create', applied: new Set() }
    throw new OlderStore(
      storeName,
      `it has tables such as ${own.slice(0, 3).join(', ')}, and no record of their version`,
    )
  }
  const applied = await readApplied(store, migrations)
  if (applied.has(baselineVersion)) return { step: 'done', applied }
  if (applied.size === 0 && (await isInterrupted(store))) return { step: 'create', applied }
  const found = [...applied].toSorted((a, b) => a - b)
  if (found.length === lastEarlier && found.at(-1) === lastEarlier) return { step: 'complete', applied }
  throw new OlderStore(
    storeName,
    found.length === 0
      ? 'its creation was interrupted in an earlier version'
      : `its schema versions are ${found.join(', ')}, not 1 to ${lastEarlier}`,
  )
}

/**
 * Migrates the database to the newest schema, forward only. May be interrupted anywhere and started again, also by two
 * processes at a time: every statement does nothing the second time. A version is recorded after its statements. A
 * store of the last commit of version 0.1 gets the additions of the baseline, and its rows stay. The callback
 * `contract` runs before a version removes something, because other processes may use the event store. If it rejects,
 * nothing of that version is done.
 *
 * @throws OlderStore, EventStoreTooNew before changing anything
 */
export const migrateEventStore = async (
  store: EventStore,
  {
    migrations = eventStoreMigrations,
    contract,
  }: {
    migrations?: readonly EventStoreMigration[]
    contract?: (migration: { name: string; oldest: string }) => Promise<void>
  } = {},
): Promise<void> => {
  const { step, applied } = await requireEventStoreMigratable(store, migrations)
  if (step === 'create') await store.command(versionsTable)
  for (const migration of migrations) {
    const { version } = migration
    if (applied.has(version)) continue
    if (migration.kind === 'contract')
      await contract?.({ name: schemaName(version), oldest: schemaName(migration.oldest) })
    const completes = version === baselineVersion && step === 'complete'
    for (const statement of completes ? baseline.completeEarlier : migration.statements) await store.command(statement)
    const row = migration.kind === 'contract' ? { version, oldest: migration.oldest } : { version }
    await store.insert('schema_versions', JSON.stringify(row), { token: `schema-version:${version}` })
  }
}

/**
 * Checks that the schema is that of this version, or a newer one that this program supports. For a process that does
 * not migrate.
 *
 * @throws EventStoreNotReady, EventStoreTooNew
 */
export const requireEventStore = async (
  store: EventStore,
  migrations: readonly EventStoreMigration[] = eventStoreMigrations,
): Promise<void> => {
  const [table] = await store.query(
    `select name from system.tables where database = currentDatabase() and name = 'schema_versions'`,
    {},
    { owner: systemOwner },
  )
  const applied = table === undefined ? new Set<number>() : await readApplied(store, migrations)
  if (migrations.some(({ version }) => !applied.has(version))) throw new EventStoreNotReady()
}
