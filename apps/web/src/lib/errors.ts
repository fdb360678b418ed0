import { fieldErrorText } from './text.ts'

/** The body every refused call of the API carries. */
export type ErrorBody = { code: number; reason: string; message: string; metadata: Record<string, string> }

/** A call that was answered with a status of 400 or more, or not at all (status 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly body: Partial<ErrorBody> & { error?: string }

  constructor(status: number, body: Partial<ErrorBody> & { error?: string }, fallback: string) {
    super(body.message === undefined || body.message === '' ? fallback : body.message)
    this.status = status
    this.body = body
  }
}

/** True for a 401 that says the session is over: an expired token, or "invalid auth userInfo" in any spelling. */
export const isSessionExpired = (error: unknown): boolean => {
  if (!(error instanceof ApiError) || error.status !== 401) return false
  if (error.body.reason === 'TOKEN_EXPIRED') return true
  return /expired|invalid auth user ?info/i.test(error.message)
}

/** What a failed query shows in place of its content. */
export type ErrorScreenText = {
  kind: 'not-found' | 'workspace-not-found' | 'forbidden' | 'warehouse' | 'other'
  title: string
  message: string
  action: 'Refresh' | 'Retry'
}

/** The screen for an error of a query: fixed words for 403, 404 and 412, otherwise the error's own. */
export const errorScreen = (error: unknown): ErrorScreenText => {
  const status = error instanceof ApiError ? error.status : 0
  const own = error instanceof Error ? error.message : ''
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
    }
  return {
    kind: 'other',
    title: 'This could not be loaded',
    message: own === '' ? 'unknown error' : own,
    action: 'Retry',
  }
}

export const upgradeText =
  "You've reached the maximum number of resources allowed on your current plan. Upgrade to a larger plan."

/** Why a form was refused: messages for fields by name, or one for the whole form. */
export type FormFailure = {
  fields: { name: string; message: string; code: number }[]
  form?: { message: string; code: number; reason: string }
}

/**
 * Reads a refused submit. A `settings` entry of the metadata is a field error with code 402; other entries belong to the
 * field of their name; without entries the message counts for the form, with its code and reason (code 0 when the
 * answer had no metadata).
 */
export const formFailure = (error: unknown): FormFailure => {
  const body: Partial<ErrorBody> & { error?: string } = error instanceof ApiError ? error.body : {}
  const metadata = body.metadata
  if (metadata?.settings !== undefined)
    return { fields: [{ name: 'settings', message: fieldErrorText(metadata.settings), code: 402 }] }
  const entries = Object.entries(metadata ?? {})
  const own = body.message ?? body.error ?? (error instanceof Error ? error.message : '')
  const message = own === 'upgrade required' ? upgradeText : own === '' ? 'unknown error' : own
  if (entries.length > 0)
    return {
      fields: entries.map(([name, text]) => ({ name, message: fieldErrorText(text), code: body.code ?? 0 })),
      form: { message, code: body.code ?? 0, reason: body.reason ?? '' },
    }
  return {
    fields: [],
    form:
      metadata === undefined
        ? { message, code: 0, reason: '' }
        : { message, code: body.code ?? 0, reason: body.reason ?? '' },
  }
}

/** Why an action that has no form was refused, in one line: what is wrong with a field, else the message. */
export const failureText = (error: unknown): string => {
  const { fields, form } = formFailure(error)
  return fields[0]?.message ?? form?.message ?? 'unknown error'
}

/** Text of the notification for a status of 500 or more: the server's message, else the error's own. */
export const faultText = (error: ApiError): string => error.body.message ?? error.message

/** True for the two faults of a page whose files were replaced by a newer build; a reload mends them. */
export const isModuleLoadFailure = (error: unknown): boolean =>
  error instanceof Error &&
  /Failed to fetch dynamically imported module|Failed to load module script|error loading dynamically imported module|Importing a module script failed/i.test(
    error.message,
  )
