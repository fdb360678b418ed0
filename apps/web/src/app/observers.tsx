import { type ComponentType, lazy, Suspense, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { useConfig } from '../lib/config.ts'
import { entryPaths } from '../lib/entry-paths.ts'
import {
  browserId,
  flushAnalytics,
  sendToCollection,
  startAnalytics,
  trackPage,
} from '../lib/integrations/analytics.ts'
import { type ReportingOptions, setReportedUser, startErrorReporting } from '../lib/integrations/error-reporting.ts'
import { useSession } from '../lib/people/session.ts'

/** The page works without this code: a failure to load it is ignored. */
const SignedIn = lazy(async (): Promise<{ default: ComponentType }> => {
  const module = await import('./signed-in.tsx').catch(() => undefined)
  return { default: module?.SignedIn ?? (() => null) }
})

/**
 * Observes the page and the user for product analytics and error reporting. Rendered once in the application, without
 * output.
 */
export const Observers = () => {
  const { pathname } = useLocation()
  const config = useConfig()
  const shown = useRef<string>(undefined)

  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    trackPage(pathname)
  }, [pathname])

  const writeKey = config?.analytics_write_key
  useEffect(() => {
    if (writeKey === undefined) return
    startAnalytics({
      writeKey,
      user: () => useSession.getState().currentUserResourceName,
      anonymousId: () => browserId(localStorage),
      send: sendToCollection,
      now: () => new Date(),
    })
  }, [writeKey])

  const dsn = config?.sentry_dsn
  const environment = config?.environment
  useEffect(() => {
    if (dsn === undefined || environment === undefined) return
    const load = async (options: ReportingOptions) =>
      (await import('../lib/integrations/sentry.ts')).loadReporter(options)
    // Without the SDK, errors are still shown to the user.
    void startErrorReporting({ sentry_dsn: dsn, environment }, load).catch(() => undefined)
  }, [dsn, environment])

  useEffect(() => {
    const flush = (): void => void flushAnalytics()
    window.addEventListener('pagehide', flush)
    return () => window.removeEventListener('pagehide', flush)
  }, [])

  const user = useSession((state) => state.currentUserResourceName)
  useEffect(() => setReportedUser(user), [user])

  if (user === null || pathname === entryPaths.logout()) return null
  return (
    <Suspense>
      <SignedIn key={user} />
    </Suspense>
  )
}
