import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { clientAddress, isInRanges, parseProxies } from '@tributary/collect'
import type { Logger } from '@tributary/kernel'

const forwardedFor = (request: IncomingMessage): string | undefined => {
  const forwarded = request.headers['x-forwarded-for']
  return Array.isArray(forwarded) ? forwarded.join(',') : forwarded
}

/** The address that login limits count: the socket's, or the one that trusted proxies forward. */
export const createClientIp = (trustedProxies: readonly string[]): ((request: IncomingMessage) => string) => {
  const proxies = parseProxies(trustedProxies)
  return (request) => clientAddress(request.socket.remoteAddress ?? '', forwardedFor(request), proxies)
}

/**
 * True for a request from a trusted proxy itself: its peer is a trusted proxy, and no header forwards another client.
 * All other requests through a proxy name their client.
 */
export const createIsFromProxy = (trustedProxies: readonly string[]): ((request: IncomingMessage) => boolean) => {
  const proxies = parseProxies(trustedProxies)
  return (request) => {
    const client = clientAddress(request.socket.remoteAddress ?? '', forwardedFor(request), proxies)
    const names = ['forwarded', 'x-forwarded-host', 'x-real-ip']
    return (
      isIP(client) !== 0 && isInRanges(client, proxies) && names.every((name) => request.headers[name] === undefined)
    )
  }
}

/**
 * Checks each request, and warns at the first one that seems to come through a proxy although no proxy is trusted. All
 * clients behind such a proxy count as one client.
 */
export const createProxyWatch = (
  trustedProxies: readonly string[],
  logger: Pick<Logger, 'warn'>,
): ((request: IncomingMessage) => void) => {
  let watching = trustedProxies.length === 0
  return (request) => {
    if (!watching || forwardedFor(request) === undefined) return
    watching = false
    logger.warn(
      { peer: request.socket.remoteAddress },
      'X-Forwarded-For came from a peer that is not trusted: login limits and stored addresses take the peer for the ' +
        'client. If it is your proxy, set TRIBUTARY_TRUSTED_PROXIES to its network; if not, nothing needs to be done',
    )
  }
}
