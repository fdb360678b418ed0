import type { RouteObject } from 'react-router'
import { PageNotFound } from '../../components/error-screen.tsx'
import { paths, patterns } from '../../lib/paths.ts'
import { ActingFrame } from '../frame/acting-frame.tsx'
import { toShortcut } from './loaders.ts'
import { OutsideError } from './route-error.tsx'
import { signedIn, signedOut } from './session-loaders.ts'
import { workspaceRoute } from './workspace-routes.tsx'

export { WithQueries } from './with-queries.tsx'

const NotFound = () => (
  <main className="grid min-h-dvh place-items-center">
    <PageNotFound home={paths.root()} />
  </main>
)

const pageFrame = async () => ({ Component: (await import('../frame/page-frame.tsx')).PageFrame })

const development = import.meta.env.DEV
  ? [{ path: 'dev/ui', lazy: async () => ({ Component: (await import('../kit/kit-page.tsx')).KitPage }) }]
  : []

/** All pages except those below /auth; the first page loads their shared code. */
export const productRoutes: RouteObject[] = [
  {
    path: patterns.completeOnboarding,
    loader: signedOut,
    lazy: async () => ({
      Component: (await import('../../features/onboarding/complete-onboarding-page.tsx')).CompleteOnboardingPage,
    }),
  },
  {
    path: patterns.userOnboarding,
    lazy: async () => ({
      Component: (await import('../../features/onboarding/complete-onboarding-page.tsx')).NoOnboarding,
    }),
  },
  {
    path: patterns.users,
    lazy: async () => ({
      Component: (await import('../../features/onboarding/complete-onboarding-page.tsx')).UsersPage,
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
              Component: (await import('../../features/workspaces/create-organization-page.tsx'))
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
      Component: (await import('../../features/connections/oauth-return-page.tsx')).AppOauthReturnPage,
    }),
  },
  {
    path: patterns.destinationOauthCallback,
    loader: signedIn,
    lazy: async () => ({
      Component: (await import('../../features/connections/oauth-return-page.tsx')).DestinationOauthReturnPage,
    }),
  },
  {
    path: patterns.paymentSuccess,
    loader: signedIn,
    lazy: async () => ({ Component: (await import('../../features/payment/result-pages.tsx')).PaymentSuccessPage }),
  },
  {
    path: patterns.paymentCancel,
    loader: signedIn,
    lazy: async () => ({ Component: (await import('../../features/payment/result-pages.tsx')).PaymentCancelPage }),
  },
  {
    path: patterns.invoice,
    lazy: async () => ({ Component: (await import('../../features/payment/invoice-page.tsx')).InvoicePage }),
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
                  Component: (await import('../../features/workspaces/select-workspace-page.tsx')).SelectWorkspacePage,
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
      Component: (await import('../../features/invitations/invitation-page.tsx')).InvitationPage,
    }),
  },
  {
    path: patterns.invitationLink,
    lazy: async () => ({
      Component: (await import('../../features/invitations/invitation-page.tsx')).InvitationLinkPage,
    }),
  },
  ...development,
  { path: '*', Component: NotFound },
]
