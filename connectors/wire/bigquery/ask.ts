import { type DataSourceContext, parseRetryAfter, RetryableError } from '@tributary/connector-kit'
import { textOfResponse, withResponse } from '../files/download.ts'
import { AnswerTooLarge } from './failures.ts'

/** A request: a GET without a body, otherwise a POST. */
export type Asked = {
  url: string
  headers: Readonly<Record<string, string>>
  body?: string
  /** Maximum bytes of the response. */
  maxBytes: number
  /** Maximum ms from the call to the last byte. */
  timeoutMs: number
  signal?: AbortSignal
}

/** A response that was read as a whole, with the wait in ms that it asks for. */
export type Answer = { status: number; text: string; retryAfterMs: number | undefined }

/** Sends a request. Rejects with a DeliveryError; with AnswerTooLarge for a response above its limit. */
export type Ask = (asked: Asked) => Promise<Answer>

/** Creates the function that sends requests through guarded connections. Redirects are not followed. */
export const askThrough =
  ({ connect }: Pick<DataSourceContext, 'connect'>): Ask =>
  async ({ url, headers, body, maxBytes, timeoutMs, signal }) => {
    const over = AbortSignal.timeout(timeoutMs)
    const ended = signal === undefined ? over : AbortSignal.any([signal, over])
    try {
      const address = { url, headers, ...(body === undefined ? {} : { body }) }
      return await withResponse(address, maxBytes, { connect, signal: ended }, async (response) => {
        const text = await textOfResponse(response, maxBytes)
        if (text === undefined) throw new AnswerTooLarge(maxBytes)
        const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now())
        return { status: response.statusCode ?? 0, text, retryAfterMs }
      })
    } catch (error) {
      if (signal?.aborted === true) throw new RetryableError('Interrupted', { cause: error })
      if (over.aborted)
        throw new RetryableError(`Google did not respond within ${timeoutMs / 1000} seconds`, { cause: error })
      throw error
    }
  }
