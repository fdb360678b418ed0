import { ConfigurationError, type DeliverContext, DeliveryError, type GuardedStream } from '@tributary/connector-kit'
import { type Connection, createConnection } from 'mysql2'
import type { DatabaseAccess } from '../access/access.ts'
import { tlsOptions } from '../access/certificates.ts'

/**
 * Maximum packets of the server for one statement or one batch of rows: each, however small, becomes objects in memory.
 */
const packetsOfAnswer = 65_536

/** Capabilities that the driver would announce: reading our files, and the server's own reading of a statement. */
const refusedCapabilities = ['-LOCAL_FILES', '-IGNORE_SPACE', '-ODBC']

/** The part of the driver that a packet goes through; its types do not say so. */
type Packets = {
  sequenceId: number
  _paused: boolean
  handlePacket(packet?: { sequenceId: number }): void
}

/** A connection whose server has let us in, with the socket below it. */
export type GuardedConnection = {
  readonly connection: Connection
  readonly socket: GuardedStream
  /** True for a server of MariaDB. */
  readonly isMariaDb: boolean
  /** Restores the limits of bytes and packets: to be called before each statement, and before each batch of rows. */
  renew(): void
}

/**
 * Checks each packet before the driver does. One that is out of order, one too many, or unreadable ends the connection.
 * The driver would write the first to the console, store the second, and let the last end the process.
 */
const guardPackets = (connection: Connection, socket: GuardedStream, host: string): (() => void) => {
  const driver = connection as unknown as Packets
  const handle = driver.handlePacket.bind(connection)
  let left = packetsOfAnswer
  const refuse = (words: string): void => void socket.destroy(new ConfigurationError(words))
  driver.handlePacket = (packet) => {
    if (socket.destroyed) return
    if (packet !== undefined && !driver._paused) {
      if (--left < 0)
        return refuse(`${host} answered with more than ${packetsOfAnswer} packets; the connection was ended`)
      if (packet.sequenceId !== driver.sequenceId)
        return refuse(`${host} does not respond as MySQL or MariaDB does; the connection was ended`)
    }
    try {
      handle(packet)
    } catch (error) {
      socket.destroy(new ConfigurationError('The server sent what MySQL and MariaDB do not', undefined, error))
    }
  }
  return () => {
    left = packetsOfAnswer
  }
}

/** The guard's reason for ending the connection: the driver has only the fact. */
export const causeOf = (error: unknown, socket: GuardedStream): unknown =>
  socket.errored instanceof DeliveryError ? socket.errored : error

/**
 * Connects and signs in. All options are given, so that the driver reads no environment variable and no file. It
 * accepts one statement at a time, and reads no file for a server that asks for one. `answerBytes` is the limit of the
 * server's bytes until `renew` is called. Throws errors that `deliveryError` translates.
 */
export const createGuardedConnection = async (
  access: DatabaseAccess,
  { connect, signal }: Pick<DeliverContext, 'connect' | 'signal'>,
  { answerBytes }: { answerBytes: number },
): Promise<GuardedConnection> => {
  const { host, port, database, user, password = '' } = access
  const socket = await connect({ host, port, signal, answerBytes })
  const tls = tlsOptions(access)
  // The name to compare a certificate with when the host is an address: the driver passes only names to TLS.
  Object.assign(socket, { _host: host })
  const connection = createConnection({
    stream: () => socket,
    host,
    port,
    database,
    user,
    password,
    ...(tls === false ? {} : { ssl: { ...tls, verifyIdentity: true } }),
    connectTimeout: 10_000,
    charset: 'UTF8MB4_UNICODE_CI',
    connectAttributes: { program_name: 'Tributary' },
    multipleStatements: false,
    flags: refusedCapabilities,
    enableCleartextPlugin: false,
    // The names of the server's columns never become code.
    disableEval: true,
    // Values are bytes until their types are known.
    typeCast: false,
  })
  const renewPackets = guardPackets(connection, socket, host)
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('error', reject)
      connection.once('connect', () => {
        connection.removeListener('error', reject)
        resolve()
      })
    })
  } catch (error) {
    connection.on('error', () => {})
    socket.destroy()
    throw causeOf(error, socket)
  }
  // Without a listener an error between two questions would end the process.
  connection.on('error', () => {})
  const renew = (): void => {
    renewPackets()
    socket.renew()
  }
  renew()
  const { _isMariaDB: isMariaDb = false } = connection as unknown as { _isMariaDB?: boolean }
  return { connection, socket, isMariaDb, renew }
}

/** Maximum wait for the server to notice the goodbye, ms. */
const farewellMs = 1000

/** Says goodbye and closes the connection, even when the server does not listen or has not finished a response. */
export const endConnection = async ({ connection, socket }: GuardedConnection): Promise<void> => {
  if (socket.closed) return
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const late = setTimeout(() => socket.destroy(), farewellMs)
  if (!socket.destroyed) connection.end(() => socket.destroy())
  await closed
  clearTimeout(late)
}
