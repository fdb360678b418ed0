import { type DeliverContext, DeliveryError, type GuardedStream } from '@tributary/connector-kit'
import { Client } from 'pg'
import type { DatabaseAccess } from '../access/access.ts'
import { tlsOptions } from '../access/certificates.ts'

/** Limits of one connection: ms of a statement and of a wait for a lock, bytes of a response. */
export type ConnectionLimits = { statementMs: number; lockMs: number; answerBytes: number }

/** A client on a guarded socket; it is not connected yet. */
export type GuardedClient = { client: Client; socket: GuardedStream }

/** Each query has a limit of its own: the client renews the socket's limit before each. */
const renewing = (client: Client, socket: GuardedStream): Client => {
  const ask = client.query.bind(client) as (...args: unknown[]) => unknown
  const query = (...args: unknown[]): unknown => {
    socket.renew()
    return ask(...args)
  }
  return Object.assign(client, { query })
}

/**
 * Opens the socket and puts a client on it. All options are given, so that the driver reads no environment variable and
 * no file.
 */
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

/** The guard's reason for ending the connection: the driver has only the fact. */
export const causeOf = (error: unknown, socket: GuardedStream): unknown =>
  socket.errored instanceof DeliveryError ? socket.errored : error
