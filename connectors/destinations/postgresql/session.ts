import type { GuardedStream } from '@tributary/connector-kit'
import type { Client } from 'pg'
import { keepConnections } from '../../wire/access/kept-connection.ts'
import { type ConnectionLimits, causeOf, createGuardedClient } from '../../wire/postgresql/connect.ts'
import { deliveryError } from '../../wire/postgresql/failures.ts'
import { quoted } from '../../wire/postgresql/identifiers.ts'
import type { Tables } from '../../wire/warehouse/tables.ts'
import type { PostgresqlSettings } from './settings.ts'
import { createTables } from './tables.ts'

/** An open connection, with a cache of the tables. */
export type Session = { client: Client; tables: Tables }
type OpenSession = Session & { socket: GuardedStream }

const limits: ConnectionLimits = {
  statementMs: 30_000,
  lockMs: 10_000,
  // The columns of a table with a thousand columns take a tenth of this limit. Rows that a statement selects are not
  // used.
  answerBytes: 1024 * 1024,
}

/**
 * Runs work on the destination's connection, which is opened when needed and kept. One call at a time uses the
 * connection. Rejects with a DeliveryError; the next call then gets a new connection.
 */
export const useSession = keepConnections<PostgresqlSettings, OpenSession>({
  open: async (context, onLost) => {
    const { client, socket } = await createGuardedClient(context.settings, context, limits)
    const schema = context.settings.schema
    // Without a listener an error between two uses would end the process.
    client.on('error', onLost)
    try {
      await client.connect()
      await client.query(`set search_path to ${quoted(schema)}, public`)
    } catch (error) {
      await client.end().catch(() => {})
      throw causeOf(error, socket)
    }
    return { client, socket, tables: createTables(client, schema) }
  },
  close: ({ client }) => client.end().catch(() => {}),
  failed: (error, session) => deliveryError(session === undefined ? error : causeOf(error, session.socket)),
})
