import { type QueryExecutorProvider, sql } from 'kysely'

/** Key of the advisory lock that lets one process migrate at a time; "trib" in ASCII. */
export const schemaLock = 0x74726962

/**
 * What a migration is to processes of the version before. One that expands only adds: they go on working with what it leaves. One that contracts takes away
 * what they may use: only those go on that know the migration `oldest`, since that version does without it.
 */
export type MigrationKind = { readonly kind: 'expand' } | { readonly kind: 'contract'; readonly oldest: string }

/** A migration that was applied, and the oldest that a process has to know since; null for one that expands. */
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

/** What was applied to a database, in the order of the names. */
export const appliedSchemas = async (tx: QueryExecutorProvider): Promise<AppliedSchema[]> => {
  // Before the first migration that says more, there is only the name.
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
 * Makes sure that a program that knows these migrations can work with what was applied: one that it does not know must expand, or ask for no more than
 * it knows.
 *
 * @throws SchemaTooNew
 */
export const refuseTooNew = (applied: readonly AppliedSchema[], known: ReadonlySet<string>): void => {
  const beyond = applied.filter(({ name, oldest }) => !known.has(name) && oldest !== null && !known.has(oldest))
  if (beyond.length > 0) throw new SchemaTooNew(beyond.map(({ name }) => name))
}
