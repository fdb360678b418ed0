import type { ClientConfig } from '@tributary/contract'
import {
  createBrowserRouter,
  type LoaderFunctionArgs,
  Navigate,
  Outlet,
  redirect,
  ScrollRestoration,
} from 'react-router'
import { AuthNotFoundPage } from '../features/auth/auth-not-found-page.tsx'
import { LoginPage } from '../features/auth/login-page.tsx'
import { LogoutPage } from '../features/auth/logout-page.tsx'
import { paths, patterns } from '../lib/paths.ts'
import {
  catalogDestinationQuery,
  catalogDestinationsQuery,
  catalogSourceQuery,
  catalogSourcesQuery,
  configQuery,
  connectionsQuery,
  destinationQuery,
  destinationsQuery,
  sourceQuery,
  sourcesQuery,
  workspaceEventsQuery,
} from '../lib/queries.ts'
import { mayCompleteRegistration, rememberLocation, useSession } from '../lib/session.ts'
import { useUi } from '../lib/ui-store.ts'
import { PageNotFound } from '../ui/error-screen.tsx'
import { useDocumentTitle } from '../ui/page-header.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { Toaster } from '../ui/toast.tsx'
import { Observers } from './observers.tsx'
import { queryClient } from './query-client.ts'
import { RootError, WorkspaceError } from './route-error.tsx'

const Root = () => {
  const theme = useUi((state) => state.theme)
  return (
    <>
      <Outlet />
      <Observers />
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
  const { pathname, search } = new URL(request.url)
  // A request carries no hash. The address bar has it when the visit begins with this page.
  const hash = window.location.pathname === pathname ? window.location.hash : ''
  rememberLocation(pathname + search + hash)
  return redirect(paths.login())
}

/** Sends somebody who is signed in already to where they belong. */
const signedOut = (): null | Response => (useSession.getState().accessToken === null ? null : redirect(paths.root()))

/** Waits a little for what is configured, so that a page that shows some of it does not change before one's eyes. */
const configured = async (): Promise<ClientConfig | undefined> => {
  const patience = new Promise((resolve) => {
    setTimeout(resolve, 2000)
  })
  await Promise.race([queryClient.prefetchQuery(configQuery()), patience])
  return queryClient.getQueryData(configQuery().queryKey)
}

const authRoutes = [
  {
    path: 'login',
    loader: async () => {
      const elsewhere = signedOut()
      if (elsewhere === null) await configured()
      return elsewhere
    },
    Component: LoginPage,
  },
  {
    path: 'login-otp',
    loader: ({ request }: LoaderFunctionArgs) =>
      redirect(paths.login({ method: 'otp', email: new URL(request.url).searchParams.get('email') ?? '' })),
  },
  {
    path: 'register',
    loader: async () => {
      const elsewhere = signedOut()
      if (elsewhere !== null) return elsewhere
      return (await configured())?.sign_up_enabled === false ? redirect(paths.login()) : null
    },
    lazy: async () => ({ Component: (await import('../features/auth/register-page.tsx')).RegisterPage }),
  },
  {
    path: 'complete-registration',
    loader: () => (mayCompleteRegistration() ? null : redirect(paths.login())),
    lazy: async () => ({
      Component: (await import('../features/auth/complete-registration-page.tsx')).CompleteRegistrationPage,
    }),
  },
  {
    path: 'forgot-password',
    loader: signedOut,
    lazy: async () => ({ Component: (await import('../features/auth/forgot-password-page.tsx')).ForgotPasswordPage }),
  },
  {
    path: 'oauth-callback',
    loader: signedOut,
    lazy: async () => ({ Component: (await import('../features/auth/oauth-callback-page.tsx')).OauthCallbackPage }),
  },
  { path: 'logout', Component: LogoutPage },
  { path: '*', loader: signedOut, Component: AuthNotFoundPage },
]

/** A loader that starts reading what a page shows, while the page's code is still on its way. */
const reads =
  (start: (ids: { workspace: string; params: LoaderFunctionArgs['params'] }) => Promise<unknown>[]) =>
  ({ params }: LoaderFunctionArgs): null => {
    if (useSession.getState().accessToken !== null && params.workspaceId !== undefined)
      void Promise.all(start({ workspace: `workspaces/${params.workspaceId}`, params }))
    return null
  }

const overview = {
  lazy: async () => ({ Component: (await import('../features/overview/overview-page.tsx')).OverviewPage }),
  loader: reads(({ workspace }) => [
    queryClient.prefetchQuery(sourcesQuery(workspace)),
    queryClient.prefetchQuery(destinationsQuery(workspace)),
    queryClient.prefetchQuery(connectionsQuery(workspace)),
    queryClient.prefetchQuery(workspaceEventsQuery(workspace)),
  ]),
}

const sourceRoutes = [
  {
    path: patterns.sources,
    lazy: async () => ({ Component: (await import('../features/sources/sources-page.tsx')).SourcesPage }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(sourcesQuery(workspace))]),
  },
  {
    path: patterns.source,
    lazy: async () => ({ Component: (await import('../features/sources/source-page.tsx')).SourcePage }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(sourceQuery(`${workspace}/sources/${params.sourceId ?? ''}`)),
    ]),
  },
  {
    path: patterns.catalogSources,
    lazy: async () => ({ Component: (await import('../features/sources/catalog-page.tsx')).SourceCatalogPage }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(catalogSourcesQuery(workspace))]),
  },
  { path: patterns.catalogSource, element: <Navigate to="new" replace /> },
  {
    path: patterns.newSource,
    lazy: async () => ({ Component: (await import('../features/sources/new-source-page.tsx')).NewSourcePage }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(catalogSourceQuery(workspace, params.slug ?? '')),
    ]),
  },
]

const destinationRoutes = [
  {
    path: patterns.destinations,
    lazy: async () => ({
      Component: (await import('../features/destinations/destinations-page.tsx')).DestinationsPage,
    }),
    loader: reads(({ workspace }) => [
      queryClient.prefetchQuery(destinationsQuery(workspace)),
      queryClient.prefetchQuery(connectionsQuery(workspace)),
    ]),
  },
  {
    path: patterns.destination,
    lazy: async () => ({ Component: (await import('../features/destinations/destination-page.tsx')).DestinationPage }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(destinationQuery(`${workspace}/destinations/${params.destinationId ?? ''}`)),
    ]),
  },
  {
    path: patterns.catalogDestinations,
    lazy: async () => ({
      Component: (await import('../features/destinations/catalog-page.tsx')).DestinationCatalogPage,
    }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(catalogDestinationsQuery(workspace))]),
  },
  { path: patterns.catalogDestination, element: <Navigate to="new" replace /> },
  {
    path: patterns.newDestination,
    lazy: async () => ({
      Component: (await import('../features/destinations/new-destination-page.tsx')).NewDestinationPage,
    }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(catalogDestinationQuery(workspace, params.slug ?? '')),
    ]),
  },
]

const workspaceRoutes = [
  { index: true, ...overview },
  ...sourceRoutes,
  ...destinationRoutes,
  { path: '*', ...overview },
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
        children: authRoutes,
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
      {
        path: patterns.invitation,
        lazy: async () => ({
          Component: (await import('../features/invitations/invitation-page.tsx')).InvitationPage,
        }),
      },
      {
        path: patterns.invitationLink,
        lazy: async () => ({
          Component: (await import('../features/invitations/invitation-page.tsx')).InvitationLinkPage,
        }),
      },
      ...development,
      { path: '*', Component: NotFound },
    ],
  },
])
