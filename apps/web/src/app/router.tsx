import {
  createBrowserRouter,
  type LoaderFunctionArgs,
  Navigate,
  Outlet,
  redirect,
  ScrollRestoration,
} from 'react-router'
import { LoginPage } from '../features/auth/login-page.tsx'
import { LogoutPage } from '../features/auth/logout-page.tsx'
import { paths, patterns } from '../lib/paths.ts'
import { rememberLocation, useSession } from '../lib/session.ts'
import { useUi } from '../lib/ui-store.ts'
import { PageNotFound } from '../ui/error-screen.tsx'
import { useDocumentTitle } from '../ui/page-header.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { Toaster } from '../ui/toast.tsx'
import { RootError, WorkspaceError } from './route-error.tsx'

const Root = () => {
  const theme = useUi((state) => state.theme)
  return (
    <>
      <Outlet />
      <ScrollRestoration />
      <Toaster theme={theme} />
    </>
  )
}

const NotFound = () => {
  useDocumentTitle('Page not found')
  return (
    <main className="grid min-h-dvh place-items-center">
      <PageNotFound home={paths.root()} />
    </main>
  )
}

const FirstLoad = () => (
  <div className="grid min-h-dvh place-items-center text-ink-3">
    <Spinner size="lg" label="Loading" />
  </div>
)

/** Sends a visitor without a session to the login page and remembers where they wanted to go. */
const signedIn = ({ request }: LoaderFunctionArgs): null | Response => {
  if (useSession.getState().accessToken !== null) return null
  const { pathname, search, hash } = new URL(request.url)
  rememberLocation(pathname + search + hash)
  return redirect(paths.login())
}

/** Sends somebody who is signed in already to where they belong. */
const signedOut = (): null | Response => (useSession.getState().accessToken === null ? null : redirect(paths.root()))

const overview = async () => ({ Component: (await import('../features/overview/overview-page.tsx')).OverviewPage })

const workspaceRoutes = [
  { index: true, lazy: overview },
  {
    path: patterns.sources,
    lazy: async () => ({ Component: (await import('../features/sources/sources-page.tsx')).SourcesPage }),
  },
  {
    path: patterns.source,
    lazy: async () => ({ Component: (await import('../features/sources/source-page.tsx')).SourcePage }),
  },
  {
    path: patterns.catalogSources,
    lazy: async () => ({ Component: (await import('../features/sources/catalog-page.tsx')).SourceCatalogPage }),
  },
  { path: patterns.catalogSource, element: <Navigate to="new" replace /> },
  {
    path: patterns.newSource,
    lazy: async () => ({ Component: (await import('../features/sources/new-source-page.tsx')).NewSourcePage }),
  },
  {
    path: patterns.destinations,
    lazy: async () => ({
      Component: (await import('../features/destinations/destinations-page.tsx')).DestinationsPage,
    }),
  },
  {
    path: patterns.destination,
    lazy: async () => ({ Component: (await import('../features/destinations/destination-page.tsx')).DestinationPage }),
  },
  {
    path: patterns.catalogDestinations,
    lazy: async () => ({
      Component: (await import('../features/destinations/catalog-page.tsx')).DestinationCatalogPage,
    }),
  },
  { path: patterns.catalogDestination, element: <Navigate to="new" replace /> },
  {
    path: patterns.newDestination,
    lazy: async () => ({
      Component: (await import('../features/destinations/new-destination-page.tsx')).NewDestinationPage,
    }),
  },
  { path: '*', lazy: overview },
]

const development = import.meta.env.DEV
  ? [{ path: 'dev/ui', lazy: async () => ({ Component: (await import('./kit-page.tsx')).KitPage }) }]
  : []

export const router = createBrowserRouter([
  {
    Component: Root,
    ErrorBoundary: RootError,
    HydrateFallback: FirstLoad,
    children: [
      {
        path: 'auth',
        loader: ({ request }) =>
          new URL(request.url).pathname.replace(/\/$/, '') === '/auth' ? redirect(paths.login()) : null,
        children: [
          { path: 'login', loader: signedOut, Component: LoginPage },
          { path: 'logout', Component: LogoutPage },
          { path: '*', Component: NotFound },
        ],
      },
      {
        index: true,
        loader: signedIn,
        lazy: async () => ({
          Component: (await import('../features/workspaces/select-workspace-page.tsx')).SelectWorkspacePage,
        }),
      },
      {
        path: 'onboarding',
        loader: signedIn,
        lazy: async () => ({
          Component: (await import('../features/workspaces/create-organization-page.tsx')).CreateOrganizationPage,
        }),
      },
      {
        path: patterns.workspace,
        loader: signedIn,
        lazy: async () => ({ Component: (await import('./workspace-shell.tsx')).WorkspaceShell }),
        children: [{ ErrorBoundary: WorkspaceError, children: workspaceRoutes }],
      },
      ...development,
      { path: '*', Component: NotFound },
    ],
  },
])
