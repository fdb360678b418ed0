import { keepConnections } from '../../wire/access/kept-connection.ts'
import { ask } from '../../wire/mysql/ask.ts'
import { causeOf, createGuardedConnection, endConnection, type GuardedConnection } from '../../wire/mysql/connect.ts'
import { deliveryError } from '../../wire/mysql/failures.ts'
import type { MysqlSettings } from './settings.ts'
import { createTables, statementMs, type Tables } from './tables.ts'

/** An open connection, with a cache of the tables. */
export type Session = { guarded: GuardedConnection; tables: Tables }

/**
 * Prepares the session, whatever the server's own settings are. Values that do not fit are refused instead of
 * truncated, and quotes in statements mean what the driver writes. Each statement of a transaction sees the commits of
 * other transactions.
 */
const prepareSession = [
  `set session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', time_zone = '+00:00',
     lock_wait_timeout = 10, innodb_lock_wait_timeout = 10`,
  'set session transaction isolation level read committed',
]

/** Maximum bytes of a response. The columns of a table with a thousand columns need a tenth of it. */
const answerBytes = 1024 * 1024

/**
 * Runs work on the destination's connection, which is opened when needed and kept. One call at a time uses the
 * connection. Rejects with a DeliveryError; the next call then gets a new connection.
 */
export const useSession = keepConnections<MysqlSettings, Session>({
  open: async (context, onLost) => {
    const guarded = await createGuardedConnection(context.settings, context, { answerBytes })
    guarded.socket.once('close', onLost)
    try {
      for (const statement of prepareSession) await ask(guarded, statement, statementMs)
    } catch (error) {
      guarded.socket.destroy()
      throw error
    }
    return { guarded, tables: createTables(guarded) }
  },
  close: ({ guarded }) => endConnection(guarded),
  failed: (error, session) => deliveryError(session === undefined ? error : causeOf(error, session.guarded.socket)),
})
