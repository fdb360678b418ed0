import { type QueryExecutorProvider, sql } from 'kysely'
import { accountsSql } from './accounts.ts'
import { addedColumnsSql, addedSql } from './added.ts'
import { audiencesSql } from './audiences.ts'
import { billingSql } from './billing.ts'
import { destinationsSql } from './destinations.ts'
import { directorySql } from './directory.ts'
import { privacySql } from './privacy.ts'
import { processesSql } from './processes.ts'
import { profilesSql } from './profiles.ts'
import { signalsSql } from './signals.ts'
import { sourcesSql } from './sources.ts'
import { syncsSql } from './syncs.ts'
import { traitsSql } from './traits.ts'

/** The name of the first migration, which creates the whole schema of version 0.2.0. */
export const baselineName = '0200-baseline'

/** The areas of the schema, each after those to which its tables refer. */
const areas = [
  directorySql,
  accountsSql,
  sourcesSql,
  destinationsSql,
  profilesSql,
  traitsSql,
  audiencesSql,
  syncsSql,
  privacySql,
  signalsSql,
  billingSql,
  processesSql,
  addedSql,
]

/** The tables that the baseline creates. */
export const baselineTables: readonly string[] = areas.flatMap((area) =>
  [...area.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, name = '']) => name),
)

/** Creates the schema of version 0.2.0 in an empty database. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  for (const area of areas) await sql.raw(area).execute(db)
}

/**
 * Brings a database of the last commit of version 0.1 to the schema of version 0.2.0. Tables only get more columns, and
 * rows stay.
 */
export const completeEarlier = async (db: QueryExecutorProvider): Promise<void> => {
  for (const statements of [addedColumnsSql, addedSql]) await sql.raw(statements).execute(db)
}
