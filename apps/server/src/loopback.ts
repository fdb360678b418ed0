import type { IncomingMessage } from 'node:http'

/** Whether this name of a host, as it stands in a URL, never leads off the machine. */
export const isLoopbackHost = (hostname: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname.toLowerCase())

/** The name in a Host header, without its port; empty when there is none or it is malformed. */
const namedHost = (host: string | undefined): string =>
  /^(\[[0-9a-f:.]+\]|[^[\]:@/]+)(?::\d{1,5})?$/i.exec(host ?? '')?.[1] ?? ''

/**
 * Whether a request comes from this machine for this machine: over the loopback interface, forwarded by no proxy, and
 * under a name that is the machine's own. A page in a browser here cannot ask it by having its name lead to 127.0.0.1.
 */
export const isLocalRequest = (request: IncomingMessage): boolean => {
  const address = request.socket.remoteAddress ?? ''
  return (
    (address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.')) &&
    request.headers['x-forwarded-for'] === undefined &&
    isLoopbackHost(namedHost(request.headers.host))
  )
}
