import { isIP, type LookupFunction, connect as openSocket, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { ConfigurationError, RetryableError } from '../errors.ts'
import type { EgressPolicy } from './egress.ts'
import { egressRefusal, networkError } from './network-error.ts'

/** Target of a socket; `host` is a name or an IP address. */
export type ConnectTarget = {
  host: string
  port: number
  /** Maximum ms until the connection is established; by default the limit of the client. */
  timeoutMs?: number
  signal?: AbortSignal
  /**
   * Maximum bytes that the peer can send until `renew` is called, including TLS; by default the limit of the client.
   */
  answerBytes?: number
}

/**
 * Maximum bytes of a response on a socket. Parsing a response of many tiny rows needs fifteen times its bytes in
 * memory.
 */
const defaultAnswerBytes = 4 * 1024 * 1024

/**
 * A connection that counts the bytes of the peer. Above the limit, the connection is destroyed with a
 * ConfigurationError. So a driver that buffers an announced message of gigabytes never holds more than the limit in
 * memory. The stream wraps the socket, so that TLS bytes are also counted.
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
      // If the peer ended the stream normally, the reader can still read the data that has arrived.
      if (!socket.readableEnded) this.destroy()
    })
    socket.pause()
    // Without this listener, an error before the caller listens would end the process.
    this.on('error', () => {})
  }

  /** Resets the count of received bytes. Call it when a new query is sent to the peer. */
  renew(): void {
    this.#left = this.#answerBytes
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress
  }

  /** Number of bytes that the peer has sent. */
  get bytesRead(): number {
    return this.#socket.bytesRead
  }

  /** Does nothing: drivers call this, but the socket has the option from the beginning. */
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
    // Like a socket, the stream closes after the underlying socket has closed, so that a TLS wrapper can report the
    // reason before.
    if (this.#socket.closed) return done(error)
    this.#socket.once('close', () => done(error))
    this.#socket.destroy()
  }
}

type ResolvedAddresses = string | { address: string; family: number }[]

/**
 * Wraps name resolution so that every address is checked: the socket connects only to addresses that passed the policy.
 */
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

/** Opens and closes sockets with the same checks as requests. */
export type GuardedSockets = {
  /** Like `RequestClient.connect`. */
  connect(target: ConnectTarget): Promise<GuardedStream>
  /** Ends every socket that is open. */
  close(): void
}

/**
 * Opens TCP connections for connectors that do not use HTTP; each is checked by its address before and after
 * connecting.
 */
export const createGuardedSockets = (options: {
  egress: EgressPolicy
  lookup: LookupFunction
  connectTimeoutMs: number
  /** Maximum bytes of a response; see `ConnectTarget`. */
  answerBytes?: number | undefined
}): GuardedSockets => {
  const { egress } = options
  const open = new Set<Socket>()
  const lookup = guardedLookup(options.lookup, egress)

  const refuse = (target: ConnectTarget): Error | undefined => {
    const { host, port, signal } = target
    // Rejects everything that is not a name or an address, such as the path of a local socket.
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
        // The listener is not removed, because an error before the caller listens must not end the process.
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
