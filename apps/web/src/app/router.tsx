import { useEffect } from 'react'
import { createBrowserRouter, Outlet, type RouteObject, redirect, ScrollRestoration } from 'react-router'
import { paths } from '../lib/paths.ts'
import { useUi } from '../lib/ui-store.ts'
import { showKeptNotice } from '../ui/kept-notice.ts'
import { Spinner } from '../ui/spinner.tsx'
import { Toaster } from '../ui/toast.tsx'
import { authRoutes } from './auth-routes.tsx'
import { AwayFrame } from './away-frame.tsx'
import { Observers } from './observers.tsx'
import { readAgainWhenBack } from './query-client.ts'
import { RootError } from './route-error.tsx'

const Root = () => {
  const theme = useUi((state) => state.theme)
  useEffect(showKeptNotice, [])
  useEffect(readAgainWhenBack, [])
  return (
    <>
      <AwayFrame>
        <Outlet />
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
          new URL(request.url).pathname.replace(/\/$/, '') === '/auth' ? redirect(paths.login()) : null,
        children: authRoutes,
      },
    ],
  },
]

export const router = createBrowserRouter(routes, {
  // Called for each page that is not below /auth; routes that are known are not taken twice, by their id.
  async patchRoutesOnNavigation({ patch }) {
    patch('root', [{ id: 'product', children: (await import('./product-routes.tsx')).productRoutes }])
  },
})
