import type { RouteObject } from 'react-router'
import { PageNotFound } from '../../components/error-screen.tsx'
import { paths, patterns } from '../../lib/paths.ts'
import { ActingFrame } from '../frame/acting-frame.tsx'
import { toShortcut } from './loaders.ts'
import { page } from './page.ts'
import { OutsideError } from './route-error.tsx'
import { signedIn, signedOut } from './session-loaders.ts'
import { workspaceRoute } from './workspace-routes.tsx'

export { WithQueries } from './with-queries.tsx'

const NotFound = () => (
  <main className="grid min-h-dvh place-items-center">
    <PageNotFound home={paths.root()} />
  </main>
)

/** A page of a signed-in user outside a workspace. */
const outside = (child: RouteObject): RouteObject => ({
  loader: signedIn,
  lazy: async () => ({ Component: (await import('../frame/page-frame.tsx')).PageFrame }),
  children: [{ ErrorBoundary: OutsideError, children: [child] }],
})

const development = import.meta.env.DEV
  ? [page({ path: 'dev/ui', code: async () => (await import('../kit/kit-page.tsx')).KitPage })]
  : []

/** All pages except those below /auth; the first page loads their shared code. */
export const productRoutes: RouteObject[] = [
  page({
    path: patterns.completeOnboarding,
    access: signedOut,
    code: async () => (await import('../../features/onboarding/complete-onboarding-page.tsx')).CompleteOnboardingPage,
  }),
  page({
    path: patterns.userOnboarding,
    code: async () => (await import('../../features/onboarding/complete-onboarding-page.tsx')).NoOnboarding,
  }),
  page({
    path: patterns.users,
    code: async () => (await import('../../features/onboarding/complete-onboarding-page.tsx')).UsersPage,
  }),
  outside(
    page({
      path: 'onboarding',
      code: async () => (await import('../../features/workspaces/create-organization-page.tsx')).CreateOrganizationPage,
    }),
  ),
  page({
    path: patterns.appOauthCallback,
    access: signedIn,
    code: async () => (await import('../../features/connections/oauth-return-page.tsx')).AppOauthReturnPage,
  }),
  page({
    path: patterns.destinationOauthCallback,
    access: signedIn,
    code: async () => (await import('../../features/connections/oauth-return-page.tsx')).DestinationOauthReturnPage,
  }),
  page({
    path: patterns.paymentSuccess,
    access: signedIn,
    code: async () => (await import('../../features/payment/result-pages.tsx')).PaymentSuccessPage,
  }),
  page({
    path: patterns.paymentCancel,
    access: signedIn,
    code: async () => (await import('../../features/payment/result-pages.tsx')).PaymentCancelPage,
  }),
  page({
    path: patterns.invoice,
    code: async () => (await import('../../features/payment/invoice-page.tsx')).InvoicePage,
  }),
  { path: patterns.payment, loader: toShortcut('billing') },
  { path: patterns.shortcut, loader: toShortcut() },
  {
    Component: ActingFrame,
    children: [
      outside({
        index: true,
        lazy: async () => ({
          Component: (await import('../../features/workspaces/select-workspace-page.tsx')).SelectWorkspacePage,
        }),
      }),
      workspaceRoute,
    ],
  },
  page({
    path: patterns.invitation,
    code: async () => (await import('../../features/invitations/invitation-page.tsx')).InvitationPage,
  }),
  page({
    path: patterns.invitationLink,
    code: async () => (await import('../../features/invitations/invitation-page.tsx')).InvitationLinkPage,
  }),
  ...development,
  { path: '*', Component: NotFound },
]
