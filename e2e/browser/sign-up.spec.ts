import type { Page } from '@playwright/test'
import { createWorkspace } from '@tributary/test-kit'
import { callsTo, onCall, recordCalls } from './api-calls.ts'
import { addPerson, storedSession } from './people.ts'
import { expect, test } from './product-fixture.ts'

const emailField = (page: Page) => page.getByRole('textbox', { name: 'Work email' })
const codeField = (page: Page) => page.getByRole('textbox', { name: 'Verification code' })
const verify = (page: Page) => page.getByRole('button', { name: 'Verify Email', exact: true })
const goOn = (page: Page) => page.getByRole('button', { name: 'Continue', exact: true })
const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), `tributary-${key}`)

let count = 0
/** Returns an unused email address. */
const newAddress = (): string => `new-${Date.now()}-${++count}@example.com`

/** Requests a code for this address and waits for the step in which it is entered. */
const askForCode = async (page: Page, email: string): Promise<void> => {
  await page.goto('/auth/register')
  await emailField(page).fill(email)
  await verify(page).click()
  await expect(codeField(page)).toBeVisible()
}

test('REG-01, REG-02, REG-04, REG-05, REG-08, OPEN-46: sign-up asks for a work email, and links to login, and to terms and privacy if configured', async ({
  page,
  product,
}) => {
  const calls = recordCalls(page)
  await page.goto('/auth/register')
  for (const name of ['Terms of Service', 'Privacy Policy']) {
    const link = page.getByRole('link', { name })
    await expect(link).toHaveAttribute('href', /^https:\/\//)
    await expect(link).toHaveAttribute('target', '_blank')
    await expect(link).toHaveAttribute('rel', 'noopener')
  }
  const config = (await product.api.ok('GET', '/config')) as { links: object }
  const links = { ...config.links, terms: '', privacy: '' }
  await page.route('**/api/config', (route) => route.fulfill({ json: { ...config, links } }))
  await page.reload()
  await emailField(page).fill('abc')
  await expect(page.getByText('By signing up you agree')).toHaveCount(0)
  await verify(page).click()
  await expect(emailField(page)).toHaveAccessibleDescription('Invalid email')
  expect(callsTo(calls, '/users:sendOtp')).toEqual([])
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/auth\/login$/)
})

test('REG-06, REG-07, REG-09, REG-14, REG-15: a mailed code signs the user up and leads to completing the registration', async ({
  page,
  mail,
}) => {
  const email = newAddress()
  const calls = recordCalls(page)
  await askForCode(page, email)
  expect(callsTo(calls, '/users:sendOtp')).toMatchObject([{ verb: 'POST', body: { email, action: 'sign up' } }])
  await expect(page.getByRole('heading', { level: 1, name: 'Verify your email' })).toBeVisible()
  // Users may read the code in another app, so the step survives a reload.
  await page.reload()
  await codeField(page).fill((await mail.waitFor(email)).code)
  await goOn(page).click()
  await page.waitForURL('**/auth/complete-registration')
  const [signup] = callsTo(calls, '/users:signup')
  expect(signup).toMatchObject({ verb: 'POST', path: '/users:signup', body: { email } })
  expect(signup?.body).toHaveProperty('otp_token', expect.stringMatching(/^[A-Z0-9-]{15}$/))
  const { currentUserResourceName, passwordOTPToken } = await storedSession(page)
  expect(currentUserResourceName).toMatch(/^users\//)
  expect(passwordOTPToken).toMatch(/^.{20,}$/)
})

test('REG-12, REG-13, REG-17, REG-18: a sign-up code is submitted only by the button, and without an invitation none is accepted', async ({
  page,
  mail,
}) => {
  const email = newAddress()
  const calls = recordCalls(page)
  await askForCode(page, email)
  expect(JSON.parse((await stored(page, 'sign-up')) ?? '{}')).toMatchObject({ email })
  await codeField(page).fill('ABCD-123')
  await goOn(page).click()
  await expect(codeField(page)).toHaveAccessibleDescription('At least 9 characters')
  await codeField(page).fill((await mail.waitFor(email)).code)
  expect(callsTo(calls, '/users:signup')).toEqual([])
  await goOn(page).click()
  await page.waitForURL('**/auth/complete-registration')
  expect(callsTo(calls, ':accept')).toEqual([])
  expect(await stored(page, 'sign-up')).toBeNull()
  expect(await stored(page, 'saved-invitation')).toBeNull()
})

test('REG-10, REG-11: the link of the mail fills in the code and submits it once', async ({ page, mail }) => {
  const email = newAddress()
  await askForCode(page, email)
  const { code, link } = await mail.waitFor(email)
  const calls = recordCalls(page)
  let answer = (): void => undefined
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await onCall(page, '/users:signup', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(link)
  await expect(codeField(page)).toHaveValue(code)
  answer()
  await page.waitForURL('**/auth/complete-registration')
  expect(callsTo(calls, '/users:signup').map(({ body }) => body)).toEqual([{ email, otp_token: code }])
})

test('REG-10: an invalid code in a link is shown and not submitted; a code without an address asks for the address', async ({
  page,
}) => {
  const calls = recordCalls(page)
  await page.goto('/auth/register?email=link%40example.com&otp=ABC')
  await expect(codeField(page)).toHaveValue('ABC')
  await expect(page.getByText('link@example.com')).toBeVisible()
  await page.goto('/auth/register?otp=ABCDE-1234')
  await expect(emailField(page)).toBeVisible()
  expect(callsTo(calls, '/users:signup')).toEqual([])
})

test('REG-21, REG-22, REG-23, REG-36, REG-37: completing a registration sets password and names, in this order', async ({
  page,
  mail,
}) => {
  const email = newAddress()
  await askForCode(page, email)
  await codeField(page).fill((await mail.waitFor(email)).code)
  await goOn(page).click()
  await page.waitForURL('**/auth/complete-registration')
  const { currentUserResourceName: name, passwordOTPToken } = await storedSession(page)

  const address = page.getByRole('textbox', { name: 'Email' })
  await expect(address).toHaveValue(email)
  await expect(address).not.toBeEditable()
  const first = page.getByRole('textbox', { name: 'First name' })
  const last = page.getByRole('textbox', { name: 'Last name' })
  const password = page.getByRole('textbox', { name: 'Password' })
  const rules = page.getByRole('list', { name: 'Password rules' }).getByRole('listitem')
  await expect(rules).toHaveCount(0)
  await password.fill('a')
  await expect(rules.filter({ hasText: '(not met)' })).toHaveText([
    /^Must be at least 8 characters in length/,
    /^One uppercase character/,
    /^One number/,
    /^One special character/,
  ])
  await expect(rules.filter({ hasText: '(met)' })).toHaveText([/^One lowercase character/])
  await first.fill('   ')
  await last.fill('Abcdefghijklmnop')
  await goOn(page).click()
  await expect(first).toHaveAccessibleDescription('First Name is required')
  await expect(last).toHaveAccessibleDescription('Last Name is too long')
  await expect(password).toHaveAccessibleDescription('Must be at least 8 characters in length')

  await first.fill('Nora')
  await last.fill('Newcomer')
  await password.fill('Correct-horse-9')
  await expect(rules.filter({ hasText: '(met)' })).toHaveCount(5)
  const calls = recordCalls(page)
  await goOn(page).click()
  await expect(page.getByText('No organization found')).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')
  const written = calls.filter(({ verb }) => verb !== 'GET')
  expect(written).toMatchObject([
    {
      verb: 'POST',
      path: `/${String(name)}:setPassword`,
      body: { name, otp_token: passwordOTPToken, password: 'Correct-horse-9' },
    },
    {
      verb: 'PATCH',
      path: `/${String(name)}?update_mask=first_name,last_name`,
      body: { first_name: 'Nora', last_name: 'Newcomer' },
    },
  ])
  expect((await storedSession(page)).passwordOTPToken).toBeNull()
})

test('REG-24, REG-25: completing a registration needs a user and a one-time token in the session', async ({ page }) => {
  await page.goto('/auth/login')
  for (const held of [{ passwordOTPToken: 'token' }, { currentUserResourceName: 'users/u1' }]) {
    await page.evaluate((state) => {
      localStorage.setItem('tributary-session', JSON.stringify({ state, version: 1 }))
    }, held)
    await page.goto('/auth/complete-registration')
    await expect(page).toHaveURL(/\/auth\/login$/)
  }
})

test('REG-16, REG-26, REG-27: a user who opens an invitation without a session and signs up joins, and completes the registration', async ({
  page,
  product,
  mail,
}) => {
  const { organization } = await createWorkspace(product.api, 'Inviting')
  const link = (await product.api.ok('POST', `/${organization}/invitationlinks`, { role: 2 })) as { name: string }
  await page.goto(`/${link.name}`)
  await expect(page.getByText('Inviting').first()).toBeVisible()
  const calls = recordCalls(page)
  await page.getByRole('link', { name: 'Sign up' }).click()
  const email = newAddress()
  await emailField(page).fill(email)
  await verify(page).click()
  await codeField(page).fill((await mail.waitFor(email)).code)
  await goOn(page).click()
  await page.waitForURL('**/auth/complete-registration')
  await expect(page.getByText('Organization joined')).toBeVisible()
  const { currentUserResourceName: user, accessToken } = await storedSession(page)
  expect(callsTo(calls, ':accept')).toMatchObject([
    { verb: 'POST', path: `/${link.name}:accept`, body: { user }, authorization: `Bearer ${String(accessToken)}` },
  ])
  expect(await stored(page, 'saved-invitation')).toBeNull()
  await goOn(page).click()
  await expect(page.getByRole('textbox', { name: 'First name' })).toHaveAccessibleDescription('First Name is required')
})

test('an address that already has an account is mailed a code that signs in', async ({ page, database, mail }) => {
  const rita = await addPerson(database, 'Rita')
  await askForCode(page, rita.email)
  await codeField(page).fill((await mail.waitFor(rita.email)).code)
  await goOn(page).click()
  await expect(page.getByText('No organization found')).toBeVisible()
  expect((await storedSession(page)).currentUserResourceName).toBe(`users/${rita.userId}`)
})

test('a long address fits on the narrowest screen', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 700 })
  await page.goto('/auth/register')
  const email = `${'longmailboxname'.repeat(4)}@example.com`
  await page.getByRole('textbox', { name: 'Work email' }).fill(email)
  await page.getByRole('button', { name: 'Verify Email' }).click()
  await expect(page.getByText(email)).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
})
