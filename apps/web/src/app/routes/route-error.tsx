import { Component, type ReactNode, useEffect, useState } from 'react'
import { isRouteErrorResponse, useLocation, useNavigate, useRouteError } from 'react-router'
import { LastResort, PageAway, PageNotFound, UnexpectedError } from '../../components/error-screen.tsx'
import { isModuleLoadFailure } from '../../lib/api/errors.ts'
import { askServer, useReachability, whenBack } from '../../lib/api/reachability.ts'
import { reportError } from '../../lib/integrations/error-reporting.ts'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { AwayFrame } from '../frame/away-frame.tsx'

const reloadsKey = 'tributary-reloads'

/** How long a reload is remembered, in ms. */
const rememberMs = 5 * 60 * 1000

/** The times at which pages were reloaded, by `<build> <path>`; broken entries are ignored. */
const readReloads = (text: string | null, now: number): [key: string, at: number][] => {
  try {
    const found: unknown = JSON.parse(text ?? '{}')
    return Object.entries(typeof found === 'object' && found !== null ? found : {}).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number' && now - entry[1] < rememberMs,
    )
  } catch {
    return []
  }
}

/**
 * Reloads the page if a newer build has replaced its files. It does so once for each page of a build, so that a missing
 * file causes no loop, however long a reload takes. Returns true if it reloads.
 */
export const reloadOnce = (
  error: unknown,
  deps: {
    now: number
    storage: Pick<Storage, 'getItem' | 'setItem'>
    build: string
    path: string
    reload: () => void
  },
): boolean => {
  if (!isModuleLoadFailure(error)) return false
  const reloads = new Map(readReloads(deps.storage.getItem(reloadsKey), deps.now))
  const key = `${deps.build} ${deps.path}`
  if (reloads.has(key)) return false
  deps.storage.setItem(reloadsKey, JSON.stringify(Object.fromEntries(reloads.set(key, deps.now))))
  deps.reload()
  return true
}

/** Reports an error of a page, unless the page's code could not be loaded. */
const useFault = (error: unknown): void => {
  useEffect(() => {
    if (!isModuleLoadFailure(error)) reportError(error)
  }, [error])
}

/**
 * Shown for a page whose code could not be loaded. While the server is unreachable, it says so, and loads the page when
 * the server is back. If the server is reachable, a newer build has replaced the file, and a reload loads the new
 * build. No input is lost: the previous page was already left, after the question about unsaved changes.
 */
const PageNotLoaded = ({ error }: { error: unknown }) => {
  const { state, asking } = useReachability()
  const [lost, setLost] = useState(false)
  useEffect(() => {
    let gone = false
    const reload = (): void => window.location.reload()
    // Browsers remember that a file was missing: importing the file again fails without a request.
    const stop = whenBack((wasAway) => {
      if (wasAway) reload()
    })
    void askServer().then((there) => {
      if (gone || !there) return
      const { pathname: path } = window.location
      const build = import.meta.env.VITE_BUILD_HASH ?? ''
      if (reloadOnce(error, { now: Date.now(), storage: sessionStorage, build, path, reload })) return
      reportError(error)
      setLost(true)
    })
    return () => {
      gone = true
      stop()
    }
  }, [error])
  if (lost) return <LastResort />
  if (state !== 'away') return <CardSkeleton />
  return <PageAway asking={asking} onRetry={() => void askServer()} />
}

/**
 * Returns a function that opens the same URL again. The relative path `.` would lead to the URL of the route of the
 * boundary, which can be a parent route.
 */
const useReset = (): (() => void) => {
  const location = useLocation()
  const navigate = useNavigate()
  return () => void navigate(location, { replace: true })
}

/** An error inside a workspace page: the frame stays, and the user can retry the page. */
export const WorkspaceError = () => {
  const error = useRouteError()
  const reset = useReset()
  useFault(error)
  return isModuleLoadFailure(error) ? <PageNotLoaded error={error} /> : <LastResort onReset={reset} />
}

/** An error of a page outside of the workspace area, inside its frame. */
export const OutsideError = () => {
  const error = useRouteError()
  const reset = useReset()
  useFault(error)
  if (isModuleLoadFailure(error)) return <PageNotLoaded error={error} />
  if (isRouteErrorResponse(error) && error.status === 404) return <PageNotFound home="/" />
  const message = error instanceof Error ? error.message : 'The page could not be shown.'
  return <UnexpectedError message={message} onReset={reset} />
}

/** An error of a route outside of the workspace area that has no frame. */
export const RootError = () => (
  <AwayFrame>
    <main>
      <OutsideError />
    </main>
  </AwayFrame>
)

/** The error boundary around the whole application, for errors that no route's boundary has caught. */
export class AppBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override componentDidCatch(error: unknown): void {
    reportError(error)
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return (
      <main>
        <LastResort />
      </main>
    )
  }
}
