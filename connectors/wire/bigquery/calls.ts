import { setTimeout as sleep } from 'node:timers/promises'
import { isJsonObject, type JsonObject, RetryableError } from '@tributary/connector-kit'
import type { Answer, Ask } from './ask.ts'
import { AnswerTooLarge, BigQueryError, errorOfAnswer, isPassing, notBigQuery } from './failures.ts'
import type { Tokens } from './tokens.ts'

/** The address of the API. */
export const apiUrl = 'https://bigquery.googleapis.com'

/**
 * The scopes of tokens, by the discovery document of BigQuery v2 in googleapis 178. Methods that read accept `read`,
 * and `jobs.query` is one of them. No method that writes accepts it. `full` is needed to check and cancel jobs.
 */
export const scopes = {
  read: 'https://www.googleapis.com/auth/cloud-platform.read-only',
  full: 'https://www.googleapis.com/auth/bigquery',
}

/** Maximum bytes of a response that has no rows. */
const answerBytes = 8 * 1024 * 1024
const usualMs = 60_000
/** Waits in ms before a request is repeated, unless Google names a wait of at most `maxWaitMs`. */
const pausesMs = [500, 2000, 5000]
const maxWaitMs = 20_000

/** A call of a method. */
export type Called = {
  /** The path behind `/bigquery/v2/projects/`, with encoded parts. */
  path: string
  query?: Readonly<Record<string, string>>
  /** A call with a body is a POST. */
  body?: object
  /** A body in parts that are sent to the address of uploads, instead of `body`. */
  upload?: { contentType: string; text: string }
  scope: keyof typeof scopes
  /** Whether the call is repeated after a temporary error. Set it if a second call changes nothing. */
  isRepeated: boolean
  maxBytes?: number
  timeoutMs?: number
  /** Interrupts a call under way; by default the signal of the session, which also ends the repetitions. */
  signal?: AbortSignal
}

/** Calls a method and returns the JSON of its success. Rejects with BigQueryError or a DeliveryError. */
export type Call = (called: Called) => Promise<JsonObject>

/** Waits, until the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>

/** Waits in real time. Rejects with RetryableError if the signal aborts. */
export const waitFor: Wait = (ms, signal) =>
  sleep(ms, undefined, { signal }).catch((error: unknown) => {
    throw new RetryableError('Interrupted', { cause: error })
  })

const objectIn = (text: string): JsonObject => {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw notBigQuery('it is no JSON', error)
  }
  if (!isJsonObject(parsed)) throw notBigQuery('it is no JSON object')
  return parsed
}

/** How long to wait before a call is repeated; undefined if it is not repeated. */
const pauseAfter = (error: unknown, tries: number, isRepeated: boolean): number | undefined => {
  const usual = pausesMs[tries]
  if (usual === undefined || !isRepeated || error instanceof AnswerTooLarge) return undefined
  const isTemporary = error instanceof RetryableError || (error instanceof BigQueryError && isPassing(error))
  // A quota is that of a day, so a few seconds do not help.
  if (!isTemporary || (error instanceof BigQueryError && error.reason === 'quotaExceeded')) return undefined
  const { retryAfterMs = usual } = error
  return retryAfterMs > maxWaitMs ? undefined : Math.max(retryAfterMs, usual)
}

/** Creates the function that calls methods of BigQuery's REST API v2 (cloud.google.com/bigquery/docs/reference/rest). */
export const createCall = (deps: { api: string; ask: Ask; tokens: Tokens; signal: AbortSignal; wait: Wait }): Call => {
  const { api, ask, tokens, wait } = deps

  const send = async (called: Called, signal: AbortSignal): Promise<Answer> => {
    const { path, query = {}, body, upload, maxBytes = answerBytes, timeoutMs = usualMs } = called
    const scope = scopes[called.scope]
    const search = new URLSearchParams({ ...query, prettyPrint: 'false' }).toString()
    const url = `${api}${upload === undefined ? '' : '/upload'}/bigquery/v2/projects/${path}?${search}`
    const text = upload?.text ?? (body === undefined ? undefined : JSON.stringify(body))
    const contentType = upload?.contentType ?? 'application/json'
    const once = async (): Promise<{ answer: Answer; token: string }> => {
      const token = await tokens.of(scope)
      const headers = {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        'user-agent': 'Tributary/1.0',
        ...(text === undefined
          ? {}
          : { 'content-type': contentType, 'content-length': String(Buffer.byteLength(text)) }),
      }
      const sent = { url, headers, maxBytes, timeoutMs, signal, ...(text === undefined ? {} : { body: text }) }
      return { answer: await ask(sent), token }
    }
    const { answer, token } = await once()
    if (answer.status !== 401) return answer
    // The token has ended, or was revoked: one more try with a new one.
    tokens.forget(scope, token)
    return (await once()).answer
  }

  return async (called) => {
    const { signal = deps.signal, isRepeated } = called
    for (let tries = 0; ; tries++) {
      try {
        const answer = await send(called, signal)
        if (answer.status === 200) return objectIn(answer.text)
        throw errorOfAnswer(answer, answer.retryAfterMs)
      } catch (error) {
        const isOver = signal.aborted || deps.signal.aborted
        const pauseMs = isOver ? undefined : pauseAfter(error, tries, isRepeated)
        if (pauseMs === undefined) throw error
        await wait(pauseMs, AbortSignal.any([signal, deps.signal]))
      }
    }
  }
}
