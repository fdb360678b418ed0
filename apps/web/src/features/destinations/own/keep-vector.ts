import type { CatalogDestination, SettingValue } from '@tributary/contract'
import { isRecord } from '@tributary/kernel/record'

/** Members of an event that a vector can have. */
const kept = [
  'type',
  'event',
  'messageId',
  'userId',
  'anonymousId',
  'groupId',
  'previousId',
  'timestamp',
  'properties',
  'traits',
  'context',
]

/** Headers that each request has, so that a vector need not say them. */
const usual = /^(content-length|user-agent|accept|accept-encoding|host|connection)$/i

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Options = CatalogDestination['settings']

/** Returns settings for a vector. Secrets have made-up values in place of real ones. */
export const vectorSettings = (
  options: Options,
  settings: Readonly<Record<string, SettingValue>>,
): Record<string, SettingValue> =>
  Object.fromEntries(
    options.flatMap(({ name, is_secret: secret }): [string, SettingValue][] => {
      const value = settings[name]
      if (secret) return [[name, `secret-${name}-0001`]]
      return value === undefined || value === null || value === '' ? [] : [[name, value]]
    }),
  )

/** A vector that was added to a description, and its position among those with requests. */
export type Kept = { text: string; index: number }

/**
 * Adds a vector with an event, and without requests, to the vectors of a description. Returns undefined if the description
 * or the event is no JSON object.
 */
export const withVector = (
  description: string,
  { name, event, settings }: { name: string; event: string; settings: Readonly<Record<string, SettingValue>> },
): Kept | undefined => {
  const whole = parse(description)
  const given = parse(event)
  if (!isRecord(whole) || !isRecord(given)) return undefined
  const vectors = isRecord(whole.vectors) ? whole.vectors : {}
  const before: unknown[] = Array.isArray(vectors.requests) ? vectors.requests : []
  const members = Object.entries(given).filter(
    ([member, value]) => kept.includes(member) && value !== '' && value !== null,
  )
  const vector = { name, settings, events: [Object.fromEntries(members)], requests: [] }
  const text = JSON.stringify({ ...whole, vectors: { ...vectors, requests: [...before, vector] } }, null, 2)
  return { text: `${text}\n`, index: before.length }
}

/** Puts the requests that a check has found into the vector at a position. */
export const withRequests = ({ text, index }: Kept, actual: string): string | undefined => {
  const whole = parse(text)
  const found = parse(actual)
  if (!isRecord(whole) || !isRecord(whole.vectors) || !Array.isArray(whole.vectors.requests) || !Array.isArray(found))
    return undefined
  const requests = found.filter(isRecord).map(({ headers, ...request }) => ({
    ...request,
    ...(isRecord(headers)
      ? { headers: Object.fromEntries(Object.entries(headers).filter(([header]) => !usual.test(header))) }
      : {}),
  }))
  const vectors = (whole.vectors.requests as unknown[]).map((vector, at) =>
    at === index && isRecord(vector) ? { ...vector, requests } : vector,
  )
  return `${JSON.stringify({ ...whole, vectors: { ...whole.vectors, requests: vectors } }, null, 2)}\n`
}
