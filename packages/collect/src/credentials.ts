import type { IncomingHttpHeaders } from 'node:http'
import { isRecord } from '@tributary/kernel'

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
