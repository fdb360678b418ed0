import { useEffect } from 'react'
import { createBrowserRouter, Outlet, type RouteObject, redirect, ScrollRestoration } from 'react-router'
import { followNetwork, whenBack } from '../../lib/api/reachability.ts'
import { useUi } from '../../lib/browser/ui-store.ts'
import { readConfig, useKnownConfig } from '../../lib/config.ts'
import { entryPaths } from '../../lib/entry-paths.ts'
import { LoadCache } from '../../lib/queries/load-cache.ts'
import { showReloadNotice } from '../../ui/overlays/reload-notice.ts'
import { Toaster } from '../../ui/overlays/toast.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'
import { AwayFrame } from '../frame/away-frame.tsx'
import { onError } from '../listen-to-errors.ts'
import { Observers } from '../observers.tsx'
import { authRoutes } from './auth-routes.tsx'
import { RootError } from './route-error.tsx'

const loadCache = async () => (await import('../query-client.ts')).queryClient

const followConfig = (): (() => void) => {
  const unheard = useKnownConfig.subscribe(({ failure }) => {
    if (failure !== undefined) onError(failure)
  })
  const stop = whenBack(() => void readConfig())
  return () => {
    unheard()
    stop()
  }
}

const Root = () => {
  const theme = useUi((state) => state.theme)
  useEffect(showReloadNotice, [])
  useEffect(() => followNetwork(window), [])
  useEffect(followConfig, [])
  return (
    <>
      <AwayFrame>
        <LoadCache value={loadCache}>
          <Outlet />
        </LoadCache>
      </AwayFrame>
      <Observers />
      <ScrollRestoration />
      <Toaster theme={theme} />
    </>
  )
}

const FirstLoad = () => (
  <div className="grid min-h-dvh place-items-center text-ink-3">
    <Spinner size="lg" label="Loading" />
  </div>
)

const routes: RouteObject[] = [
  {
    id: 'root',
    Component: Root,
    ErrorBoundary: RootError,
    HydrateFallback: FirstLoad,
    children: [
      {
        path: 'auth',
        loader: ({ request }) =>
          new URL(request.url).pathname.replace(/\/$/, '') === '/auth' ? redirect(entryPaths.login()) : null,
        children: authRoutes,
      },
    ],
  },
]

export const router = createBrowserRouter(routes, {
  // Called for each page that is not below /auth. The router recognizes routes that it already has by their ID, and
  // does not add them twice.
  async patchRoutesOnNavigation({ patch }) {
    const { productRoutes, WithQueries } = await import('./product-routes.tsx')
    patch('root', [{ id: 'product', Component: WithQueries, children: productRoutes }])
  },
})
