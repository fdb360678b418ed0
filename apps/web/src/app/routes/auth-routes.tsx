import type { ClientConfig } from '@tributary/contract'
import { type LoaderFunctionArgs, type RouteObject, redirect } from 'react-router'
import { LoginPage } from '../../features/auth/login-page.tsx'
import { readConfig, useKnownConfig } from '../../lib/config.ts'
import { entryPaths } from '../../lib/entry-paths.ts'
import { isMailedInvitationSaved } from '../../lib/people/saved-invitation.ts'
import { mayCompleteRegistration } from '../../lib/people/session.ts'
import { signedOut } from './session-loaders.ts'

/** Waits briefly for the configuration: a page that depends on it would otherwise change visibly when it arrives. */
const configured = async (): Promise<ClientConfig | undefined> => {
  const patience = new Promise((resolve) => {
    setTimeout(resolve, 2000)
  })
  await Promise.race([readConfig(), patience])
  return useKnownConfig.getState().config
}

/** The pages below /auth. */
export const authRoutes: RouteObject[] = [
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
      redirect(entryPaths.login({ method: 'otp', email: new URL(request.url).searchParams.get('email') ?? '' })),
  },
  {
    path: 'register',
    loader: async () => {
      const elsewhere = signedOut()
      if (elsewhere !== null) return elsewhere
      if (isMailedInvitationSaved()) return null
      return (await configured())?.sign_up_enabled === false ? redirect(entryPaths.login()) : null
    },
    lazy: async () => ({ Component: (await import('../../features/auth/register-page.tsx')).RegisterPage }),
  },
  {
    path: 'forgot-password',
    loader: signedOut,
    lazy: async () => ({
      Component: (await import('../../features/auth/forgot-password-page.tsx')).ForgotPasswordPage,
    }),
  },
  {
    path: 'oauth-callback',
    loader: signedOut,
    lazy: async () => ({ Component: (await import('../../features/auth/oauth-callback-page.tsx')).OauthCallbackPage }),
  },
  {
    lazy: async () => ({ Component: (await import('./with-queries.tsx')).WithQueries }),
    children: [
      {
        path: 'complete-registration',
        loader: () => (mayCompleteRegistration() ? null : redirect(entryPaths.login())),
        lazy: async () => ({
          Component: (await import('../../features/auth/complete-registration-page.tsx')).CompleteRegistrationPage,
        }),
      },
      {
        path: 'logout',
        lazy: async () => ({ Component: (await import('../../features/auth/logout-page.tsx')).LogoutPage }),
      },
    ],
  },
  {
    path: '*',
    loader: signedOut,
    lazy: async () => ({ Component: (await import('../../features/auth/auth-not-found-page.tsx')).AuthNotFoundPage }),
  },
]
