import { setTimeout as pauseFor } from 'node:timers/promises'
import { backoffMs, type RetryPolicy, retryPolicies } from '@tributary/kernel'
import { InvalidBlob } from '../keys.ts'
import { BlobsUnavailable } from '../port.ts'
import type { BucketAccess, BucketLanguage, BucketRequest } from './bucket-language.ts'

/** A response. `code` is the code of an expected failure, otherwise empty. */
export type BucketAnswer = { code: string; contentType: string; body: Buffer }

export type BucketClientOptions = {
  access: BucketAccess
  language: BucketLanguage
  /**
   * Maximum time until a response begins, and again until it ends, in ms. Both limits grow by a second for each million
   * bytes.
   */
  timeoutMs?: number
  retry?: RetryPolicy
  pause?: (ms: number) => Promise<unknown>
}

type Failure = { text: string; isLater: boolean }

const slow = 'The storage does not respond in time'
const errorBytes = 64 * 1024
/** Maximum requests in flight. Further requests fail immediately, so that a hanging storage uses bounded memory. */
const maxInFlight = 128

const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  // If all addresses of a name fail together, the error has no message.
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  return cause.message === '' ? `The storage cannot be reached (${code})` : cause.message
}

/** The body of a response of at most `maxBytes`; undefined for a longer one, which is not read to its end. */
const boundedBody = async (response: Response, maxBytes: number): Promise<Buffer | undefined> => {
  if (lengthOf(response) > maxBytes) {
    await response.body?.cancel()
    return undefined
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const lengthOf = (response: Response): number => Number(response.headers.get('content-length') ?? 0)

/** A response and its body, each within its time limit. */
const answerTo = async (
  url: string,
  request: RequestInit & { body?: Uint8Array<ArrayBuffer> },
  limits: { timeoutMs: number; maxBytes: number },
): Promise<{ response: Response; body: Buffer | undefined }> => {
  const stop = new AbortController()
  const within = (bytes: number) =>
    setTimeout(() => stop.abort(new Error(slow)), limits.timeoutMs + Math.min(bytes, limits.maxBytes) / 1000)
  let timer = setTimeout(() => stop.abort(new Error(slow)), limits.timeoutMs + (request.body?.length ?? 0) / 1000)
  try {
    const response = await fetch(url, { ...request, redirect: 'manual', signal: stop.signal })
    clearTimeout(timer)
    timer = within(lengthOf(response))
    return { response, body: await boundedBody(response, response.ok ? limits.maxBytes : errorBytes) }
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Sends signed requests to a bucket. Each is limited in time and bytes, and retried with growing pauses while the
 * storage is unavailable or overloaded. Redirects are not followed. Rejects with BlobsUnavailable, whose message
 * contains no secret.
 */
export const createBucketClient = (options: BucketClientOptions) => {
  const { access, language, timeoutMs = 5000, retry = retryPolicies.blobs, pause = pauseFor } = options
  let inFlight = 0

  const attempt = async (
    request: BucketRequest,
    maxBytes: number,
    fine: readonly string[],
  ): Promise<BucketAnswer | Failure> => {
    const { url, headers } = await language.signRequest(access, request, Date.now())
    const { method, body: sent } = request
    const found = await answerTo(
      url,
      {
        method,
        headers: { ...headers, 'accept-encoding': 'identity' },
        ...(sent === undefined ? {} : { body: new Uint8Array(sent) }),
      },
      { timeoutMs, maxBytes },
    ).catch((error: unknown): Failure => ({ text: wordsOf(error), isLater: true }))
    if (!('response' in found)) return found
    const { response, body } = found
    const { status } = response
    if (response.ok) {
      if (body === undefined)
        throw new InvalidBlob(`The object has more than ${maxBytes.toLocaleString('en-US')} bytes`)
      return { code: '', contentType: response.headers.get('content-type') ?? '', body }
    }
    const bucketRegion = response.headers.get('x-amz-bucket-region') ?? undefined
    const failure = language.failureWords({ status, body: body?.toString() ?? '', bucketRegion }, access.region)
    // A 404 response may come without an error code.
    const code = failure.code === '' && status === 404 ? 'NoSuchKey' : failure.code
    if (fine.includes(code)) return { code, contentType: '', body: Buffer.alloc(0) }
    return { text: failure.text, isLater: failure.isLater || status >= 500 || status === 429 }
  }

  const tried = async (
    request: BucketRequest,
    maxBytes: number,
    fine: readonly string[],
    once: boolean,
  ): Promise<BucketAnswer> => {
    const started = performance.now()
    for (let tries = 1; ; tries++) {
      const found = await attempt(request, maxBytes, fine)
      if ('code' in found) return found
      const waitMs = backoffMs(retry, tries)
      if (once || !found.isLater || performance.now() - started + waitMs > retry.maxElapsedMs)
        throw new BlobsUnavailable(found.text)
      await pause(waitMs)
    }
  }

  return {
    /**
     * Sends a request; `fine` lists error codes that are accepted as responses. With `once`, it is not retried. A
     * response has at most `maxBytes`.
     */
    async ask(
      request: BucketRequest,
      given: { maxBytes?: number; fine?: readonly string[]; once?: boolean } = {},
    ): Promise<BucketAnswer> {
      if (inFlight >= maxInFlight) throw new BlobsUnavailable('Too many requests are in progress')
      inFlight++
      try {
        return await tried(request, given.maxBytes ?? errorBytes, given.fine ?? [], given.once ?? false)
      } finally {
        inFlight--
      }
    },
  }
}
