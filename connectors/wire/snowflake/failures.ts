import type { IncomingHttpHeaders } from 'node:http'
import {
  ConfigurationError,
  cutText,
  DataQueryError,
  DeliveryError,
  networkError,
  parseRetryAfter,
  RetryableError,
} from '@tributary/connector-kit'
import { isJsonObject } from '@tributary/connector-kit/exact-json'
import { RowTooLong, UnreadableResult } from './result-reader.ts'

/** A refusal of the service: its code, such as `002003`, and its message. */
export class SnowflakeError extends Error {
  override readonly name = 'SnowflakeError'
  readonly code: string
  constructor(code: string, words: string) {
    super(words)
    this.code = code
  }
}

/** Maximum number of characters of the service's message that are kept. */
const maxWords = 500

/** Creates the error for a server that is not Snowflake. */
export const notSnowflake = (cause?: unknown): DeliveryError =>
  new ConfigurationError(
    'The server does not respond as Snowflake does. Check the account identifier',
    undefined,
    cause,
  )

const refusalIn = (text: string): { code: string; message: string } | undefined => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isJsonObject(value)) return undefined
  const { code, message } = value
  if (typeof code !== 'string' && typeof code !== 'number') return undefined
  const words = typeof message === 'string' ? message.replace(/\s+/g, ' ').trim().toWellFormed() : ''
  return { code: String(code).slice(0, 20), message: cutText(words, maxWords) }
}

/**
 * Returns the error of a response that is neither a result nor a status
 * (docs.snowflake.com/en/developer-guide/sql-api/reference: 400 to 429 with a code and a message, 5xx).
 */
export const refusalOf = (status: number, headers: IncomingHttpHeaders, text: string): Error => {
  const { code, message = '' } = refusalIn(text) ?? {}
  const words = message === '' ? `status ${status}` : message
  if (status === 429 || status >= 500) {
    const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now())
    const options = retryAfterMs === undefined ? {} : { retryAfterMs }
    return new RetryableError(`Snowflake is busy or unavailable: ${words}`, options)
  }
  if (code !== undefined) return new SnowflakeError(code, words)
  if (status >= 300 && status < 400)
    return new ConfigurationError(`The server redirects (status ${status}). Check the account identifier`)
  // Hosts of accounts that do not exist respond without a code.
  if (status === 403 || status === 404)
    return new ConfigurationError(`There is no such Snowflake account, or it refuses this network (status ${status})`)
  if (status === 401)
    return new ConfigurationError('Snowflake does not accept the account, the user, or the key (status 401)')
  return notSnowflake()
}

/**
 * What to do about codes of the service. They are in the vendor's drivers (snowflake-connector-nodejs,
 * `lib/constants/error_codes.js`; gosnowflake, `errors.go`) and on docs.snowflake.com/en/user-guide/key-pair-auth-troubleshooting.
 */
const hints: Readonly<Record<string, string>> = {
  '000606': 'There is no warehouse, or the role may not use it',
  '000666': 'The account is suspended',
  '090073': 'The warehouse is suspended by a resource monitor',
  '390144': 'Snowflake does not accept the account, the user, or the key',
  '390189': 'The role does not exist, or the user does not have it',
  '390201': 'The database, the schema, or the warehouse does not exist, or the role may not use it',
  '390422': 'A network policy refuses this network',
}

/** The statement was ended by its time limit or by the limit of the warehouse. */
const isTimeout = (code: string): boolean => code === '000630'
/** Codes of statements that were ended from outside, or that waited too long for the warehouse or for a lock. */
const passing = new Set(['000604', '000605', '000625', '000629', '000639'])
/** Codes whose cause is the account, the role, or the warehouse, and not the statement. Sign-in has 390 and 394. */
const isOfAccount = (code: string): boolean => /^39[04]\d{3}$/.test(code) || hints[code] !== undefined

/** Converts an error of the service or the network to a connection error. */
export const deliveryError = (error: unknown): DeliveryError => {
  if (error instanceof DeliveryError) return error
  if (error instanceof UnreadableResult) return notSnowflake(error)
  if (error instanceof SnowflakeError) {
    const { code, message } = error
    const hint = hints[code] ?? (isOfAccount(code) ? 'Snowflake refuses the sign-in' : undefined)
    const text = `${hint === undefined ? '' : `${hint}: `}${message} (${code})`
    return passing.has(code) || isTimeout(code)
      ? new RetryableError(text, { cause: error })
      : new ConfigurationError(text, undefined, error)
  }
  const failure = networkError(error)
  return failure instanceof DeliveryError ? failure : new RetryableError(failure.message, { cause: error })
}

const place = /^(syntax error|error)? ?line (\d+) at position \d+ ?/

/** Returns the message of a refusal, with the line of the query, after `linesBefore` lines of ours. */
const wordsOf = ({ message, code }: SnowflakeError, linesBefore: number): string => {
  const words = message.replace(/^SQL compilation error:\s*/, '')
  const [found, kind, line] = place.exec(words) ?? []
  if (found === undefined) return `${words} (${code})`
  const where = `Line ${Math.max(1, Number(line) - linesBefore)}: `
  return `${where}${kind === 'syntax error' ? 'Syntax error: ' : ''}${words.slice(found.length)} (${code})`
}

/**
 * Converts an error of a query to a message for its author, or to a connection error. The time limit of the query is
 * `limitMs`. Our own lines before the query are `linesBefore`.
 */
export const queryError = (error: unknown, limitMs: number, linesBefore: number): Error => {
  if (error instanceof DataQueryError) return error
  if (error instanceof RowTooLong) return new DataQueryError(error.message, { cause: error })
  if (!(error instanceof SnowflakeError) || passing.has(error.code) || isOfAccount(error.code))
    return deliveryError(error)
  if (isTimeout(error.code))
    return new DataQueryError(`The query did not finish within ${limitMs / 1000} seconds`, { cause: error })
  // The number of statements of a request is fixed at one (…/sql-api/submitting-multiple-statements).
  if (error.code === '000008')
    return new DataQueryError(`Queries can only have one statement: ${error.message} (000008)`, { cause: error })
  return new DataQueryError(wordsOf(error, linesBefore), { cause: error })
}
