import { type DeliverContext, DeliveryError, type GuardedStream } from '@tributary/connector-kit'
import { Client } from 'pg'
import type { DatabaseAccess } from '../access/access.ts'
import { tlsOptions } from '../access/certificates.ts'

/** What one connection may take: ms of a statement and of a wait for a lock, bytes of an answer. */
export type ConnectionLimits = { statementMs: number; lockMs: number; answerBytes: number }

/** A client on a guarded socket; it is not connected yet. */
export type GuardedClient = { client: Client; socket: GuardedStream }

/** Each question may have an answer of its own: the client asks nothing without renewing what its socket may take. */
const renewing = (client: Client, socket: GuardedStream): Client => {
  const ask = client.query.bind(client) as (...args: unknown[]) => unknown
  const query = (...args: unknown[]): unknown => {
    socket.renew()
    return ask(...args)
  }
  return Object.assign(client, { query })
}

/** Opens the socket and puts a client on it. Everything is given, so that the driver looks at no environment variable and no file. */
export const createGuardedClient = async (
  access: DatabaseAccess,
  { connect, signal }: Pick<DeliverContext, 'connect' | 'signal'>,
  { statementMs, lockMs, answerBytes }: ConnectionLimits,
): Promise<GuardedClient> => {
  const { host, port, database, user, password = '' } = access
  const socket = await connect({ host, port, signal, answerBytes })
  // The driver means to connect it; it is connected already, by the guard.
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
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    // The server answers nothing more, though the connection stands.
    query_timeout: statementMs + 10_000,
  })
  return { client: renewing(client, socket), socket }
}

/** Why the guard ended the connection, where it did: the driver knows only that it ended. */
export const causeOf = (error: unknown, socket: GuardedStream): unknown =>
  socket.errored instanceof DeliveryError ? socket.errored : error
