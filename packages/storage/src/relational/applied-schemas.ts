import { type QueryExecutorProvider, sql } from 'kysely'

/** Key of the advisory lock that allows one process at a time to migrate; "trib" in ASCII. */
export const schemaLock = 0x74726962

/**
 * The effect of a migration on processes of the previous version. An expanding one only adds: those processes continue
 * to work. A contracting one removes parts that they may use: only processes that support the migration `oldest`
 * continue to work, because since that migration the product does not use those parts.
 */
export type MigrationKind = { readonly kind: 'expand' } | { readonly kind: 'contract'; readonly oldest: string }

/** An applied migration, and the oldest migration that a process must support since then; null for an expanding one. */
export type AppliedSchema = { name: string; oldest: string | null }

/** Thrown if a later version of the product migrated the database to a schema that this version does not support. */
export class SchemaTooNew extends Error {
  constructor(names: readonly string[]) {
    super(
      `The database was changed by a newer version of Tributary (${names.join(', ')}), and this version cannot work with it. Start that ` +
        'version or a later one, or restore a backup made with this one. Schemas cannot be downgraded.',
    )
    this.name = 'SchemaTooNew'
  }
}

/** The migrations applied to a database, sorted by name. */
export const appliedSchemas = async (tx: QueryExecutorProvider): Promise<AppliedSchema[]> => {
  // Databases of earlier versions may have only the name.
  const { rows } = await sql<AppliedSchema>`
    select name, to_jsonb(applied) ->> 'oldest' as oldest from schema_migrations as applied order by name`.execute(tx)
  return rows
}

/** Like `appliedSchemas`, for a database that may be empty. */
export const appliedIfAny = async (db: QueryExecutorProvider): Promise<AppliedSchema[]> => {
  const { rows } = await sql<{ known: boolean }>`select to_regclass('schema_migrations') is not null as known`.execute(
    db,
  )
  return rows[0]?.known === true ? await appliedSchemas(db) : []
}

/**
 * Checks that a program with these migrations can work with the applied ones. An unknown migration must expand, or
 * require only migrations that the program supports.
 *
 * @throws SchemaTooNew
 */
export const refuseTooNew = (applied: readonly AppliedSchema[], known: ReadonlySet<string>): void => {
  const beyond = applied.filter(({ name, oldest }) => !known.has(name) && oldest !== null && !known.has(oldest))
  if (beyond.length > 0) throw new SchemaTooNew(beyond.map(({ name }) => name))
}
