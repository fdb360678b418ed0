import type { Duplex } from 'node:stream'
import { ConfigurationError, type GuardedStream } from '@tributary/connector-kit'
import type { Client } from 'pg'

/** Answers the content of a request to sign in (after its four bytes of length); undefined if it is not its own. */
export type SignInReply = (content: Buffer) => Buffer | undefined

type Listener = (chunk: Buffer) => void

/**
 * Reads the first message of a server, and answers it with `reply`. Every other byte goes to `next`. A message that
 * arrives in parts is put together first.
 */
const answering = (reply: SignInReply, answer: (content: Buffer) => void, next: Listener): Listener => {
  let held: Buffer | undefined = Buffer.alloc(0)
  return (chunk) => {
    if (held === undefined) return next(chunk)
    held = Buffer.concat([held, chunk])
    // A message has its kind and its length, which counts itself but not the kind (PostgreSQL, "Message Formats").
    const length = held.length < 5 ? Number.POSITIVE_INFINITY : 1 + held.readUInt32BE(1)
    const isRequest = held.length === 0 || held.toString('latin1', 0, 1) === 'R'
    // A request to sign in is short. Longer ones and other messages are not for `reply`.
    if (isRequest && held.length < Math.min(length, 4096)) return
    const content = isRequest ? reply(held.subarray(5, length)) : undefined
    const rest: Buffer = content === undefined ? held : held.subarray(length)
    held = undefined
    if (content !== undefined) answer(content)
    if (rest.length > 0) next(rest)
  }
}

/**
 * Ends the connection with a ConfigurationError if a message of the server cannot be read. The driver throws then, which
 * would end the process. `reply` answers the server's first request to sign in, if the driver lacks its kind.
 */
export const guardMessages = (client: Client, socket: GuardedStream, reply?: SignInReply): void => {
  const connection: unknown = Reflect.get(client, 'connection')
  if (typeof connection !== 'object' || connection === null) return
  const attach: unknown = Reflect.get(connection, 'attachListeners')
  if (typeof attach !== 'function') return
  const safe =
    (listener: Listener): Listener =>
    (chunk) => {
      try {
        listener(chunk)
      } catch (error) {
        socket.destroy(new ConfigurationError(`The server does not respond as a database: ${String(error)}`))
      }
    }
  const attachSafely = (stream: Duplex): void => {
    const on = (event: string, listener: Listener): unknown => {
      if (event !== 'data') return stream.on(event, listener)
      const next = reply === undefined ? listener : answering(reply, (content) => void stream.write(content), listener)
      return stream.on('data', safe(next))
    }
    attach.call(connection, { on })
  }
  Object.assign(connection, { attachListeners: attachSafely })
}
