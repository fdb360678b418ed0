import { isRecord } from '@tributary/kernel/record'
import { fieldErrorText } from '../format/text.ts'

/** The response body of every rejected call of the API. */
export type ErrorBody = { code: number; reason: string; message: string; metadata: Record<string, string> }

const textRecord = (value: unknown): Record<string, string> | undefined =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)])) : undefined

/**
 * Reads the body of a rejected call, even an incomplete one: the four keys at the top or inside of `error`, or an
 * `error` that is only the message. Empty texts count as missing.
 */
export const readErrorBody = (json: unknown): Partial<ErrorBody> => {
  if (!isRecord(json)) return {}
  if (isRecord(json.error)) return readErrorBody(json.error)
  const { code, reason, error } = json
  const message = [json.message, error].find((text) => typeof text === 'string' && text !== '')
  const metadata = textRecord(json.metadata)
  return {
    ...(typeof code === 'number' ? { code } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(metadata === undefined ? {} : { metadata }),
  }
}

/** The error of a call whose response has a status of 400 or more, or that got no response (status 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly body: Partial<ErrorBody>

  /** `fallback` is the message if the response has none. */
  constructor(status: number, body: Partial<ErrorBody>, fallback: string) {
    super(body.message ?? fallback)
    this.status = status
    this.body = body
  }
}

/** Reasons of a 401 about a one-time code or token: only the code or token is rejected, and the session continues. */
const oneTimeReasons: readonly (string | undefined)[] = ['INVALID_CODE', 'INVALID_TOKEN']

/**
 * True for a 401 that means that the session has ended: "expired", or "invalid auth userInfo" in any spelling (AMB-02).
 */
export const isSessionExpired = (error: unknown): boolean => {
  if (!(error instanceof ApiError) || error.status !== 401) return false
  const { reason } = error.body
  if (reason === 'TOKEN_EXPIRED') return true
  return (
    /invalid auth user ?info/i.test(error.message) ||
    (!oneTimeReasons.includes(reason) && /expired/i.test(error.message))
  )
}

/** The texts that are shown instead of content whose query failed. */
export type ErrorScreenText = {
  kind: 'not-found' | 'workspace-not-found' | 'forbidden' | 'warehouse' | 'other'
  title: string
  message: string
  action: 'Refresh' | 'Retry'
  /** Further detail from another system that rejected the call, such as a database. */
  detail?: string | undefined
}

/** Returns the texts for an error of a query: fixed texts for 403, 404 and 412, otherwise the message of the error. */
export const errorScreen = (error: unknown): ErrorScreenText => {
  const status = error instanceof ApiError ? error.status : 0
  // A response that has no message gives no text. Without any response, the text is that of the error itself.
  const own =
    error instanceof ApiError && status !== 0 ? (error.body.message ?? '') : error instanceof Error ? error.message : ''
  if (/^workspace not found\.?$/i.test(own))
    return {
      kind: 'workspace-not-found',
      title: 'The requested Workspace was not found.',
      message: 'It may have been deleted, or your account has no access to it.',
      action: 'Refresh',
    }
  if (status === 404)
    return {
      kind: 'not-found',
      title: 'The requested resource was not found.',
      message: 'The page you are looking for does not exist.',
      action: 'Refresh',
    }
  if (status === 403)
    return {
      kind: 'forbidden',
      title: 'No access',
      message: 'You are not authorized to view this content',
      action: 'Retry',
    }
  if (status === 412)
    return {
      kind: 'warehouse',
      title: 'No connection',
      message:
        "We couldn't establish a connection to your data warehouse; access is either currently in progress or has been revoked.",
      action: 'Retry',
      detail: error instanceof ApiError ? error.body.metadata?.detail : undefined,
    }
  return {
    kind: 'other',
    title: 'Could not load this',
    message: own === '' ? 'unknown error' : own,
    action: 'Retry',
  }
}

/** The text that a form shows for the message "upgrade required" of the server. */
export const upgradeText =
  "You've reached the maximum number of resources allowed on your current plan. Upgrade to a larger plan."

/** The reason why a form was rejected: messages for fields by name, or one message for the whole form. */
export type FormFailure = {
  fields: { name: string; message: string; code: number }[]
  form?: { message: string; code: number; reason: string }
}

/** Keys of the metadata that describe the rejection itself and are not fields. */
const notFields: ReadonlySet<string> = new Set(['retry_after', 'error_id'])

/**
 * Reads the error of a rejected form.
 * - An entry for `settings` in the metadata is a field error with code 402, and hides all other entries.
 * - Other entries belong to the fields with their names.
 * - Without entries, the message applies to the whole form, with its code and reason (code 0 if the response has none).
 */
export const formFailure = (error: unknown): FormFailure => {
  const body: Partial<ErrorBody> = error instanceof ApiError ? error.body : {}
  if (body.metadata?.settings !== undefined)
    return { fields: [{ name: 'settings', message: fieldErrorText(body.metadata.settings), code: 402 }] }
  const { code = 0, reason = '' } = body
  const own = error instanceof Error ? error.message : ''
  const upgrade = own.trim().toLowerCase() === 'upgrade required'
  const entries = Object.entries(body.metadata ?? {}).filter(([name]) => !notFields.has(name))
  return {
    fields: entries.map(([name, text]) => ({ name, message: fieldErrorText(text), code })),
    form: { message: upgrade ? upgradeText : own === '' ? 'unknown error' : own, code, reason },
  }
}

/**
 * Returns the reason why an action without a form was rejected, in one line: the error of a field if there is one,
 * otherwise the message.
 */
export const failureText = (error: unknown): string => {
  const { fields, form } = formFailure(error)
  return fields[0]?.message ?? form?.message ?? 'unknown error'
}

/** True for the two errors of a page whose files a newer build has replaced. A reload fixes them. */
export const isModuleLoadFailure = (error: unknown): boolean =>
  error instanceof Error &&
  /Failed to fetch dynamically imported module|Failed to load module script|error loading dynamically imported module|Importing a module script failed/i.test(
    error.message,
  )
