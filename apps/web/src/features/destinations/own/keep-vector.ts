import type { CatalogDestination, SettingValue } from '@tributary/contract'
import { isRecord } from '@tributary/kernel/record'
import type { TriedRow } from './row-choice.tsx'

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

/** A vector that was added to a description: the member of `vectors` that has it, and its position there. */
export type Kept = { text: string; member: 'requests' | 'rows'; index: number }

/** A tried event, or a tried row, as JSON text. */
type Tried = { event: string } | { row: TriedRow }

const inputOf = (tried: Tried): object | undefined => {
  const given = parse('row' in tried ? tried.row.values : tried.event)
  if (!isRecord(given)) return undefined
  if ('row' in tried) {
    const { object, operation, identifier, list = '' } = tried.row
    return { object, operation, identifier, ...(list === '' ? {} : { list }), rows: [given] }
  }
  const members = Object.entries(given).filter(
    ([member, value]) => kept.includes(member) && value !== '' && value !== null,
  )
  return { events: [Object.fromEntries(members)] }
}

/**
 * Adds a vector with an event or a row, and without requests, to the vectors of a description. Returns undefined if the
 * description, or what was tried, is no JSON object.
 */
export const withVector = (
  description: string,
  { name, settings, ...tried }: { name: string; settings: Readonly<Record<string, SettingValue>> } & Tried,
): Kept | undefined => {
  const whole = parse(description)
  const input = inputOf(tried)
  if (!isRecord(whole) || input === undefined) return undefined
  const vectors = isRecord(whole.vectors) ? whole.vectors : {}
  const member = 'row' in tried ? 'rows' : 'requests'
  const { [member]: given } = vectors
  const before: unknown[] = Array.isArray(given) ? given : []
  const vector = { name, settings, ...input, requests: [] }
  const text = JSON.stringify({ ...whole, vectors: { ...vectors, [member]: [...before, vector] } }, null, 2)
  return { text: `${text}\n`, member, index: before.length }
}

/** Puts the requests that a check has found into the vector that was added. */
export const withRequests = ({ text, member, index }: Kept, actual: string): string | undefined => {
  const whole = parse(text)
  const found = parse(actual)
  const { [member]: before } = isRecord(whole) && isRecord(whole.vectors) ? whole.vectors : {}
  if (!isRecord(whole) || !isRecord(whole.vectors) || !Array.isArray(before) || !Array.isArray(found)) return undefined
  const requests = found.filter(isRecord).map(({ headers, ...request }) => ({
    ...request,
    ...(isRecord(headers)
      ? { headers: Object.fromEntries(Object.entries(headers).filter(([header]) => !usual.test(header))) }
      : {}),
  }))
  const vectors = (before as unknown[]).map((vector, at) =>
    at === index && isRecord(vector) ? { ...vector, requests } : vector,
  )
  return `${JSON.stringify({ ...whole, vectors: { ...whole.vectors, [member]: vectors } }, null, 2)}\n`
}
