import { useEffect } from 'react'
import { isRouteErrorResponse, useNavigate, useRouteError } from 'react-router'
import { isModuleLoadFailure } from '../lib/errors.ts'
import { LastResort, PageNotFound, UnexpectedError } from '../ui/error-screen.tsx'

const reloadedAt = 'tributary-reloaded-at'

/** Reloads the page after its files were replaced by a newer build, but not twice within ten seconds. */
export const reloadOnce = (now: number, storage: Pick<Storage, 'getItem' | 'setItem'>, reload: () => void): boolean => {
  if (now - Number(storage.getItem(reloadedAt) ?? 0) < 10_000) return false
  storage.setItem(reloadedAt, String(now))
  reload()
  return true
}

const useReload = (error: unknown): void => {
  useEffect(() => {
    if (isModuleLoadFailure(error)) reloadOnce(Date.now(), sessionStorage, () => window.location.reload())
  }, [error])
}

/** A fault inside a workspace page: the frame stays, the page can be tried again. */
export const WorkspaceError = () => {
  const error = useRouteError()
  const navigate = useNavigate()
  useReload(error)
  return <LastResort onReset={() => void navigate('.', { replace: true })} />
}

/** A fault of a route outside the workspace area. */
export const RootError = () => {
  const error = useRouteError()
  const navigate = useNavigate()
  useReload(error)
  if (isRouteErrorResponse(error) && error.status === 404)
    return (
      <main>
        <PageNotFound home="/" />
      </main>
    )
  const message = error instanceof Error ? error.message : 'The page could not be shown.'
  return (
    <main>
      <UnexpectedError message={message} onReset={() => void navigate('.', { replace: true })} />
    </main>
  )
}
