import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

/** A network: its address, and the length of its prefix in bits. */
export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Parses addresses and CIDR ranges. Throws an Error that names an invalid entry. */
export const parseProxies = (list: readonly string[]): AddressRange[] =>
  list.map((text) => {
    if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
    if (!ipaddr.isValid(text)) throw new Error(`Not an address or a range of addresses: ${text}`)
    const address = ipaddr.parse(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  })

/** Whether an address is in one of the ranges. Throws for a text that is not an IP address. */
export const isInRanges = (address: string, ranges: readonly AddressRange[]): boolean => {
  const parsed = ipaddr.process(address)
  return ranges.some((range) => range[0].kind() === parsed.kind() && parsed.match(range))
}

const plain = (address: string): string => (address.startsWith('::ffff:') ? address.slice(7) : address)

/** Returns an entry of X-Forwarded-For without port, zone and brackets; undefined if it is not an IP address. */
const forwardedAddress = (entry: string): string | undefined => {
  const bare = entry
    .trim()
    .replace(/^\[([^\]]+)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return ipaddr.isValid(bare) ? plain(bare) : undefined
}

/**
 * Returns the client's address. It is the peer's address or, if the peer is a trusted proxy, the last entry of
 * X-Forwarded-For that is not a trusted proxy. Headers of an untrusted peer are ignored; an invalid entry ends the
 * search.
 */
export const clientAddress = (
  peer: string,
  forwardedFor: string | undefined,
  proxies: readonly AddressRange[],
): string => {
  let address = plain(peer)
  if (proxies.length === 0 || forwardedFor === undefined) return address
  const entries = forwardedFor.split(',')
  for (let i = entries.length - 1; i >= 0 && ipaddr.isValid(address) && isInRanges(address, proxies); i--) {
    const next = forwardedAddress(entries[i] ?? '')
    if (next === undefined) break
    address = next
  }
  return address
}

const deviceAgent = /^(?:Mozilla\/|Opera\/|Dalvik\/)|CFNetwork\/|analytics-(?:swift|kotlin|ios|android|react-native)/i

/**
 * Whether the caller is the user's own device, so that its address belongs in `context.ip`. A device uses a path for
 * browser and mobile SDKs, sends headers of browsers (Origin, Sec-Fetch-Site), or has the user agent of a browser or
 * phone. Servers that forward events have none of these, and their address says nothing about the user.
 */
export const isDevice = (clientPath: boolean, req: IncomingMessage): boolean =>
  clientPath ||
  req.headers.origin !== undefined ||
  req.headers['sec-fetch-site'] !== undefined ||
  (req.headers['user-agent'] !== undefined && deviceAgent.test(req.headers['user-agent']))

const hostName = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/** Returns a header that a trusted proxy sent; undefined for other peers. */
const forwardedHeader = (
  req: IncomingMessage,
  name: 'x-forwarded-host' | 'x-forwarded-proto',
  proxies: readonly AddressRange[],
): string | undefined => {
  const value = req.headers[name]
  if (typeof value !== 'string' || proxies.length === 0) return undefined
  const peer = req.socket.remoteAddress ?? ''
  return ipaddr.isValid(peer) && isInRanges(peer, proxies) ? value.split(',')[0]?.trim() : undefined
}

/**
 * Returns the host to which a request was sent, in lower case without a port. The header of a trusted proxy takes
 * precedence.
 */
export const requestHost = (req: IncomingMessage, proxies: readonly AddressRange[]): string =>
  (forwardedHeader(req, 'x-forwarded-host', proxies) ?? req.headers.host ?? '')
    .slice(0, 300)
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/\.$/, '')

/**
 * Returns the origin (`scheme://host[:port]`) under which this request reached the server: the configured origin, else
 * from the header of a trusted proxy, else from the Host header. Only characters of host names are allowed, so that
 * scripts can contain the origin.
 */
export const requestOrigin = (
  req: IncomingMessage,
  publicUrl: string | undefined,
  proxies: readonly AddressRange[],
): string => {
  if (publicUrl !== undefined) return new URL(publicUrl).origin
  const host = forwardedHeader(req, 'x-forwarded-host', proxies) ?? req.headers.host ?? ''
  const scheme =
    forwardedHeader(req, 'x-forwarded-proto', proxies) === 'https' || 'encrypted' in req.socket ? 'https' : 'http'
  return `${scheme}://${hostName.test(host) ? host : 'localhost'}`
}
