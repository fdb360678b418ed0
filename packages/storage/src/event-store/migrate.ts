import * as events from './migrations/0001-events.ts'
import * as compatibility from './migrations/0002-compatibility.ts'
import * as replays from './migrations/0003-replays.ts'
import * as rows from './migrations/0004-rows.ts'
import * as erasedEvents from './migrations/0005-erased-events.ts'
import * as owners from './migrations/0006-owners.ts'
import * as syncs from './migrations/0007-syncs.ts'
import * as eventTimes from './migrations/0008-event-times.ts'
import * as deliveryVersions from './migrations/0009-delivery-versions.ts'
import * as listedKeys from './migrations/0010-listed-keys.ts'
import * as syncedMerges from './migrations/0011-synced-merges.ts'
import * as moreTokens from './migrations/0012-more-tokens.ts'
import * as oldestVersions from './migrations/0013-oldest-versions.ts'
import { type EventStore, systemOwner } from './port.ts'

/**
 * One version of the schema; each statement may run twice. One that expands only adds: processes of the version before go on working with it, as they write and read. One that contracts
 * takes away what they may use: only those go on that know the version `oldest`.
 */
export type EventStoreMigration = { readonly version: number; readonly statements: readonly string[] } & (
  | { readonly kind: 'expand' }
  | { readonly kind: 'contract'; readonly oldest: number }
)

/** Those of versions of which no two ran together: a process that does not know all of these refuses to start. No new one comes here. */
const ofOneVersion: readonly Pick<EventStoreMigration, 'version' | 'statements'>[] = [
  { version: 1, statements: events.statements },
  { version: 2, statements: compatibility.statements },
  { version: 3, statements: replays.statements },
  { version: 4, statements: rows.statements },
  { version: 5, statements: erasedEvents.statements },
  { version: 6, statements: owners.statements },
  { version: 7, statements: syncs.statements },
  { version: 8, statements: eventTimes.statements },
  { version: 9, statements: deliveryVersions.statements },
  { version: 10, statements: listedKeys.statements },
  { version: 11, statements: syncedMerges.statements },
  { version: 12, statements: moreTokens.statements },
]

/** All migrations in order. One that has been released never changes. New ones come at the end, and say what they are. */
export const eventStoreMigrations: readonly EventStoreMigration[] = [
  ...ofOneVersion.map((migration) => ({ ...migration, kind: 'expand' as const })),
  { version: 13, kind: 'expand', statements: oldestVersions.statements },
]

/** The name of a version among the schemas that processes know. */
const schemaName = (version: number): string => `event store ${version}`

/** The versions that this program knows, by their names. */
export const eventSchemas: readonly string[] = eventStoreMigrations.map(({ version }) => schemaName(version))

const versionsTable = `create table if not exists schema_versions (
  version UInt32,
  applied_at DateTime64(3, 'UTC') default now64(3)
) engine = MergeTree
order by version
settings non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1`

type AppliedVersion = { version: number; oldest?: number }

/** What was applied; refuses what a newer program has taken away. */
const readApplied = async (
  store: EventStore,
  migrations: readonly EventStoreMigration[],
): Promise<ReadonlySet<number>> => {
  // Before the version that says more, there is only the number.
  const rows = await store.query<AppliedVersion>('select * from schema_versions', {}, { owner: systemOwner })
  const newest = Math.max(...migrations.map(({ version }) => version))
  const beyond = rows.filter(({ version, oldest = 0 }) => version > newest && oldest > newest)
  if (beyond.length > 0) throw new EventStoreTooNew(Math.max(...beyond.map(({ version }) => version)), newest)
  return new Set(rows.map(({ version }) => version))
}

/** Thrown when the event store was migrated by a later version of the product, with whose schema this one cannot work. */
export class EventStoreTooNew extends Error {
  override readonly name = 'EventStoreTooNew'
  constructor(found: number, known: number) {
    super(
      `The event store has the schema version ${found}, and this version of Tributary, which knows ${known}, cannot work with it. Start the newer ` +
        'version, or restore a backup.',
    )
  }
}

/** Thrown when a process that does not change the event store finds one of before its version, or none. */
export class EventStoreNotReady extends Error {
  override readonly name = 'EventStoreNotReady'
  constructor() {
    super(
      'The event store does not have the schema of this version of Tributary yet: start the main process, in this version, before those that only ' +
        'process or deliver.',
    )
  }
}

/**
 * Brings the database to the newest schema, forward only. May be interrupted anywhere and started again, also by two
 * processes at a time: every statement does nothing the second time, and a version is written down after its statements.
 * `contract` is called before one takes something away, where other processes use the event store, too; when it rejects, nothing of it is done.
 *
 * @throws EventStoreTooNew
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
  await store.command(versionsTable)
  const applied = await readApplied(store, migrations)
  for (const migration of migrations) {
    const { version } = migration
    if (applied.has(version)) continue
    if (migration.kind === 'contract')
      await contract?.({ name: schemaName(version), oldest: schemaName(migration.oldest) })
    for (const statement of migration.statements) await store.command(statement)
    const row = migration.kind === 'contract' ? { version, oldest: migration.oldest } : { version }
    await store.insert('schema_versions', JSON.stringify(row), { token: `schema-version:${version}` })
  }
}

/**
 * Makes sure that the schema is that of this version, or of a newer one that it can work with, for a process that leaves it to another one to bring it there.
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
