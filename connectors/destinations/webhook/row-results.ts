import {
  type EventOutcome,
  type HttpAnswer,
  isJsonObject,
  type OutgoingRow,
  parseRetryAfter,
} from '@tributary/connector-kit'

/** What of an answer is read, bytes: a batch of rows that are all refused fits with a sentence for each. */
export const answerBytes = 256 * 1024
/** What of a reason is kept, characters. */
const reasonCharacters = 500

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const wordsOf = (reason: unknown, unless: string): string =>
  typeof reason === 'string' && reason.trim() !== '' ? reason.trim().slice(0, reasonCharacters).toWellFormed() : unless

/** What one entry says of its row; undefined when it is none that is documented. */
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
 * What an answer of 2xx says of each row, in their order: those that its `results` name by their record ids have the outcome that
 * stands there, all others are delivered, and without `results` all are. Results that cannot be read are an outcome for all: nobody
 * knows what was taken, so they are to be sent again. `now` is epoch ms.
 */
export const outcomesOfRows = (
  { headers, body }: Pick<HttpAnswer, 'headers' | 'body'>,
  rows: readonly OutgoingRow[],
  now: number,
): EventOutcome | readonly EventOutcome[] => {
  const unread = (why: string): EventOutcome => ({ kind: 'retry', reason: `The results in the response ${why}` })
  // Most endpoints answer with nothing that says anything of rows.
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
