import { isIP, type LookupFunction, connect as openSocket, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { ConfigurationError, RetryableError } from '../errors.ts'
import type { EgressPolicy } from './egress.ts'
import { egressRefusal, networkError } from './network-error.ts'

/** Target of a socket; `host` is a name or a literal address. */
export type ConnectTarget = {
  host: string
  port: number
  /** Until the connection is established, ms; the client's own unless given. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Bytes that the peer may send until `renew` is called, those of TLS included; the client's own unless given. */
  answerBytes?: number
}

/** Bytes of an answer on a socket: one of many tiny rows takes fifteen times its bytes in memory when it is taken apart. */
const defaultAnswerBytes = 4 * 1024 * 1024

/**
 * A connection that counts the bytes of the peer. Beyond the bound it is destroyed with a ConfigurationError, so that a
 * driver that gathers a message of announced gigabytes never has more than that in memory. It wraps the socket, so that
 * TLS on top of it goes through it, too.
 */
export class GuardedStream extends Duplex {
  readonly #socket: Socket
  readonly #answerBytes: number
  #left: number

  constructor(socket: Socket, host: string, answerBytes: number) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    this.#answerBytes = answerBytes
    this.#left = answerBytes
    socket.on('data', (chunk: Buffer) => {
      this.#left -= chunk.length
      if (this.#left < 0) {
        const most = `${answerBytes.toLocaleString('en-US')} bytes`
        this.destroy(new ConfigurationError(`${host} answered with more than ${most}; the connection was ended`))
      } else if (!this.push(chunk)) socket.pause()
    })
    socket.on('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => {
      // After an end, what was received is still to be read.
      if (!socket.readableEnded) this.destroy()
    })
    socket.pause()
    // An error before the caller listens must not end the process.
    this.on('error', () => {})
  }

  /** The peer is asked something new: its answer may have all the bytes again. */
  renew(): void {
    this.#left = this.#answerBytes
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress
  }

  /** Bytes that the peer has sent. */
  get bytesRead(): number {
    return this.#socket.bytesRead
  }

  /** Drivers ask for it; the socket has it from the beginning. */
  setNoDelay(): this {
    return this
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#socket.destroyed) done()
    else this.#socket.end(() => done())
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // Closed when the socket is, as a socket itself would be: a wrapper on top of it reports the reason before that.
    if (this.#socket.closed) return done(error)
    this.#socket.once('close', () => done(error))
    this.#socket.destroy()
  }
}

type ResolvedAddresses = string | { address: string; family: number }[]

/** Resolution whose every answer is checked: what the socket is given to connect to has passed the policy. */
export const guardedLookup = (lookup: LookupFunction, egress: EgressPolicy): LookupFunction => {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: ResolvedAddresses, family) => {
      if (error !== null) return callback(error, '')
      const list =
        typeof addresses === 'string' ? [{ address: addresses, family: family ?? isIP(addresses) }] : addresses
      const passed = list.filter((entry) => egress.allows(entry.address))
      const first = passed[0]
      if (first === undefined) return callback(egressRefusal(hostname), '')
      if (options.all === true) return callback(null, passed)
      callback(null, first.address, first.family)
    })
  }
}

/** Sockets under the same guard as requests. */
export type GuardedSockets = {
  /** As `RequestClient.connect`. */
  connect(target: ConnectTarget): Promise<GuardedStream>
  /** Ends every socket that is open. */
  close(): void
}

/** Opens TCP connections for connectors that do not speak HTTP; each is checked by its address before and after. */
export const createGuardedSockets = (options: {
  egress: EgressPolicy
  lookup: LookupFunction
  connectTimeoutMs: number
  /** Bytes of an answer, see `ConnectTarget`. */
  answerBytes?: number | undefined
}): GuardedSockets => {
  const { egress } = options
  const open = new Set<Socket>()
  const lookup = guardedLookup(options.lookup, egress)

  const refuse = (target: ConnectTarget): Error | undefined => {
    const { host, port, signal } = target
    // Neither a path of a local socket nor anything but a name or an address.
    if (!/^[a-z0-9_.:%-]{1,255}$/i.test(host)) return new ConfigurationError('The host is not a name or an address')
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return new ConfigurationError('The port is not one')
    if (isIP(host) !== 0 && !egress.allows(host)) return egressRefusal(host)
    return signal?.aborted === true ? new RetryableError('Interrupted') : undefined
  }

  return {
    connect: async (target) => {
      const refused = refuse(target)
      if (refused !== undefined) throw refused
      const { host, port, signal } = target
      const timeoutMs = target.timeoutMs ?? options.connectTimeoutMs
      const socket = openSocket({ host, port, lookup, noDelay: true, keepAlive: true })
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      const answerBytes = target.answerBytes ?? options.answerBytes ?? defaultAnswerBytes
      return await new Promise<GuardedStream>((resolve, reject) => {
        const settle = (error: Error | undefined): void => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          if (error === undefined) return resolve(new GuardedStream(socket, host, answerBytes))
          socket.destroy()
          reject(error)
        }
        const timer = setTimeout(() => settle(new RetryableError(`No connection within ${timeoutMs} ms`)), timeoutMs)
        const onAbort = (): void => settle(new RetryableError('Interrupted'))
        signal?.addEventListener('abort', onAbort, { once: true })
        // Stays: an error before the caller listens must not end the process.
        socket.on('error', (error) => settle(networkError(error)))
        socket.once('connect', () => {
          const { remoteAddress } = socket
          const allowed = remoteAddress !== undefined && egress.allows(remoteAddress)
          settle(allowed ? undefined : egressRefusal(host))
        })
      })
    },
    close: () => {
      for (const socket of open) socket.destroy()
    },
  }
}
