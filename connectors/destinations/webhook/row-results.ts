import {
  cutText,
  type EventOutcome,
  type HttpAnswer,
  isJsonObject,
  type OutgoingRow,
  parseRetryAfter,
} from '@tributary/connector-kit'

/** Maximum bytes of a response that are read: enough for a sentence about each row of a refused batch. */
export const answerBytes = 256 * 1024
/** Maximum stored characters of a reason. */
const reasonCharacters = 500

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const wordsOf = (reason: unknown, unless: string): string =>
  typeof reason === 'string' && reason.trim() !== '' ? cutText(reason.trim(), reasonCharacters).toWellFormed() : unless

/** Returns the outcome in one entry with the record ID of its row; undefined for an undocumented entry. */
const outcomeOf = (entry: unknown, retryAfterMs: number | undefined): [string, EventOutcome] | undefined => {
  if (!isJsonObject(entry)) return undefined
  const { recordId, status, reason } = entry
  if (typeof recordId !== 'string') return undefined
  if (status === 'delivered') return [recordId, { kind: 'delivered' }]
  if (status === 'skipped') return [recordId, { kind: 'skipped', reason: wordsOf(reason, 'The endpoint skipped it') }]
  if (status === 'rejected')
    return [recordId, { kind: 'rejected', reason: wordsOf(reason, 'The endpoint rejected it') }]
  if (status !== 'retry') return undefined
  const later = retryAfterMs === undefined ? {} : { retryAfterMs }
  return [recordId, { kind: 'retry', reason: wordsOf(reason, 'The endpoint asked for another try'), ...later }]
}

/**
 * Returns the outcomes of rows for a 2xx response, in the order of the rows. A row that `results` names by its record
 * ID has that outcome; all other rows are delivered. If the results cannot be read, all rows are sent again, because it
 * is unknown which rows were accepted. `now` is epoch ms.
 */
export const outcomesOfRows = (
  { headers, body }: Pick<HttpAnswer, 'headers' | 'body'>,
  rows: readonly OutgoingRow[],
  now: number,
): EventOutcome | readonly EventOutcome[] => {
  const unread = (why: string): EventOutcome => ({ kind: 'retry', reason: `The results in the response ${why}` })
  // The responses of most endpoints contain nothing about rows.
  if (!body.trimStart().startsWith('{')) return { kind: 'delivered' }
  if (Buffer.byteLength(body) >= answerBytes - 3) return unread(`are longer than ${answerBytes / 1024} KiB`)
  const answer = parsed(body)
  if (!isJsonObject(answer) || answer['results'] === undefined) return { kind: 'delivered' }
  if (!Array.isArray(answer['results'])) return unread('are not a list')
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now)
  const found = new Map<string, EventOutcome>()
  for (const entry of answer['results']) {
    const outcome = outcomeOf(entry, retryAfterMs)
    if (outcome === undefined) return unread('need a recordId and a known status in each entry')
    found.set(...outcome)
  }
  return rows.map(({ recordId }) => found.get(recordId) ?? { kind: 'delivered' })
}
