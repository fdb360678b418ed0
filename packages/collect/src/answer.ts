import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerEarly, isLongUnread } from '@tributary/http'
import type { ErrorBody } from '@tributary/kernel'
import type { Script } from './calls/browser-sdk.ts'
import { onwardPage, onwardPageHeaders } from './calls/onward-page.ts'
import type { Refusal } from './refusal.ts'

const jsonType = 'application/json; charset=utf-8'
/**
 * The body of a success. It is a string, not a buffer, because Node sends the head and a string in one write. This was
 * faster in every measurement of single events.
 */
const successBody = '{"success":true}'
const successHeaders: readonly string[] = [
  'Content-Type',
  jsonType,
  'Content-Length',
  String(successBody.length),
  'Vary',
  'Origin',
]
/** A transparent picture of one pixel. */
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const preflightMethods = 'GET,POST,HEAD,OPTIONS'
const usualHeaders =
  'authorization,content-type,content-encoding,x-retry-count,anonymousid,sentat,x-write-key,x-ip-policy,cache-control'
const headerList = /^[A-Za-z0-9!#$%&'*+.^_`|~, -]{1,2000}$/

/**
 * Whether browsers make a call with cookies, which the response must allow. Such calls request cookies for the
 * product's own tag, or are `/rsaRequest` of RudderStack's browser SDK with `useServerSideCookies`. No other SDK sends
 * cookies by default.
 */
const takesCookies = (url: string): boolean =>
  url.startsWith('/rsaRequest') ||
  (url.startsWith('/tag/v1/') && /^\/tag\/v1\/[^/?]{1,300}\/cookies(?:[/?]|$)/.test(url))

const corsHeaders = (origin: string, url: string): string[] => [
  'Access-Control-Allow-Origin',
  origin,
  ...(takesCookies(url) ? ['Access-Control-Allow-Credentials', 'true'] : []),
  'Access-Control-Expose-Headers',
  'Retry-After, RateLimit-Remaining, RateLimit-Reset, X-RateLimit-Reset',
]

/** Returns the response headers as a flat list: the given headers, and CORS headers if the caller has an origin. */
const withCors = (req: IncomingMessage, headers: readonly string[]): string[] => {
  const origin = req.headers.origin
  return origin === undefined ? headers.slice() : headers.concat(corsHeaders(origin, req.url ?? ''))
}

const send = (
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  headers: readonly string[],
  body: Buffer | string,
): void => {
  if (res.headersSent || res.destroyed) return
  res.writeHead(status, withCors(req, headers))
  if (req.method === 'HEAD') res.end()
  else res.end(body)
}

/** Sends 200 `{"success":true}` for a request that is on disk. */
export const sendSuccess = (req: IncomingMessage, res: ServerResponse): void =>
  send(req, res, 200, successHeaders, successBody)

/**
 * Sends 200 with a page that shows the address behind its link, so that the visitor can decide whether to follow it.
 * The request is on disk.
 */
export const sendOnwardPage = (req: IncomingMessage, res: ServerResponse, address: URL): void => {
  const page = onwardPage(address)
  send(req, res, 200, [...onwardPageHeaders, 'Content-Length', String(Buffer.byteLength(page))], page)
}

/** Sends 303 with the address of another page for a request that is on disk. */
export const sendRedirect = (req: IncomingMessage, res: ServerResponse, address: string): void =>
  send(req, res, 303, ['Location', address, 'Content-Length', '0', 'Cache-Control', 'no-store'], '')

/** Sends 200 with first-party cookies, each as a Set-Cookie line. Caches must not store the response. */
export const sendCookies = (req: IncomingMessage, res: ServerResponse, cookies: readonly string[]): void =>
  send(
    req,
    res,
    200,
    [...successHeaders, 'Cache-Control', 'no-store', ...cookies.flatMap((line) => ['Set-Cookie', line])],
    successBody,
  )

/**
 * Returns headers that report a limit in seconds to SDKs, in addition to Retry-After: the RateLimit fields of the IETF
 * draft, and Segment's own header.
 */
const rateHeaders = (seconds: number): string[] => [
  'RateLimit-Remaining',
  '0',
  'RateLimit-Reset',
  String(seconds),
  'X-RateLimit-Reset',
  String(seconds),
]

/** Sends the error body with code, reason, message and metadata, and Retry-After if the client may retry. */
export const sendRefusal = (req: IncomingMessage, res: ServerResponse, refusal: Refusal): void => {
  const body: ErrorBody = {
    code: refusal.code,
    reason: refusal.reason,
    message: refusal.message,
    metadata: refusal.metadata ?? {},
  }
  const text = Buffer.from(JSON.stringify(body))
  const headers = [
    'Content-Type',
    jsonType,
    'Content-Length',
    String(text.length),
    'Vary',
    'Origin',
    'Cache-Control',
    'no-store',
  ]
  if (refusal.retryAfter !== undefined) headers.push('Retry-After', String(refusal.retryAfter))
  if (refusal.code === 429) headers.push(...rateHeaders(refusal.retryAfter ?? 1))
  if (refusal.code === 405) headers.push('Allow', `${refusal.metadata?.allowed ?? ''}, OPTIONS`)
  if (res.headersSent || res.destroyed) return
  if (isLongUnread(req)) return answerEarly(req, res, refusal.code, withCors(req, headers), text)
  // The connection of a client that sends too slowly is closed.
  if (refusal.code === 408) res.shouldKeepAlive = false
  send(req, res, refusal.code, headers, text)
}

/** Sends 200 with an image, whatever the outcome of the event, because a page must not show a broken image. */
export const sendPixel = (req: IncomingMessage, res: ServerResponse): void =>
  send(
    req,
    res,
    200,
    [
      'Content-Type',
      'image/gif',
      'Content-Length',
      String(gif.length),
      'Cache-Control',
      'no-store, no-cache, must-revalidate, private',
      'Cross-Origin-Resource-Policy',
      'cross-origin',
      'Vary',
      'Origin',
    ],
    gif,
  )

/** Sends 200 with a JSON document that clients can cache for `maxAge` seconds. */
export const sendJson = (req: IncomingMessage, res: ServerResponse, value: unknown, maxAge: number): void => {
  const text = Buffer.from(JSON.stringify(value))
  const cache = maxAge === 0 ? 'no-store' : `public, max-age=${maxAge}`
  send(
    req,
    res,
    200,
    ['Content-Type', jsonType, 'Content-Length', String(text.length), 'Cache-Control', cache, 'Vary', 'Origin'],
    text,
  )
}

/** Sends 200 with a script, compressed if the client accepts gzip. */
export const sendScript = (req: IncomingMessage, res: ServerResponse, script: Script, cache: string): void => {
  const zipped = String(req.headers['accept-encoding'] ?? '').includes('gzip')
  const body = zipped ? script.gzip : script.plain
  const headers = [
    'Content-Type',
    'text/javascript; charset=utf-8',
    'Content-Length',
    String(body.length),
    'Cache-Control',
    cache,
    'Cross-Origin-Resource-Policy',
    'cross-origin',
    'X-Content-Type-Options',
    'nosniff',
    'Vary',
    'Origin, Accept-Encoding',
  ]
  if (zipped) headers.push('Content-Encoding', 'gzip')
  send(req, res, 200, headers, body)
}

/** Sends the response to a preflight request, which allows the origin and all requested headers. */
export const sendPreflight = (req: IncomingMessage, res: ServerResponse): void => {
  const asked = req.headers['access-control-request-headers']
  const headers = [
    'Access-Control-Allow-Methods',
    preflightMethods,
    'Access-Control-Allow-Headers',
    asked !== undefined && headerList.test(asked) ? asked : usualHeaders,
    'Access-Control-Max-Age',
    '86400',
    'Vary',
    'Origin, Access-Control-Request-Headers',
    'Content-Length',
    '0',
  ]
  if (req.headers['access-control-request-private-network'] === 'true')
    headers.push('Access-Control-Allow-Private-Network', 'true')
  send(req, res, 200, headers, '')
}
