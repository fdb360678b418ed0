import { useQuery } from '@tanstack/react-query'
import type { FlagContext } from '@tributary/contract'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { useLocation, useMatch } from 'react-router'
import { browserId, flushAnalytics, sendToCollection, startAnalytics, trackPage } from '../lib/analytics.ts'
import { configQuery } from '../lib/config-query.ts'
import { type ReportingOptions, setReportedUser, startErrorReporting } from '../lib/error-reporting.ts'
import { flagContext } from '../lib/flags.ts'
import { paths, patterns } from '../lib/paths.ts'
import { useSession } from '../lib/session.ts'

let flagClient: Promise<(context: FlagContext) => Promise<void>> | undefined

const askFlags = async (context: FlagContext): Promise<void> => {
  flagClient ??= import('../lib/flag-client.ts').then(({ createFlagClient }) =>
    createFlagClient({
      baseUrl: window.location.origin,
      token: () => useSession.getState().accessToken,
    }),
  )
  await (await flagClient)(context)
}

/** Nothing depends on it: without its code the page goes on. */
const SignedIn = lazy(() =>
  import('./signed-in.tsx').then(
    ({ SignedIn }) => ({ default: SignedIn }),
    () => ({ default: () => null }),
  ),
)

/**
 * Watches where the user is and who it is, for those who want to know: the flags, product analytics and error reporting.
 * Stands once in the application and shows nothing.
 */
export const Observers = () => {
  const { pathname } = useLocation()
  const session = useSession()
  const workspaceId = useMatch(`/${patterns.workspace}/*`)?.params.workspaceId
  const { data: config } = useQuery(configQuery())
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
    const load = async (options: ReportingOptions) => (await import('../lib/sentry.ts')).loadReporter(options)
    // Without the SDK, faults are shown all the same.
    void startErrorReporting({ sentry_dsn: dsn, environment }, load).catch(() => undefined)
  }, [dsn, environment])

  useEffect(() => {
    const flush = (): void => void flushAnalytics()
    window.addEventListener('pagehide', flush)
    return () => window.removeEventListener('pagehide', flush)
  }, [])

  const user = session.currentUserResourceName
  useEffect(() => setReportedUser(user), [user])

  const context = JSON.stringify(flagContext(session, workspaceId))
  useEffect(() => {
    // No page without a session shows a part that can be switched off.
    if (user === null) return
    const asked: FlagContext = JSON.parse(context)
    void askFlags(asked).catch(() => undefined)
  }, [context, user])

  if (user === null || pathname === paths.logout()) return null
  return (
    <Suspense>
      <SignedIn key={user} />
    </Suspense>
  )
}
