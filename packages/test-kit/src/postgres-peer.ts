import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { silentLogger } from '@tributary/kernel'
import { openRelational } from '@tributary/storage'
import { withDatabase } from './postgres.ts'

/** A customer's database: real PostgreSQL on a loopback port, with a role that has a password. */
export type PostgresPeer = AsyncDisposable & {
  /** The connection data of a client; by default, `user` owns nothing but may create schemas. */
  access: { host: string; port: number; database: string; user: string; password: string }
  /** Runs a statement as an administrator. */
  query<Row extends Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Ends every connection. With `refuse`, also rejects new connections, until it is called without `refuse`. */
  cut(refuse?: boolean): void
  /** Number of open connections. */
  connections(): number
}

/** First bytes of a client that asks for TLS: length 8 and the code 80877103 (PostgreSQL, Message Formats). */
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

type Credentials = { key: string; cert: string }

/** Handles a TLS request like PostgreSQL, then passes the plain stream to the server. */
const bridge = async (client: Socket, socketPath: string, tls: Credentials | undefined): Promise<void> => {
  const [first] = (await once(client, 'data')) as [Buffer]
  const server = connect(socketPath)
  const both = (plain: Socket): void => {
    plain.pipe(server).pipe(plain)
    for (const [one, other] of [
      [plain, server],
      [server, plain],
    ] as const)
      one.on('close', () => other.destroy()).on('error', () => other.destroy())
  }
  if (!first.equals(tlsRequest)) {
    server.write(first)
    return both(client)
  }
  client.write(tls === undefined ? 'N' : 'S')
  both(tls === undefined ? client : new TLSSocket(client, { isServer: true, ...tls }))
}

/**
 * Creates a database with its own role in the server of a test run (`adminUrl` as `startSharedPostgres` returns it).
 * Its port can be cut, and offers TLS if a certificate is given.
 */
export const createPostgresPeer = async (
  adminUrl: string,
  options: { tls?: Credentials } = {},
): Promise<PostgresPeer> => {
  const name = `peer_${randomBytes(6).toString('hex')}`
  const password = randomBytes(9).toString('base64url')
  const admin = openRelational({ url: adminUrl, logger: silentLogger, maxConnections: 1 })
  await admin.pool.query(`create database ${name}`)
  await admin.pool.query(`create role ${name} login password '${password}'`)
  await admin.pool.query(`grant create on database ${name} to ${name}`)
  const own = openRelational({ url: withDatabase(adminUrl, name), logger: silentLogger, maxConnections: 2 })

  const url = new URL(adminUrl.replace('@/', '@localhost/'))
  const socketPath = `${url.searchParams.get('host')}/.s.PGSQL.${url.searchParams.get('port')}`
  const open = new Set<Socket>()
  let refusing = false
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    if (refusing) return void socket.destroy()
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    bridge(socket, socketPath, options.tls).catch(() => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    access: { host: '127.0.0.1', port, database: name, user: name, password },
    query: async <Row extends Record<string, unknown>>(text: string, values: readonly unknown[] = []) =>
      (await own.pool.query<Row>(text, [...values])).rows,
    cut: (refuse = false) => {
      refusing = refuse
      for (const socket of open) socket.destroy()
    },
    connections: () => open.size,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await own.close()
      await admin.pool.query(`drop database if exists ${name} with (force)`)
      await admin.pool.query(`drop role if exists ${name}`)
      await admin.close()
    },
  }
}
