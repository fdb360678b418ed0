import {
  formatPath,
  type Method,
  type MethodParams,
  type MethodQuery,
  type MethodRequest,
  type MethodResponse,
} from '@tributary/contract'
import { ApiError, readErrorBody } from './errors.ts'
import { useSession } from './session.ts'

const base = '/api'

/** What a call takes: path parameters, body and query exactly when its method declares them. */
export type CallInput<M extends Method> = { signal?: AbortSignal } & (keyof MethodParams<M> extends never
  ? { params?: undefined }
  : { params: MethodParams<M> }) &
  (MethodRequest<M> extends undefined ? { body?: undefined } : { body: MethodRequest<M> }) &
  (MethodQuery<M> extends undefined ? { query?: undefined } : { query?: MethodQuery<M> })

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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

/** The answer as its method declares it: the schema of `method` has just accepted the value. */
const answerOf = <M extends Method>(method: M, json: unknown): MethodResponse<M> => {
  const parsed = method.response.safeParse(json)
  if (!parsed.success)
    throw new ApiError(
      0,
      {},
      `The server's answer to ${method.name} was not understood. Refresh the page to load the current version.`,
    )
  return parsed.data as MethodResponse<M>
}

/**
 * Calls the API: same origin, credentials, bearer token, no timeout. Throws ApiError for a status of 400 or more
 * (status 0 when the server could not be reached) and lets an abort pass.
 */
export const call = async <M extends Method>(method: M, input: CallInput<M>): Promise<MethodResponse<M>> => {
  const { accessToken } = useSession.getState()
  const params: Readonly<Record<string, string>> = input.params ?? {}
  let response: Response
  let text: string
  try {
    response = await fetch(`${base}${formatPath(method.path, params)}${queryText(input.query)}`, {
      method: method.verb,
      credentials: 'include',
      headers: {
        accept: 'application/json',
        ...(accessToken === null ? {} : { authorization: `Bearer ${accessToken}` }),
        ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      ...(input.signal === undefined ? {} : { signal: input.signal }),
    })
    text = await response.text()
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, {}, 'The server could not be reached. Check your connection and try again.')
  }
  const json = parseJson(text)
  if (!response.ok)
    throw new ApiError(response.status, readErrorBody(json), `The server answered with status ${response.status}.`)
  return answerOf(method, json)
}
