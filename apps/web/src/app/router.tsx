import { useEffect } from 'react'
import { createBrowserRouter, Outlet, redirect, ScrollRestoration } from 'react-router'
import { paths, patterns } from '../lib/paths.ts'
import { useUi } from '../lib/ui-store.ts'
import { PageNotFound } from '../ui/error-screen.tsx'
import { showKeptNotice } from '../ui/kept-notice.ts'
import { Spinner } from '../ui/spinner.tsx'
import { Toaster } from '../ui/toast.tsx'
import { ActingFrame } from './acting-frame.tsx'
import { authRoutes } from './auth-routes.tsx'
import { AwayFrame } from './away-frame.tsx'
import { signedIn, signedOut, toShortcut } from './loaders.ts'
import { Observers } from './observers.tsx'
import { readAgainWhenBack } from './query-client.ts'
import { OutsideError, RootError } from './route-error.tsx'
import { workspaceRoute } from './workspace-routes.tsx'

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

const NotFound = () => (
  <main className="grid min-h-dvh place-items-center">
    <PageNotFound home={paths.root()} />
  </main>
)

const FirstLoad = () => (
  <div className="grid min-h-dvh place-items-center text-ink-3">
    <Spinner size="lg" label="Loading" />
  </div>
)

const pageFrame = async () => ({ Component: (await import('./page-frame.tsx')).PageFrame })

const development = import.meta.env.DEV
  ? [{ path: 'dev/ui', lazy: async () => ({ Component: (await import('./kit/kit-page.tsx')).KitPage }) }]
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
        path: patterns.completeOnboarding,
        loader: signedOut,
        lazy: async () => ({
          Component: (await import('../features/onboarding/complete-onboarding-page.tsx')).CompleteOnboardingPage,
        }),
      },
      {
        path: patterns.userOnboarding,
        lazy: async () => ({
          Component: (await import('../features/onboarding/complete-onboarding-page.tsx')).NoOnboarding,
        }),
      },
      {
        loader: signedIn,
        lazy: pageFrame,
        children: [
          {
            ErrorBoundary: OutsideError,
            children: [
              {
                path: 'onboarding',
                lazy: async () => ({
                  Component: (await import('../features/workspaces/create-organization-page.tsx'))
                    .CreateOrganizationPage,
                }),
              },
            ],
          },
        ],
      },
      {
        path: patterns.appOauthCallback,
        loader: signedIn,
        lazy: async () => ({
          Component: (await import('../features/connections/oauth-return-page.tsx')).AppOauthReturnPage,
        }),
      },
      {
        path: patterns.destinationOauthCallback,
        loader: signedIn,
        lazy: async () => ({
          Component: (await import('../features/connections/oauth-return-page.tsx')).DestinationOauthReturnPage,
        }),
      },
      { path: patterns.payment, loader: toShortcut('billing') },
      { path: patterns.shortcut, loader: toShortcut() },
      {
        Component: ActingFrame,
        children: [
          {
            loader: signedIn,
            lazy: pageFrame,
            children: [
              {
                ErrorBoundary: OutsideError,
                children: [
                  {
                    index: true,
                    lazy: async () => ({
                      Component: (await import('../features/workspaces/select-workspace-page.tsx')).SelectWorkspacePage,
                    }),
                  },
                ],
              },
            ],
          },
          workspaceRoute,
        ],
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
