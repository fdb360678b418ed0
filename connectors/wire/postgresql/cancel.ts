import { once } from 'node:events'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as secure } from 'node:tls'
import type { DeliverContext } from '@tributary/connector-kit'
import type { Client } from 'pg'
import type { DatabaseAccess } from '../access/access.ts'
import { tlsOptions } from '../access/certificates.ts'

/** Maximum ms of a request to cancel. A server that does not take it ends the statement by its own limit. */
const cancelMs = 5000

/** The request for TLS, and the head of the request to cancel (PostgreSQL, "Message Formats"). */
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const cancelRequest = [0, 0, 0, 16, 4, 210, 22, 46]

/** Returns the bytes that cancel the statement of a client; undefined if the server gave it no key. */
const requestOf = (client: Client): Buffer | undefined => {
  const [process, key]: unknown[] = [Reflect.get(client, 'processID'), Reflect.get(client, 'secretKey')]
  if (typeof process !== 'number' || typeof key !== 'number') return undefined
  const keys = Buffer.alloc(8)
  keys.writeInt32BE(process | 0, 0)
  keys.writeInt32BE(key | 0, 4)
  return Buffer.concat([Buffer.from(cancelRequest), keys])
}

/** Asks for TLS on a socket. Returns undefined if the server does not offer it. */
const secured = async (socket: Duplex, access: DatabaseAccess, signal: AbortSignal): Promise<Duplex | undefined> => {
  const options = tlsOptions(access)
  if (options === false) return socket
  socket.write(tlsRequest)
  const [answer] = (await once(socket, 'data', { signal })) as [Buffer]
  if (answer.toString('latin1') !== 'S') return undefined
  // An address is no name of a server (RFC 6066 section 3).
  const name = isIP(access.host) === 0 ? { servername: access.host } : {}
  const stream = secure({ socket, host: access.host, ...name, ...options })
  stream.on('error', () => {})
  await once(stream, 'secureConnect', { signal })
  return stream
}

/**
 * Asks the server to cancel the statement that a client runs, over a connection of its own. Resolves when the server has
 * taken the request, and in any case within five seconds. Never rejects.
 */
export const cancelStatement = async (
  client: Client,
  access: DatabaseAccess,
  connect: DeliverContext['connect'],
): Promise<void> => {
  const request = requestOf(client)
  if (request === undefined) return
  const signal = AbortSignal.timeout(cancelMs)
  try {
    const { host, port } = access
    const socket = await connect({ host, port, signal, timeoutMs: cancelMs, answerBytes: 64 * 1024 })
    try {
      const stream = await secured(socket, access, signal)
      if (stream === undefined) return
      stream.resume().write(request)
      // The server answers nothing, and ends the connection.
      await once(stream, 'close', { signal })
    } finally {
      socket.destroy()
    }
  } catch {
    // The statement ends by its own limit.
  }
}
