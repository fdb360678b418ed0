import { Component, type ReactNode, useEffect } from 'react'
import { isRouteErrorResponse, useLocation, useNavigate, useRouteError } from 'react-router'
import { reportError } from '../lib/error-reporting.ts'
import { isModuleLoadFailure } from '../lib/errors.ts'
import { LastResort, PageNotFound, UnexpectedError } from '../ui/error-screen.tsx'

const reloadedAt = 'tributary-reloaded-at'

/**
 * Reloads the page when the error says that its files were replaced by a newer build, but not twice within ten seconds.
 * True when it reloads.
 */
export const reloadOnce = (
  error: unknown,
  deps: { now: number; storage: Pick<Storage, 'getItem' | 'setItem'>; reload: () => void },
): boolean => {
  if (!isModuleLoadFailure(error) || deps.now - Number(deps.storage.getItem(reloadedAt) ?? 0) < 10_000) return false
  deps.storage.setItem(reloadedAt, String(deps.now))
  deps.reload()
  return true
}

/** Fetches replaced files by a reload; every other fault is reported. */
const useFault = (error: unknown): void => {
  useEffect(() => {
    const reload = (): void => window.location.reload()
    if (!reloadOnce(error, { now: Date.now(), storage: sessionStorage, reload })) reportError(error)
  }, [error])
}

/** Opens the same address again: `.` would be that of the boundary's route, which may be a page further up. */
const useReset = (): (() => void) => {
  const location = useLocation()
  const navigate = useNavigate()
  return () => void navigate(location, { replace: true })
}

/** A fault inside a workspace page: the frame stays, the page can be tried again. */
export const WorkspaceError = () => {
  const error = useRouteError()
  const reset = useReset()
  useFault(error)
  return <LastResort onReset={reset} />
}

/** A fault of a route outside the workspace area. */
export const RootError = () => {
  const error = useRouteError()
  const reset = useReset()
  useFault(error)
  if (isRouteErrorResponse(error) && error.status === 404)
    return (
      <main>
        <PageNotFound home="/" />
      </main>
    )
  const message = error instanceof Error ? error.message : 'The page could not be shown.'
  return (
    <main>
      <UnexpectedError message={message} onReset={reset} />
    </main>
  )
}

/** The boundary around the whole application, for what no route's boundary has caught. */
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
