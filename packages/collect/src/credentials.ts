import type { IncomingHttpHeaders } from 'node:http'
import { isRecord } from '@tributary/kernel'

/** Longer texts are no write keys; they are not looked up. */
const maxKeyLength = 256

const usable = (key: unknown): string | undefined =>
  typeof key === 'string' && key !== '' && key.length <= maxKeyLength ? key : undefined

/**
 * The user name of a Basic authorization header; a missing colon is forgiven (some SDKs leave it out), the password is
 * ignored.
 */
const basicUser = (authorization: string | undefined): string | undefined => {
  if (authorization === undefined || authorization.length < 7 || authorization.length > 1024) return undefined
  if (authorization.slice(0, 6).toLowerCase() !== 'basic ') return undefined
  const text = Buffer.from(authorization.slice(6), 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return usable(colon < 0 ? text : text.slice(0, colon))
}

/** The value of one query parameter, decoded. Only looks when the name occurs at all. */
const queryValue = (query: string, name: string): string | undefined => {
  if (query === '' || !query.includes(name)) return undefined
  return new URLSearchParams(query).get(name) ?? undefined
}

/** The write key a request names outside of its body: Basic, then X-Write-Key, then `?writeKey=`. */
export const outerKey = (headers: IncomingHttpHeaders, query: string): string | undefined => {
  const basic = basicUser(headers.authorization)
  if (basic !== undefined) return basic
  return usable(headers['x-write-key']) ?? usable(queryValue(query, 'writeKey'))
}

const keyIn = (value: unknown): string | undefined => {
  if (!isRecord(value) || !('writeKey' in value)) return undefined
  return usable(value.writeKey)
}

/** The write key in a parsed body: at its top level, or in the first event of a batch. */
export const bodyKey = (body: object): string | undefined => {
  const top = keyIn(body)
  if (top !== undefined) return top
  return 'batch' in body && Array.isArray(body.batch) ? keyIn(body.batch[0]) : undefined
}

const keyName = Buffer.from('"writeKey"')
const keyField = /^"writeKey"\s*:\s*"([^"\\]{1,256})"/
/** How many places are looked at: SDKs name the key at the beginning, at the end or in every event. */
const maxPlaces = 20

/** The texts that a body names as its key, found without parsing it: the first ones and the last. */
export const keyCandidates = (body: Buffer): string[] => {
  const places: number[] = []
  for (let at = body.indexOf(keyName); at >= 0 && places.length < maxPlaces; at = body.indexOf(keyName, at + 1))
    places.push(at)
  const last = body.lastIndexOf(keyName)
  if (last > (places.at(-1) ?? last)) places.push(last)
  return places.flatMap((at) => keyField.exec(body.toString('latin1', at, at + 400))?.[1] ?? [])
}
