import { browserTracingIntegration, captureException, init, setUser } from '@sentry/react'
import type { Reporter, ReportingOptions } from './error-reporting.ts'

/** Starts the error-reporting SDK. */
export const loadReporter = ({ ignores, ...options }: ReportingOptions): Reporter => {
  init({
    ...options,
    integrations: [browserTracingIntegration()],
    beforeSend: (event, { originalException }) => (ignores(originalException ?? event.message) ? null : event),
  })
  return { captureException, setUser }
}
