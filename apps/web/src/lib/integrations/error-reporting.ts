import type { ClientConfig } from '@tributary/contract'
import { ApiError } from '../api/errors.ts'

/** The used part of the error-reporting SDK. */
export type Reporter = {
  captureException(error: unknown): unknown
  setUser(user: { id: string } | null): void
}

/** The options of the SDK: every trace, and no typed or secret text. */
export type ReportingOptions = {
  dsn: string
  environment: string
  tracesSampleRate: number
  dataCollection: { userInfo: false; cookies: false; httpHeaders: false; httpBodies: []; urlQueryParams: false }
  /** True for errors that are not reported. */
  ignores: (error: unknown) => boolean
}

/**
 * True for errors that are not reported: scripts of the payment provider that a browser or blocker has blocked, and
 * requests for resources that no longer exist.
 */
export const isIgnored = (error: unknown): boolean => {
  if (error instanceof ApiError) return error.status === 404
  const message = error instanceof Error ? error.message : typeof error === 'string' ? error : ''
  return /Failed to load Stripe\.js|js\.stripe\.com/i.test(message) || /status(?: code)? 404\b/i.test(message)
}

/**
 * Returns the options for reporting errors. Returns undefined if errors are not reported: without a DSN, and in
 * development.
 */
export const reportingOptions = (
  config: Pick<ClientConfig, 'sentry_dsn' | 'environment'>,
): ReportingOptions | undefined =>
  config.sentry_dsn === '' || config.environment === 'development'
    ? undefined
    : {
        dsn: config.sentry_dsn,
        environment: config.environment,
        tracesSampleRate: 1,
        dataCollection: { userInfo: false, cookies: false, httpHeaders: false, httpBodies: [], urlQueryParams: false },
        ignores: isIgnored,
      }

/** Undefined until the configuration and the SDK are loaded; null if errors are not reported. */
let reporter: Reporter | null | undefined
let early: unknown[] = []
const maxEarly = 20
let user: string | null = null

/**
 * Starts reporting if the configuration requires it, and reports earlier errors, too. `load` loads the SDK, which is
 * not loaded otherwise.
 */
export const startErrorReporting = async (
  config: Pick<ClientConfig, 'sentry_dsn' | 'environment'>,
  load: (options: ReportingOptions) => Promise<Reporter>,
): Promise<void> => {
  const options = reportingOptions(config)
  reporter = options === undefined ? null : await load(options)
  reporter?.setUser(user === null ? null : { id: user })
  for (const error of early) reporter?.captureException(error)
  early = []
}

/** Reports an error that the user has already seen. */
export const reportError = (error: unknown): void => {
  if (isIgnored(error)) return
  if (reporter === undefined) early = [...early, error].slice(-maxEarly)
  else reporter?.captureException(error)
}

/** Sets the signed-in user of error reports; null after sign-out. */
export const setReportedUser = (name: string | null): void => {
  user = name
  reporter?.setUser(name === null ? null : { id: name })
}
