import { type DeliverContext, DeliveryError, type GuardedStream } from '@tributary/connector-kit'
import { Client } from 'pg'
import type { DatabaseAccess } from '../access/access.ts'
import { tlsOptions } from '../access/certificates.ts'
import { guardMessages, type SignInReply } from './messages.ts'

/**
 * Limits of one connection: maximum ms of a statement and of a wait for a lock, and maximum bytes of a response. Without
 * `lockMs`, the server is not asked to limit anything, and the caller does so itself.
 */
export type ConnectionLimits = { statementMs: number; lockMs?: number; answerBytes: number }

/** A client on a guarded socket; it is not connected yet. */
export type GuardedClient = { client: Client; socket: GuardedStream }

/** Makes the client reset the socket's count of bytes before each query, so that the limit applies to each query. */
const renewing = (client: Client, socket: GuardedStream): Client => {
  const ask = client.query.bind(client) as (...args: unknown[]) => unknown
  const query = (...args: unknown[]): unknown => {
    socket.renew()
    return ask(...args)
  }
  return Object.assign(client, { query })
}

/**
 * Opens the socket and creates a client that uses it. All options are given, so that the driver reads no environment
 * variables and no files. `reply` answers a request to sign in that the driver lacks.
 */
export const createGuardedClient = async (
  access: DatabaseAccess,
  { connect, signal }: Pick<DeliverContext, 'connect' | 'signal'>,
  { statementMs, lockMs, answerBytes }: ConnectionLimits,
  reply?: SignInReply,
): Promise<GuardedClient> => {
  const { host, port, database, user, password = '' } = access
  const socket = await connect({ host, port, signal, answerBytes })
  // The guard has connected the socket already, so the driver must not connect it again.
  Object.assign(socket, { connect: () => process.nextTick(() => socket.emit('connect')) })
  const client = new Client({
    stream: () => socket,
    host,
    port,
    database,
    user,
    password: () => password,
    ssl: tlsOptions(access),
    application_name: 'Tributary',
    connectionTimeoutMillis: 10_000,
    ...(lockMs === undefined ? {} : { statement_timeout: statementMs, lock_timeout: lockMs }),
    // Ends a query if the server no longer responds although the connection is open.
    query_timeout: statementMs + 10_000,
  })
  guardMessages(client, socket, reply)
  return { client: renewing(client, socket), socket }
}

/** Returns the guard's reason for ending the connection, because the driver only reports that it ended. */
export const causeOf = (error: unknown, socket: GuardedStream): unknown =>
  socket.errored instanceof DeliveryError ? socket.errored : error
