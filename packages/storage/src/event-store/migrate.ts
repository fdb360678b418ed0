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
import { type EventStore, systemOwner } from './port.ts'

/** All migrations in order. One that has been released never changes; each statement may run twice. */
const migrations: readonly { version: number; statements: readonly string[] }[] = [
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

const versionsTable = `create table if not exists schema_versions (
  version UInt32,
  applied_at DateTime64(3, 'UTC') default now64(3)
) engine = MergeTree
order by version
settings non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1`

/**
 * Brings the database to the newest schema, forward only. May be interrupted anywhere and started again, also by two
 * processes at a time: every statement does nothing the second time, and a version is written down after its statements.
 * Throws when the database is newer than this program.
 */
export const migrateEventStore = async (store: EventStore): Promise<void> => {
  await store.command(versionsTable)
  const rows = await store.query<{ version: number }>(
    'select distinct version from schema_versions order by version',
    {},
    { owner: systemOwner },
  )
  const applied = new Set(rows.map((row) => row.version))
  const newest = migrations.at(-1)?.version ?? 0
  const unknown = [...applied].filter((version) => version > newest)
  if (unknown.length > 0) {
    throw new Error(
      `The event store has the schema version ${Math.max(...unknown)}, this program knows ${newest}: run the newer program, or restore a backup`,
    )
  }
  for (const { version, statements } of migrations) {
    if (applied.has(version)) continue
    for (const statement of statements) await store.command(statement)
    await store.insert('schema_versions', JSON.stringify({ version }), { token: `schema-version:${version}` })
  }
}
