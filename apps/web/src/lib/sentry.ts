import * as Sentry from '@sentry/react'
import type { Reporter, ReportingOptions } from './error-reporting.ts'

/** Starts the error-reporting SDK. */
export const loadReporter = ({ ignores, ...options }: ReportingOptions): Reporter => {
  Sentry.init({
    ...options,
    integrations: [Sentry.browserTracingIntegration()],
    beforeSend: (event, { originalException }) => (ignores(originalException ?? event.message) ? null : event),
  })
  return Sentry
}
