import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { RequestMeta } from '@tributary/contract'
import { type Clock, cutText, isRecord } from '@tributary/kernel'
import ipaddr from 'ipaddr.js'
import type { EventRoute } from './ingestion-context.ts'
import type { CollectDeps, WriteKeyEntry } from './ports.ts'
import type { Refusal, RetryLater } from './refusal.ts'
import * as refusals from './refusal.ts'

/** Maximum number of characters of a write key. A longer text is not looked up. */
const maxKeyLength = 256

const usable = (key: unknown): string | undefined =>
  typeof key === 'string' && key !== '' && key.length <= maxKeyLength ? key : undefined

/**
 * Returns the user name of a Basic authorization header. A missing colon is accepted (some SDKs omit it); the password
 * is ignored.
 */
const basicUser = (authorization: string | undefined): string | undefined => {
  if (authorization === undefined || authorization.length < 7 || authorization.length > 1024) return undefined
  if (authorization.slice(0, 6).toLowerCase() !== 'basic ') return undefined
  const text = Buffer.from(authorization.slice(6), 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return usable(colon < 0 ? text : text.slice(0, colon))
}

/** Returns the decoded value of a query parameter. Parses the query only if it contains the name. */
const queryValue = (query: string, name: string): string | undefined => {
  if (query === '' || !query.includes(name)) return undefined
  return new URLSearchParams(query).get(name) ?? undefined
}

/**
 * Returns the write key of a request outside of its body: from Basic authorization, else X-Write-Key, else
 * `?writeKey=`.
 */
export const outerKey = (headers: IncomingHttpHeaders, query: string): string | undefined => {
  const basic = basicUser(headers.authorization)
  if (basic !== undefined) return basic
  return usable(headers['x-write-key']) ?? usable(queryValue(query, 'writeKey'))
}

const keyIn = (value: unknown): string | undefined => {
  if (!isRecord(value) || !('writeKey' in value)) return undefined
  return usable(value.writeKey)
}

/** Returns the write key in a parsed body: at its top level, or in the first event of a batch. */
export const bodyKey = (body: object): string | undefined => {
  const top = keyIn(body)
  if (top !== undefined) return top
  return 'batch' in body && Array.isArray(body.batch) ? keyIn(body.batch[0]) : undefined
}

const keyName = Buffer.from('"writeKey"')
const keyField = /^"writeKey"\s*:\s*"([^"\\]{1,256})"/
/**
 * Maximum number of positions at which a body is searched for a key. SDKs write the key at the beginning, at the end,
 * or in every event.
 */
const maxPlaces = 20

/**
 * Returns the possible keys of a body without parsing the body: the strings that follow the first occurrences of the
 * key's name, and its last occurrence.
 */
export const keyCandidates = (body: Buffer): string[] => {
  const places: number[] = []
  for (let at = body.indexOf(keyName); at >= 0 && places.length < maxPlaces; at = body.indexOf(keyName, at + 1))
    places.push(at)
  const last = body.lastIndexOf(keyName)
  if (last > (places.at(-1) ?? last)) places.push(last)
  return places.flatMap((at) => keyField.exec(body.toString('latin1', at, at + 400))?.[1] ?? [])
}

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
const isDevice = (clientPath: boolean, req: IncomingMessage): boolean =>
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

/** Returns the function that reads the address of the client of a request. */
export const createAddressOf =
  (proxies: readonly AddressRange[]) =>
  ({ headers, socket }: IncomingMessage): string => {
    const forwarded = headers['x-forwarded-for']
    return clientAddress(
      socket.remoteAddress ?? '',
      Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      proxies,
    )
  }

const maxAgentLength = 500

/** Returns the function that makes the meta of the record of a request. */
export const createMeta =
  (clock: Clock, addressOf: (req: IncomingMessage) => string) =>
  (req: IncomingMessage, entry: WriteKeyEntry, route: EventRoute): RequestMeta => {
    const meta: RequestMeta = {
      w: entry.workspaceId,
      s: entry.sourceId,
      k: route.kind === 'batch' ? 'batch' : 'single',
      r: clock(),
      ip: addressOf(req),
    }
    if (route.kind !== 'batch') meta.t = route.type
    else if (route.forwarded === true) meta.f = true
    const agent = req.headers['user-agent']
    if (agent !== undefined) meta.ua = cutText(agent, maxAgentLength)
    if (isDevice(route.client, req)) meta.d = true
    return meta
  }

/** Checks of the server and of the source of a call. */
export type EntryChecks = {
  /** Returns why no request can be accepted at the moment; undefined if requests can be accepted. */
  checkAdmission(): Refusal | undefined
  /** Returns why the source rejects events of this kind of call: it is disabled, or accepts only its signed webhook. */
  closedTo(entry: WriteKeyEntry, byOwnWebhook: boolean): Refusal | undefined
  /** Returns why a call to this host cannot be for the source: the host is a custom domain of another workspace. */
  foreignTo(req: IncomingMessage, entry: WriteKeyEntry): Refusal | undefined
  /** Makes `checkAdmission` reject every request from now on. */
  close(): void
}

/** Creates the checks of requests that need only memory. */
export const createEntryChecks = (
  { keys, diskOk, webhooks, domains }: Pick<CollectDeps, 'keys' | 'diskOk' | 'webhooks' | 'domains'>,
  proxies: readonly AddressRange[],
  retryLater: RetryLater,
): EntryChecks => {
  let closed = false
  return {
    checkAdmission() {
      if (closed) return retryLater.stopping
      if (!keys.ready()) return retryLater.starting
      return diskOk === undefined || diskOk() ? undefined : retryLater.diskFull
    },
    closedTo(entry, byOwnWebhook) {
      if (!entry.sourceEnabled) return refusals.sourceDisabled
      return !byOwnWebhook && webhooks?.get(entry.app)?.signed === true ? refusals.signedOnly : undefined
    },
    foreignTo(req, entry) {
      const owner = domains?.workspaceOf(requestHost(req, proxies))
      return owner === undefined || owner === entry.workspaceId ? undefined : refusals.foreignDomain
    },
    close() {
      closed = true
    },
  }
}
