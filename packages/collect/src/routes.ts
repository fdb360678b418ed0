import type { EventType } from '@tributary/contract'
import { eventTypes } from '@tributary/contract'

/**
 * The meaning of a path of the tracking API. `client` is true for a path that only browsers and apps use, so that the
 * caller is the user's device.
 */
export type Route =
  | { kind: 'single'; type: EventType; client: boolean }
  /** `forwarded` is true if another collecting server forwards the calls of its SDKs. */
  | { kind: 'batch'; client: boolean; forwarded?: true }
  /** A webhook call of a service without an SDK. */
  | { kind: 'webhook' }
  /** A call of another collecting server's webhook destination: an event, or a list of events. */
  | { kind: 'forward' }
  | { kind: 'data-pixel'; type: EventType; client: true }
  | { kind: 'query-pixel'; type: EventType; client: true }
  /** Reports of SDKs about themselves, which are read and discarded. */
  | { kind: 'discard' }
  | { kind: 'settings'; key: string }
  | { kind: 'source-config' }
  | { kind: 'script'; key: string }
  | { kind: 'bundle'; file: string }
  /** The code of the product's own tag for one source. */
  | { kind: 'tag'; key: string }
  /** First-party cookies that the tag requests. */
  | { kind: 'tag-cookies'; key: string }

export type TrackRoute = Extract<Route, { kind: 'single' | 'batch' }>
export type PixelRoute = Extract<Route, { kind: 'data-pixel' | 'query-pixel' }>
/** Routes whose requests become events. */
export type EventRoute = TrackRoute | PixelRoute
export type StartRoute = Extract<Route, { kind: 'settings' | 'script' | 'source-config' | 'bundle' }>
export type TagRoute = Extract<Route, { kind: 'tag' | 'tag-cookies' }>

const letters: ReadonlyMap<string, EventType> = new Map(
  Object.entries({ t: 'track', i: 'identify', p: 'page', s: 'screen', g: 'group', a: 'alias' } as const),
)

const exact = new Map<string, Route>([
  ...eventTypes.map((type): [string, Route] => [`/v1/${type}`, { kind: 'single', type, client: false }]),
  ...[...letters].map(([letter, type]): [string, Route] => [`/v1/${letter}`, { kind: 'single', type, client: true }]),
  ['/v1/batch', { kind: 'batch', client: false }],
  ['/v1/import', { kind: 'batch', client: false }],
  ['/v1/b', { kind: 'batch', client: true }],
  ['/beacon/v1/batch', { kind: 'batch', client: true }],
  ['/v1/webhook', { kind: 'webhook' }],
  ['/v1/forward', { kind: 'forward' }],
  ['/v1/m', { kind: 'discard' }],
  ['/m', { kind: 'discard' }],
  ['/rsaRequest', { kind: 'discard' }],
  ['/rsaMetrics', { kind: 'discard' }],
  ['/sourceConfig', { kind: 'source-config' }],
])

const prefixes = [
  '/v1/',
  '/beacon/',
  '/pixel/',
  '/projects/',
  '/sourceConfig',
  '/rsaRequest',
  '/rsaMetrics',
  '/analytics.js/',
  '/analytics-next/',
  '/next-integrations/',
  '/tag/',
]

/** Whether a path belongs to collection, known or not. Needs no parsing. */
export const isCollectPath = (url: string): boolean => {
  for (const prefix of prefixes) if (url.startsWith(prefix)) return true
  return url === '/m' || url === '/m/'
}

/**
 * Whether browsers make a call with cookies, which the response must allow. Such calls request cookies for the
 * product's own tag, or are `/rsaRequest` of RudderStack's browser SDK with `useServerSideCookies`. No other SDK sends
 * cookies by default.
 */
export const takesCookies = (url: string): boolean =>
  url.startsWith('/rsaRequest') ||
  (url.startsWith('/tag/v1/') && /^\/tag\/v1\/[^/?]{1,300}\/cookies(?:[/?]|$)/.test(url))

const settingsPath = /^(?:\/v1)?(?:\/projects){1,2}\/([^/]+)\/settings$/
const scriptPath = /^\/analytics\.js\/v1\/([^/]+)\/(?:platform\/)?analytics(?:\.min)?\.js$/
const bundlePath = /^\/analytics-next\/bundles\/([^/]+)$/
const tagPath = /^\/tag\/v1\/([^/]+)\/(tag\.js|cookies)$/
const pixelPath = /^\/(v1\/pixel|pixel\/v1)\/([a-z]+)$/

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const pixelRoute = (path: string): Route | undefined => {
  const [, form, name] = pixelPath.exec(path) ?? []
  if (form === undefined || name === undefined) return undefined
  const type = eventTypes.find((known) => known === name) ?? letters.get(name)
  if (type === undefined) return undefined
  return { kind: form === 'v1/pixel' ? 'data-pixel' : 'query-pixel', type, client: true }
}

/** Returns the route of a path without its query; a trailing slash is ignored. */
export const findRoute = (path: string): Route | undefined => {
  const known = exact.get(path)
  if (known !== undefined) return known
  if (path.length > 1 && path.endsWith('/')) return findRoute(path.slice(0, -1))
  const settings = settingsPath.exec(path)?.[1]
  if (settings !== undefined) return { kind: 'settings', key: decoded(settings) }
  const script = scriptPath.exec(path)?.[1]
  if (script !== undefined) return { kind: 'script', key: decoded(script) }
  const file = bundlePath.exec(path)?.[1]
  if (file !== undefined) return { kind: 'bundle', file }
  const [, key, part] = tagPath.exec(path) ?? []
  if (key !== undefined) return { kind: part === 'cookies' ? 'tag-cookies' : 'tag', key: decoded(key) }
  return pixelRoute(path)
}

/** Returns the HTTP methods of a route, except OPTIONS. */
export const methodsOf = (route: Route): readonly string[] =>
  posted.has(route.kind) ? post : route.kind === 'webhook' ? getOrPost : get

const posted: ReadonlySet<Route['kind']> = new Set(['single', 'batch', 'forward', 'discard', 'tag-cookies'])
const getOrPost = ['GET', 'POST']
const post = ['POST']
const get = ['GET', 'HEAD']
