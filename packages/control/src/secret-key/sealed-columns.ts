import type { Db } from '@tributary/api-kit'
import { secretsContext, tokensContext, verifierContext } from '@tributary/configuration'
import { channelContext } from '@tributary/syncs'
import { sql } from 'kysely'
import { keyContext } from '../writekeys/keys.ts'

/** The values of the columns that identify a row. */
type Key = Readonly<Record<string, unknown>>

/** A column whose values are sealed with the secret key. */
export type SealedColumn = {
  table: string
  column: string
  /** `key`: the column of the primary key. `more`: further columns that the encryption context needs. */
  key: string
  more: readonly string[]
  /** Returns the encryption context of the value in a row. */
  context: (row: Key) => string
}

const text = (value: unknown): string => String(value)

/** All columns with sealed values. A test compares this list with the database schema. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'write_keys', column: 'key_encrypted', key: 'id', more: [], context: ({ id }) => keyContext(text(id)) },
  {
    table: 'sources',
    column: 'secrets_encrypted',
    key: 'id',
    more: [],
    context: ({ id }) => secretsContext(`sources/${text(id)}`),
  },
  {
    table: 'destinations',
    column: 'secrets_encrypted',
    key: 'id',
    more: [],
    context: ({ id }) => secretsContext(`destinations/${text(id)}`),
  },
  {
    table: 'data_sources',
    column: 'secrets_encrypted',
    key: 'id',
    more: [],
    context: ({ id }) => secretsContext(`dataSources/${text(id)}`),
  },
  {
    table: 'alert_channels',
    column: 'secrets_encrypted',
    key: 'id',
    more: [],
    context: ({ id }) => channelContext(text(id)),
  },
  {
    table: 'oauth_grants',
    column: 'tokens_encrypted',
    key: 'destination_id',
    more: ['id'],
    context: ({ destination_id, id }) => tokensContext(text(destination_id), text(id)),
  },
  {
    table: 'oauth_consents',
    column: 'verifier_encrypted',
    key: 'state_hash',
    more: [],
    context: ({ state_hash }) => verifierContext(state_hash as Uint8Array),
  },
]

export type SealedRow = Key & { sealed: Uint8Array }

/** Returns at most `limit` rows whose sealed column has a value, sorted by key, with keys after `page.after`. */
export const readSealed = async (
  db: Db,
  { table, column, key, more }: SealedColumn,
  page: { after?: unknown; limit: number },
): Promise<SealedRow[]> => {
  const columns = [key, ...more].map((name) => sql.ref(name))
  const behind = page.after === undefined ? sql`true` : sql`${sql.ref(key)} > ${page.after}`
  const { rows } = await sql<SealedRow>`
    select ${sql.join(columns)}, ${sql.ref(column)} as sealed from ${sql.table(table)}
    where ${sql.ref(column)} is not null and ${behind}
    order by ${sql.ref(key)} limit ${page.limit}`.execute(db)
  return rows
}
