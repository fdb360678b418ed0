import { type DeliverContext, type GuardedStream, type Lifetime, RetryableError } from '@tributary/connector-kit'
import type { Client } from 'pg'
import { type ConnectionLimits, causeOf, createGuardedClient } from '../../wire/postgresql/connect.ts'
import { deliveryError } from '../../wire/postgresql/failures.ts'
import { quoted } from '../../wire/postgresql/identifiers.ts'
import type { PostgresqlSettings } from './settings.ts'
import { createTables, type Tables } from './tables.ts'

/** An open connection, with what is known of the tables. */
export type Session = { client: Client; tables: Tables }
type OpenSession = Session & { socket: GuardedStream }

type Context = DeliverContext<PostgresqlSettings>

/** The one connection of a destination; whoever uses it has it alone. */
type Keeper = { use<T>(context: Context, work: (session: Session) => Promise<T>): Promise<T> }

/** A connection that nobody used for so long is closed, ms. */
const idleMs = 60_000
const limits: ConnectionLimits = {
  statementMs: 30_000,
  lockMs: 10_000,
  // The columns of a table with a thousand take a tenth of it, and what a statement selects is not used.
  answerBytes: 1024 * 1024,
}

const createKeeper = (lifetime: Lifetime): Keeper => {
  let session: OpenSession | undefined
  let idle: NodeJS.Timeout | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const close = async (): Promise<void> => {
    clearTimeout(idle)
    const closing = session
    session = undefined
    await closing?.client.end().catch(() => {})
  }

  const open = async (context: Context): Promise<OpenSession> => {
    if (session !== undefined) return session
    const { client, socket } = await createGuardedClient(context.settings, context, limits)
    const schema = context.settings.schema
    const opened = { client, socket, tables: createTables(client, schema) }
    // Without a listener an error between two uses would end the process.
    client.on('error', () => {
      if (session === opened) session = undefined
    })
    try {
      await client.connect()
      await client.query(`set search_path to ${quoted(schema)}, public`)
    } catch (error) {
      await client.end().catch(() => {})
      throw causeOf(error, socket)
    }
    session = opened
    return opened
  }

  const useNow = async <T>(context: Context, work: (session: Session) => Promise<T>): Promise<T> => {
    if (context.signal.aborted) throw new RetryableError('Interrupted')
    clearTimeout(idle)
    const onAbort = (): void => void close()
    context.signal.addEventListener('abort', onAbort, { once: true })
    let used: OpenSession | undefined
    try {
      used = await open(context)
      const result = await work(used)
      idle = setTimeout(() => void close(), idleMs).unref()
      return result
    } catch (error) {
      // Whatever it was, a new connection begins without a half-done transaction.
      await close()
      throw deliveryError(used === undefined ? error : causeOf(error, used.socket))
    } finally {
      context.signal.removeEventListener('abort', onAbort)
      if (lifetime.ended) await close()
    }
  }

  lifetime.onEnd(async () => {
    await turn.catch(() => {})
    await close()
  })
  return {
    use: (context, work) => {
      const mine = turn.catch(() => {}).then(() => useNow(context, work))
      turn = mine
      return mine
    },
  }
}

const keepers = new WeakMap<Lifetime, Keeper>()

/**
 * Runs work on the destination's connection, which is opened when there is none and kept for the next one; nobody else uses
 * it meanwhile. Rejects with a DeliveryError, after which the connection is a new one.
 */
export const useSession = <T>(context: Context, work: (session: Session) => Promise<T>): Promise<T> => {
  const { lifetime } = context
  let keeper = keepers.get(lifetime)
  if (keeper === undefined) {
    keeper = createKeeper(lifetime)
    keepers.set(lifetime, keeper)
  }
  return keeper.use(context, work)
}
