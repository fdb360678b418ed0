import { type QueryExecutorProvider, sql } from 'kysely'

/** Key of the advisory lock that lets one process migrate at a time; "trib" in ASCII. */
export const schemaLock = 0x74726962

/**
 * The effect of a migration on processes of the version before. An expanding one only adds: they still work with its
 * result. A contracting one removes what they may use: only processes that support the migration `oldest` still work,
 * since that version does without it.
 */
export type MigrationKind = { readonly kind: 'expand' } | { readonly kind: 'contract'; readonly oldest: string }

/** An applied migration, and the oldest that a process has to support since; null for one that expands. */
export type AppliedSchema = { name: string; oldest: string | null }

/** Thrown when the database was migrated by a later version of the product, with whose schema this one cannot work. */
export class SchemaTooNew extends Error {
  constructor(names: readonly string[]) {
    super(
      `The database was changed by a newer version of Tributary (${names.join(', ')}), and this version cannot work with it. Start that ` +
        'version or a later one, or restore a backup made with this one. Schemas cannot be downgraded.',
    )
    this.name = 'SchemaTooNew'
  }
}

/** The migrations applied to a database, in the order of the names. */
export const appliedSchemas = async (tx: QueryExecutorProvider): Promise<AppliedSchema[]> => {
  // Databases of earlier versions may have the name only.
  const { rows } = await sql<AppliedSchema>`
    select name, to_jsonb(applied) ->> 'oldest' as oldest from schema_migrations as applied order by name`.execute(tx)
  return rows
}

/** As `appliedSchemas`, of a database that may be empty. */
export const appliedIfAny = async (db: QueryExecutorProvider): Promise<AppliedSchema[]> => {
  const { rows } = await sql<{ known: boolean }>`select to_regclass('schema_migrations') is not null as known`.execute(
    db,
  )
  return rows[0]?.known === true ? await appliedSchemas(db) : []
}

/**
 * Ensures that a program with these migrations can work with the applied ones. An unknown one must expand, or require
 * no more than the program supports.
 *
 * @throws SchemaTooNew
 */
export const refuseTooNew = (applied: readonly AppliedSchema[], known: ReadonlySet<string>): void => {
  const beyond = applied.filter(({ name, oldest }) => !known.has(name) && oldest !== null && !known.has(oldest))
  if (beyond.length > 0) throw new SchemaTooNew(beyond.map(({ name }) => name))
}
