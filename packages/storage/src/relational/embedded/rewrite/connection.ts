import { Client } from 'pg'
import { rewriteSchema } from '../../rewrite-schema.ts'

/** Opens a connection for a rewrite, on which definitions contain every name with its schema. */
export const connect = async (url: string, name: string): Promise<Client> => {
  const client = new Client({ connectionString: url, ssl: false, application_name: name })
  client.on('error', () => {})
  await client.connect()
  await client.query(`set search_path = pg_catalog; set client_min_messages = error`)
  return client
}

/** True if a statement was canceled, or a lock was not granted in time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '57014' || error.code === '55P03')

/** The name of the copy of the table. */
export const copy = `${rewriteSchema}.copy`
/** The name of the log of changed keys. */
export const log = `${rewriteSchema}.log`
