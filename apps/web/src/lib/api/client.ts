import {
  formatPath,
  type Method,
  type MethodParams,
  type MethodQuery,
  type MethodRequest,
  type MethodResponse,
  pageBuildHeader,
} from '@tributary/contract'
import { isRecord } from '@tributary/kernel/record'
import { useSession } from '../people/session.ts'
import { ApiError, readErrorBody } from './errors.ts'
import { doubtServer, isProxyFailure, serverAnswered, watchServer } from './reachability.ts'

const base = '/api'

/** The build of this page. A server of another version then ignores unknown fields instead of rejecting them. */
const build = import.meta.env.VITE_BUILD_HASH ?? ''

/** The input of a call. It has path parameters, a body and a query exactly if its method declares them. */
export type CallInput<M extends Method> = { signal?: AbortSignal } & (keyof MethodParams<M> extends never
  ? { params?: undefined }
  : { params: MethodParams<M> }) &
  (MethodRequest<M> extends undefined ? { body?: undefined } : { body: MethodRequest<M> }) &
  (MethodQuery<M> extends undefined ? { query?: undefined } : { query?: MethodQuery<M> })

const queryText = (query: unknown): string => {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(isRecord(query) ? query : {}))
    if ((typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean')
      search.set(key, String(value))
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

const parseJson = (text: string): unknown => {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the error for a response that does not have the declared form. */
const misunderstood = (name: string): ApiError =>
  new ApiError(0, {}, `The response to ${name} was not understood. Refresh the page to load the current version.`)

/** The message for a write that was canceled. The server may have executed it although the response was lost. */
const lostText = 'The server stopped responding, and this may or may not have been saved. Check before you try again.'

const unreachable = (verb: Method['verb']): ApiError =>
  new ApiError(
    0,
    {},
    `Could not reach the server${verb === 'GET' ? '' : ', so nothing was saved'}. Check your connection and try again.`,
  )

/**
 * Runs a call. A write ends when the server is found unavailable meanwhile; a read continues, because it can safely be
 * repeated.
 */
const untilAway = async (
  verb: Method['verb'],
  given: AbortSignal | undefined,
  run: (signal: AbortSignal | undefined) => Promise<{ response: Response; text: string }>,
): Promise<{ response: Response; text: string }> => {
  const lost = new AbortController()
  const signals = [given, verb === 'GET' ? undefined : lost.signal].filter((signal) => signal !== undefined)
  const stop = verb === 'GET' ? undefined : watchServer(() => lost.abort())
  try {
    return await run(signals.length > 1 ? AbortSignal.any(signals) : signals[0])
  } catch (error) {
    if (lost.signal.aborted) throw new ApiError(0, {}, lostText)
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    doubtServer()
    throw unreachable(verb)
  } finally {
    stop?.()
  }
}

/** The parts of a method that a request needs, without the schema of the response. */
export type Wire = Pick<Method, 'name' | 'verb' | 'path'>

/**
 * Calls the API and returns the result of `read` on the JSON of the response. If `read` returns undefined, the response
 * is unexpected. For pages without the contract's schemas; all others use `call`.
 */
export const ask = async <T>(
  method: Wire,
  input: { params?: Readonly<Record<string, string>>; body?: unknown; query?: unknown; signal?: AbortSignal },
  read: (json: unknown) => T | undefined,
): Promise<T> => {
  const { accessToken } = useSession.getState()
  const address = `${base}${formatPath(method.path, input.params ?? {})}${queryText(input.query)}`
  const { response, text } = await untilAway(method.verb, input.signal, async (signal) => {
    const answer = await fetch(address, {
      method: method.verb,
      credentials: 'include',
      headers: {
        accept: 'application/json',
        ...(build === '' ? {} : { [pageBuildHeader]: build }),
        ...(accessToken === null ? {} : { authorization: `Bearer ${accessToken}` }),
        ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      ...(signal === undefined ? {} : { signal }),
    })
    return { response: answer, text: await answer.text() }
  })
  const json = parseJson(text)
  if (!response.ok) {
    const body = readErrorBody(json)
    if (isProxyFailure(response.status, body.reason)) doubtServer()
    else serverAnswered()
    throw new ApiError(response.status, body, `The server responded with status ${response.status}.`)
  }
  serverAnswered()
  const answer = read(json)
  if (answer === undefined) throw misunderstood(method.name)
  return answer
}

/**
 * Calls the API: same origin, credentials, bearer token, no timeout. Throws ApiError for a status of 400 or more, and
 * with status 0 if the server could not be reached. An abort is thrown unchanged. A write also ends when a check in the
 * meantime finds the server unavailable.
 */
export const call = <M extends Method>(method: M, input: CallInput<M>): Promise<MethodResponse<M>> =>
  // The schema of `method` has just accepted the value, so the cast is safe.
  ask(method, input, (json) => method.response.safeParse(json).data as MethodResponse<M> | undefined)
