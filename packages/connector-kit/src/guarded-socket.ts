import { isIP, type LookupFunction, connect as openSocket, type Socket } from 'node:net'
import type { EgressPolicy } from './egress.ts'
import { ConfigurationError, RetryableError } from './errors.ts'
import { egressRefusal, networkError } from './network-error.ts'

/** Where a socket leads; `host` is a name or a literal address. */
export type ConnectTarget = {
  host: string
  port: number
  /** Until the connection stands, ms; the client's own unless told. */
  timeoutMs?: number
  signal?: AbortSignal
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
  connect(target: ConnectTarget): Promise<Socket>
  /** Ends every socket that is open. */
  close(): void
}

/** Opens TCP connections for connectors that do not speak HTTP; each is checked by its address before and after. */
export const createGuardedSockets = (options: {
  egress: EgressPolicy
  lookup: LookupFunction
  connectTimeoutMs: number
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
      return await new Promise<Socket>((resolve, reject) => {
        const settle = (error: Error | undefined): void => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          if (error === undefined) return resolve(socket)
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
