import { ConfigurationError, type DeliverContext, DeliveryError, type GuardedStream } from '@tributary/connector-kit'
import { type Connection, createConnection } from 'mysql2'
import type { DatabaseAccess } from '../access/access.ts'
import { tlsOptions } from '../access/certificates.ts'

/**
 * Maximum packets of the server for one statement or one batch of rows. Even a small packet becomes objects in memory.
 */
const packetsOfAnswer = 65_536

/**
 * Capabilities that are disabled although the driver would announce them: reading our files, and other ways to parse a
 * statement.
 */
const refusedCapabilities = ['-LOCAL_FILES', '-IGNORE_SPACE', '-ODBC']

/** The part of the driver that handles each packet, which its types do not include. */
type Packets = {
  sequenceId: number
  _paused: boolean
  handlePacket(packet?: { sequenceId: number }): void
}

/** A signed-in connection, with its socket. */
export type GuardedConnection = {
  readonly connection: Connection
  readonly socket: GuardedStream
  /** Whether the server is MariaDB. */
  readonly isMariaDb: boolean
  /** Resets the counts of bytes and packets. Call it before each statement, and before each batch of rows. */
  renew(): void
}

/**
 * Checks each packet before the driver does. A packet that is out of order, excessive, or unreadable ends the
 * connection. The driver would write a packet that is out of order to the console, and store an excessive one. An
 * unreadable one would end the process.
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

/** Returns the guard's reason for ending the connection, because the driver only reports that it ended. */
export const causeOf = (error: unknown, socket: GuardedStream): unknown =>
  socket.errored instanceof DeliveryError ? socket.errored : error

/**
 * Connects and signs in. All options are given, so that the driver reads no environment variables and no files. The
 * connection accepts one statement at a time, and sends no file to a server that requests one. `answerBytes` is the
 * limit of the server's bytes until `renew` is called. Throws errors that `deliveryError` translates.
 */
export const createGuardedConnection = async (
  access: DatabaseAccess,
  { connect, signal }: Pick<DeliverContext, 'connect' | 'signal'>,
  { answerBytes }: { answerBytes: number },
): Promise<GuardedConnection> => {
  const { host, port, database, user, password = '' } = access
  const socket = await connect({ host, port, signal, answerBytes })
  const tls = tlsOptions(access)
  // The name with which a certificate is compared if the host is an address, because the driver passes only names to
  // TLS.
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
    // The driver must not generate code from the names of columns.
    disableEval: true,
    // Values stay bytes until the types of their columns are known.
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
  // Without a listener, an error between two statements would end the process.
  connection.on('error', () => {})
  const renew = (): void => {
    renewPackets()
    socket.renew()
  }
  renew()
  const { _isMariaDB: isMariaDb = false } = connection as unknown as { _isMariaDB?: boolean }
  return { connection, socket, isMariaDb, renew }
}

/** Maximum wait until the server closes the connection, in ms. */
const farewellMs = 1000

/** Announces the end and closes the connection, even if the server does not respond or has not finished a response. */
export const endConnection = async ({ connection, socket }: GuardedConnection): Promise<void> => {
  if (socket.closed) return
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const late = setTimeout(() => socket.destroy(), farewellMs)
  if (!socket.destroyed) connection.end(() => socket.destroy())
  await closed
  clearTimeout(late)
}
