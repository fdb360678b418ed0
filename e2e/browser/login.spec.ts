import type { Page } from '@playwright/test'
import { callsTo, onCall, recordCalls, refuse } from './api-calls.ts'
import { addPerson, fillSignIn, otherPage, storedSession } from './people.ts'
import { expect, test } from './product-fixture.ts'

const emailField = (page: Page) => page.getByRole('textbox', { name: 'Email' })
const passwordField = (page: Page) => page.getByRole('textbox', { name: 'Password' })
const codeField = (page: Page) => page.getByRole('textbox', { name: 'One-time passcode' })
const requestButton = (page: Page) => page.getByRole('button', { name: 'Request temporary access', exact: true })
const expiryNotice = 'Your session has been expired, please login again'

test('AUTH-01, AUTH-02, AUTH-03, AUTH-04: the login page offers password, provider, forgotten password, and sign-up', async ({
  page,
}) => {
  await page.goto('/auth/login')
  await expect(emailField(page)).toBeVisible()
  await expect(passwordField(page)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeEnabled()
  await expect(page.getByRole('button', { name: /^Continue with / })).toBeEnabled()
  await emailField(page).fill('typed@example.com')
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  await expect(page).toHaveURL(/\/auth\/forgot-password$/)
  await expect(emailField(page)).toHaveValue('typed@example.com')
  await page.getByRole('link', { name: 'Back to sign-in' }).click()
  await page.getByRole('link', { name: 'Sign up' }).click()
  await expect(page).toHaveURL(/\/auth\/register$/)
})

test('AUTH-05: the sign-up link is shown only while sign-up is enabled', async ({ page, product }) => {
  await page.goto('/auth/login')
  await expect(page.getByRole('link', { name: 'Sign up' })).toBeVisible()
  // The tests of the configuration cover the effect of TRIBUTARY_SIGN_UP on the response, because a server with that
  // setting takes seconds to start.
  const config = await product.api.ok('GET', '/config')
  await onCall(page, '/config', (route) => route.fulfill({ json: { ...config, sign_up_enabled: false } }))
  await page.reload()
  await expect(emailField(page)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Sign up' })).toHaveCount(0)
  await page.goto('/auth/register')
  await expect(page).toHaveURL(/\/auth\/login$/)
})

test('an invalid address or a missing password shows a message under its field until corrected, and nothing is sent [AUTH-06, AUTH-07, FORM-06, FORM-07, FORM-08]', async ({
  page,
}) => {
  const calls = recordCalls(page)
  await page.goto('/auth/login')
  await emailField(page).fill('abc')
  await emailField(page).blur()
  await expect(emailField(page)).not.toHaveAttribute('aria-invalid')
  await expect(page.getByText('Invalid email')).toHaveCount(0)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(emailField(page)).toHaveAccessibleDescription('Invalid email')
  await expect(emailField(page)).toBeFocused()
  await expect(passwordField(page)).toHaveAccessibleDescription('Password is required')
  await emailField(page).pressSequentially('@example.com')
  await expect(page.getByText('Invalid email')).toHaveCount(0)
  await expect(emailField(page)).not.toHaveAttribute('aria-invalid')
  await expect(passwordField(page)).toHaveAccessibleDescription('Password is required')
  expect(callsTo(calls, '/users:login')).toEqual([])
})

test('AUTH-08, AUTH-11, FORM-14: a password of one character, shown or hidden, is sent; the refusal is shown in the form and ends no session', async ({
  page,
}) => {
  const visited: string[] = []
  page.on('framenavigated', (frame) => visited.push(new URL(frame.url()).pathname))
  const calls = recordCalls(page)
  await page.goto('/auth/login')
  await passwordField(page).fill('secret')
  await expect(passwordField(page)).toHaveAttribute('type', 'password')
  await page.getByRole('button', { name: 'Show' }).click()
  await expect(passwordField(page)).toHaveAttribute('type', 'text')
  await page.getByRole('button', { name: 'Hide' }).click()
  await expect(passwordField(page)).toHaveAttribute('type', 'password')
  await expect(passwordField(page)).toHaveValue('secret')
  await fillSignIn(page, { email: 'nobody-here@example.com', password: 'a' })
  await expect(page.getByRole('alert')).toHaveText('The email or the password is wrong')
  expect(callsTo(calls, '/users:login').map(({ body }) => body)).toEqual([
    { email: 'nobody-here@example.com', password: 'a' },
  ])
  await expect(page.getByText(expiryNotice)).toHaveCount(0)
  expect(visited).not.toContain('/auth/logout')
  await expect(page).toHaveURL(/\/auth\/login$/)
})

test('AUTH-09, AUTH-10, SES-01, SES-12: a login is stored under one key, leads to / and survives a reload', async ({
  page,
  database,
}) => {
  const ada = await addPerson(database, 'Ada')
  const calls = recordCalls(page)
  await page.goto('/auth/login')
  await fillSignIn(page, ada)
  await expect(page.getByText('No organization found')).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')
  const [login] = callsTo(calls, '/users:login')
  expect(login).toMatchObject({
    verb: 'POST',
    path: '/users:login',
    body: { email: ada.email, password: ada.password },
  })
  const { accessToken, currentUserResourceName } = await storedSession(page)
  expect(accessToken).toMatch(/^.{20,}$/)
  expect(currentUserResourceName).toBe(`users/${ada.userId}`)

  const sessionKeys = () =>
    page.evaluate(() =>
      Object.entries(localStorage)
        .filter(([, value]) => String(value).includes('accessToken'))
        .map(([key]) => key),
    )
  expect(await sessionKeys()).toEqual(['tributary-session'])
  await page.reload()
  await expect(page.getByText('No organization found')).toBeVisible()
  expect(await sessionKeys()).toEqual(['tributary-session'])
  // Pages before sign-in send a signed-in user to another page.
  await page.goto('/auth/login')
  await expect(page).toHaveURL(/\/$/)
})

test('AUTH-12, AUTH-13, AUTH-15, AUTH-18: one-time-code login asks for an address, and shows no code field until a code is sent', async ({
  page,
}) => {
  const calls = recordCalls(page)
  await page.goto('/auth/login')
  await emailField(page).fill('abc')
  await page.getByRole('link', { name: 'Use a one-time code instead' }).click()
  await expect(page).toHaveURL(/\/auth\/login\?method=otp$/)
  await expect(emailField(page)).toHaveValue('abc')
  await expect(passwordField(page)).toHaveCount(0)
  await expect(codeField(page)).toHaveCount(0)
  await requestButton(page).click()
  await expect(emailField(page)).toHaveAccessibleDescription('Invalid email')
  expect(callsTo(calls, '/users:sendOtp')).toEqual([])

  await onCall(page, '/users:sendOtp', refuse(400, 'VALIDATION', 'No code can be sent there'))
  await emailField(page).fill('somebody@example.com')
  await requestButton(page).click()
  await expect(page.getByRole('alert')).toHaveText('No code can be sent there')
  await expect(requestButton(page)).toBeEnabled()
  await expect(codeField(page)).toHaveCount(0)
  await page.goto('/auth/login-otp')
  await expect(requestButton(page)).toBeVisible()
})

test('AUTH-14, AUTH-16, AUTH-17, AUTH-22, AUTH-23: a mailed one-time code logs in', async ({
  page,
  database,
  mail,
}) => {
  const otto = await addPerson(database, 'Otto')
  const calls = recordCalls(page)
  await page.goto('/auth/login?method=otp')
  await emailField(page).fill(otto.email)
  await requestButton(page).click()
  await expect(codeField(page)).toBeFocused()
  await expect(emailField(page)).toHaveValue(otto.email)
  expect(callsTo(calls, '/users:sendOtp')).toMatchObject([
    { verb: 'POST', path: '/users:sendOtp', body: { email: otto.email, action: 'login' } },
  ])
  const submit = page.getByRole('button', { name: 'Login using one-time passcode', exact: true })
  await expect(page.getByRole('button', { name: /^Resend code in \d+ s$/ })).toBeDisabled()

  await codeField(page).fill('ABCD-123')
  await submit.click()
  await expect(codeField(page)).toHaveAccessibleDescription(/At least 9 characters$/)
  await codeField(page).fill('AAA-AAA-AAA-AAA')
  await submit.click()
  await expect(page.getByRole('alert')).toHaveText('The code is wrong, used or too old. Check it, or ask for a new one')

  // Users may read the code in another app, so the step survives a reload, and the link in the mail fills in the code.
  await page.reload()
  await expect(codeField(page)).toBeVisible()
  const { code, link } = await mail.waitFor(otto.email)
  await page.goto(link)
  await expect(codeField(page)).toHaveValue(code)
  await expect(page).toHaveURL(/\/auth\/login\?method=otp$/)
  await submit.click()
  await expect(page.getByText('No organization found')).toBeVisible()
  expect(callsTo(calls, '/users:loginOtp').at(-1)).toMatchObject({
    verb: 'POST',
    path: '/users:loginOtp',
    body: { email: otto.email, otp_token: code },
  })
  expect((await storedSession(page)).currentUserResourceName).toBe(`users/${otto.userId}`)
})

test('a code can be sent again after thirty seconds, and another address can be entered', async ({
  chromium,
  product,
}) => {
  await using own = await otherPage(chromium, product)
  const { page } = own
  await page.clock.install()
  const calls = recordCalls(page)
  await onCall(page, '/users:sendOtp', (route) => route.fulfill({ json: {} }))
  await page.goto('/auth/login?method=otp')
  await emailField(page).fill('first@example.com')
  await requestButton(page).click()
  await expect(page.getByRole('button', { name: 'Resend code in 30 s' })).toBeDisabled()
  await page.clock.runFor(12_000)
  await expect(page.getByRole('button', { name: 'Resend code in 18 s' })).toBeDisabled()
  await page.clock.runFor(18_000)
  await page.getByRole('button', { name: 'Resend code', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Resend code in 30 s' })).toBeDisabled()
  expect(callsTo(calls, '/users:sendOtp')).toHaveLength(2)
  await page.getByRole('button', { name: 'Use a different email' }).click()
  await expect(emailField(page)).toHaveValue('first@example.com')
  await expect(emailField(page)).toBeEditable()
})

test('AUTH-40: a forgotten password is reset with a one-time code', async ({ page, database, mail }) => {
  const fay = await addPerson(database, 'Fay')
  const calls = recordCalls(page)
  await page.goto('/auth/forgot-password')
  await expect(page.getByText('The requested page was not found.')).toHaveCount(0)
  await emailField(page).fill(fay.email)
  await page.getByRole('button', { name: 'Send reset code', exact: true }).click()
  await page.getByRole('textbox', { name: 'One-time code' }).fill((await mail.waitFor(fay.email)).code)
  const password = page.getByRole('textbox', { name: 'New password' })
  await password.fill('short')
  await page.getByRole('button', { name: 'Set new password' }).click()
  await expect(password).toHaveAccessibleDescription('Must be at least 8 characters in length')
  await password.fill('Another-horse-2')
  await page.getByRole('button', { name: 'Set new password' }).click()
  await expect(page.getByText('Password updated')).toBeVisible()
  await expect(page.getByText('No organization found')).toBeVisible()
  expect(callsTo(calls, '/users:sendOtp')[0]?.body).toEqual({ email: fay.email, action: 'login' })
  expect(callsTo(calls, `/users/${fay.userId}:setPassword`)).toHaveLength(1)

  await page.goto('/auth/logout')
  await page.waitForURL('**/auth/login')
  await fillSignIn(page, { email: fay.email, password: 'Another-horse-2' })
  await expect(page.getByText('No organization found')).toBeVisible()
})

test('AUTH-40: requesting a reset code looks the same for known and unknown addresses', async ({ page }) => {
  await page.goto('/auth/forgot-password')
  await emailField(page).fill('unknown-to-us@example.com')
  await page.getByRole('button', { name: 'Send reset code', exact: true }).click()
  await expect(page.getByText('If there is an account for unknown-to-us@example.com')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'New password' })).toBeVisible()
})

test('AUTH-41: addresses below /auth are public, and an unknown one shows a message in the frame of the sign-in pages', async ({
  page,
}) => {
  await page.goto('/auth/anything/at/all')
  await expect(page.getByRole('heading', { level: 1, name: 'The requested page was not found.' })).toBeVisible()
  await expect(page.getByText('Tributary', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Go to Home' }).click()
  await expect(page).toHaveURL(/\/auth\/login$/)
  await page.goto('/auth')
  await expect(page).toHaveURL(/\/auth\/login$/)
})
