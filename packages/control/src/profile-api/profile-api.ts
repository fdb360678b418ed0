import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CachedProfileKey, ProfileKeyCache } from '@tributary/configuration'
import {
  AppError,
  badRequest,
  type Clock,
  forbidden,
  type Logger,
  type Metrics,
  notFound,
  rateLimited,
  unauthorized,
} from '@tributary/kernel'
import type { Relational } from '@tributary/storage'
import { answerCall, failureOfCall, headersOfFailure, keyOf } from '../key-authenticated-http.ts'
import { readPersonIdentifiers, readPersonTraits } from './read-person.ts'
import { createRequestRate } from './request-rate.ts'

const base = '/profiles/v1/'
const address = /^\/profiles\/v1\/([a-z0-9][a-z0-9_.-]{0,49}):([^/?]+)\/(traits|external_ids)$/

/** Maximum requests per second of one key, and of all keys of a workspace. */
export const profileApiRates = { key: 300, workspace: 600 } as const

/**
 * Maximum number of requests that wait for a connection. A request beyond it is refused with the time after which to
 * try again.
 */
const maxWaiting = 200

/** The identifier in a request, and the part of the profile that it asks for. */
type Asked = { type: string; value: string; part: 'traits' | 'external_ids' }

const askedIn = (path: string): Asked => {
  const [, type = '', encoded = '', part] = address.exec(path) ?? []
  if (part !== 'traits' && part !== 'external_ids')
    throw notFound('Use /profiles/v1/{kind}:{value}/traits or /profiles/v1/{kind}:{value}/external_ids', 'NO_SUCH_CALL')
  try {
    const value = decodeURIComponent(encoded)
    // The database cannot store a NUL character.
    if (!value.includes('\0')) return { type, value, part }
  } catch {
    // The value in the address is not valid percent-encoded text.
  }
  throw badRequest('VALIDATION', 'The value in the address must be percent-encoded UTF-8')
}

/** Returns the key in the authorization header of a request. A public key can also be in the address. */
const keyIn = (request: IncomingMessage, query: URLSearchParams): string | undefined => {
  if (request.headers.authorization !== undefined) return keyOf(request)
  const open = query.get('key')
  return open?.startsWith('profile_public_') ? open : undefined
}

/**
 * Whether a browser sent the request. Browsers add `Origin` to calls of other origins, and `Sec-Fetch-Site` to all
 * calls.
 */
const isOfBrowser = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

const names = (query: URLSearchParams): string[] | null => {
  const include = query.get('include')
  return include === null ? null : include.split(',').slice(0, 200)
}

/** Writes traits as a JSON object, each value exactly as it was received. */
const objectOf = (traits: readonly { name: string; value: string | null }[]): string =>
  `{${traits.map(({ name, value }) => `${JSON.stringify(name)}:${value ?? 'null'}`).join(',')}}`

export type ProfileApiDeps = {
  /** Separate connections, so that the API of the web application never waits for the Profile API. */
  pool: Relational['pool']
  keys: Pick<ProfileKeyCache, 'find' | 'ready'>
  clock: Clock
  logger: Logger
  metrics: Metrics
}

/**
 * Serves profiles to other servers: traits and identifiers, by any identifier. Every request needs a key; one without a
 * valid key is refused without a query. A secret key is refused if a browser sends it. A public key reads selected
 * traits, by an anonymous ID only.
 */
export const createProfileApi = ({ pool, keys, clock, logger, metrics }: ProfileApiDeps) => {
  const rate = createRequestRate(
    (name) => (name.startsWith('key ') ? profileApiRates.key : profileApiRates.workspace),
    clock,
  )

  const admit = (request: IncomingMessage, query: URLSearchParams): CachedProfileKey => {
    if (!keys.ready())
      throw new AppError(503, 'UNAVAILABLE', 'The server is starting; try again in a moment', { retry_after: '1' })
    const text = keyIn(request, query)
    const key = text === undefined ? undefined : keys.find(text)
    if (key === undefined)
      throw unauthorized(
        'Send a key of the Profile API as the user name of Basic authorization. Create one in the profile settings.',
        'INVALID_KEY',
      )
    if (key.kind === 'secret' && isOfBrowser(request))
      throw forbidden(
        'A secret key must not be used in a browser. Rotate it, and use a public key there',
        'SECRET_KEY_IN_BROWSER',
      )
    const wait = rate.take(`key ${key.id}`, `workspace ${key.workspaceId}`)
    if (wait !== undefined) throw rateLimited('Too many requests. Try again in a moment', wait)
    if (pool.waitingCount > maxWaiting)
      throw new AppError(503, 'UNAVAILABLE', 'The database is busy; try again in a moment', { retry_after: '1' })
    return key
  }

  const answerTraits = async (key: CachedProfileKey, asked: Asked, wanted: string[] | null): Promise<string> => {
    const open = key.kind === 'secret' ? wanted : key.traits.filter((name) => wanted?.includes(name) ?? true)
    const traits = await readPersonTraits(pool, key.workspaceId, asked, open === null ? null : [...open])
    if (traits === undefined) throw notFound('No profile has this identifier')
    return `{"traits":${objectOf(traits)}}`
  }

  const answerIdentifiers = async (key: CachedProfileKey, asked: Asked): Promise<string> => {
    const found = await readPersonIdentifiers(pool, key.workspaceId, asked)
    if (found.length === 0) throw notFound('No profile has this identifier')
    const data = found.map(({ type, value, create_time }) => ({
      id: value,
      type,
      collection: 'users',
      encoding: 'none',
      created_at: create_time.toISOString(),
    }))
    return JSON.stringify({ data })
  }

  const send = (response: ServerResponse, status: number, body: string, headers: Record<string, string>): void => {
    metrics.count('profile_api_requests', 1, { status: String(status) })
    answerCall(response, status, body, headers)
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers: Record<string, string> = {}
    try {
      if (request.method !== 'GET') throw new AppError(405, 'METHOD_NOT_ALLOWED', 'Use GET')
      const [path = '', text = ''] = (request.url ?? '').split('?', 2)
      const query = new URLSearchParams(text)
      const key = admit(request, query)
      // Pages can only use a public key. It is part of the address, so that browsers need no preflight request.
      if (key.kind === 'public') headers['access-control-allow-origin'] = '*'
      const asked = askedIn(path)
      if (key.kind === 'public' && (asked.part !== 'traits' || asked.type !== 'anonymous_id'))
        throw forbidden('A public key reads traits by anonymous_id only', 'PUBLIC_KEY')
      const body =
        asked.part === 'traits' ? await answerTraits(key, asked, names(query)) : await answerIdentifiers(key, asked)
      send(response, 200, body, headers)
    } catch (error) {
      const failure = failureOfCall(error, logger, 'a call of the Profile API failed')
      if (failure.code === 405) headers.allow = 'GET'
      send(response, failure.code, JSON.stringify(failure.toBody()), { ...headers, ...headersOfFailure(failure) })
    }
  }

  return {
    handles: (path: string): boolean => path.startsWith(base),
    handle: (request: IncomingMessage, response: ServerResponse): void => void handle(request, response),
  }
}
