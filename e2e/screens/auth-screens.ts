import type { Page } from '@playwright/test'
import type { Screen } from './screens.ts'

const email = 'ada.lovelace@example.com'

/** Fakes the call that sends a code, because the screenshots would otherwise wait for each other's codes. */
const sendsCodes = (page: Page): Promise<void> =>
  page.route('**/api/users:sendOtp', (route) => route.fulfill({ json: {} })).then(() => undefined)

const request = async (page: Page, label: string, button: string): Promise<void> => {
  await page.getByRole('textbox', { name: label }).fill(email)
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('button', { name: /^Resend code/ }).waitFor()
  await page.getByRole('button', { name: /^Resend code in 2\d s/ }).waitFor()
}

const button = (name: string) => (page: Page) => page.getByRole('button', { name }).waitFor()

/** Fakes a signed-in user without a name. */
const nameless = async (page: Page): Promise<void> => {
  await page.route(
    (url) => /^\/api\/users\/[^/:]+$/.test(url.pathname),
    async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ json: { ...(await answer.json()), email, first_name: '', last_name: '' } })
    },
  )
}

const signedOutScreens: Screen[] = [
  { name: 'auth-login-code', path: () => '/auth/login?method=otp', ready: button('Request temporary access') },
  {
    name: 'auth-login-code-sent',
    path: () => '/auth/login?method=otp',
    prepare: sendsCodes,
    ready: (page) => request(page, 'Email', 'Request temporary access'),
  },
  { name: 'auth-register', path: () => '/auth/register', ready: button('Verify Email') },
  {
    name: 'auth-register-code',
    path: () => '/auth/register',
    prepare: sendsCodes,
    ready: (page) => request(page, 'Work email', 'Verify Email'),
  },
  {
    name: 'auth-register-wrong-code',
    path: () => `/auth/register?email=${email}&otp=AAA-AAA-AAA-AAA`,
    expectsFailedCalls: true,
    ready: (page) => page.getByRole('alert').waitFor(),
  },
  { name: 'auth-forgot-password', path: () => '/auth/forgot-password', ready: button('Send reset code') },
  {
    name: 'auth-forgot-password-code',
    path: () => '/auth/forgot-password',
    prepare: sendsCodes,
    ready: async (page) => {
      await request(page, 'Email', 'Send reset code')
      await page.getByRole('textbox', { name: 'One-time code' }).fill('ABC-DEF-GHJ-KLM')
      await page.getByRole('textbox', { name: 'New password' }).fill('secret')
      await page.getByRole('button', { name: 'Set new password' }).click()
      await page.getByText('One number').first().waitFor()
    },
  },
  {
    name: 'auth-callback-failed',
    path: () => '/auth/oauth-callback?code=c&state=s',
    ready: (page) => page.getByRole('alert').waitFor(),
  },
  {
    name: 'auth-not-found',
    path: () => '/auth/nowhere',
    expectsFailedCalls: true,
    ready: (page) => page.getByText('The requested page was not found.').waitFor(),
  },
]

/** The screens of every way to sign in, for a signed-out user. */
export const authScreens: Screen[] = signedOutScreens.map((screen) => ({ ...screen, signedOut: true }))

/** The remaining screens of a registration, for which the user is already signed in. */
export const registrationScreens: Screen[] = [
  {
    name: 'auth-complete-registration',
    path: () => '/auth/complete-registration',
    prepare: nameless,
    ready: button('Continue'),
  },
  {
    name: 'auth-complete-registration-unmet',
    path: () => '/auth/complete-registration',
    prepare: nameless,
    ready: async (page) => {
      await page.getByRole('textbox', { name: 'Last name' }).fill('Lovelace-of-Ockham')
      await page.getByRole('textbox', { name: 'Password' }).fill('a')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('First Name is required').waitFor()
    },
  },
  {
    name: 'auth-complete-registration-error',
    path: () => '/auth/complete-registration',
    expectsFailedCalls: true,
    prepare: (page) =>
      page
        .route(
          (url) => /^\/api\/users\/[^/:]+$/.test(url.pathname),
          (route) =>
            route.fulfill({ status: 503, json: { code: 503, reason: 'X', message: 'Starting', metadata: {} } }),
        )
        .then(() => undefined),
    ready: (page) => page.getByRole('alert').first().waitFor(),
  },
]
