import { callsTo, onCall, recordCalls } from './api-calls.ts'
import { expect, test } from './product-fixture.ts'

/** Returns the state in the body of a callback. */
const stateOf = (body: unknown): string =>
  typeof body === 'object' && body !== null && 'state' in body ? String(body.state) : ''

const decode = (state: string | null): unknown => JSON.parse(Buffer.from(state ?? '', 'base64url').toString())

let count = 0
const newAddress = (): string => `third-${Date.now()}-${++count}@example.com`

test('AUTH-24, AUTH-25, AUTH-26, AUTH-27: the provider button stores a verifier and opens the address that the server returns', async ({
  page,
  openId,
}) => {
  const calls = recordCalls(page)
  let redirectUrl = ''
  await onCall(page, '/users:oauthRedirects', async (route) => {
    const answer = await route.fetch()
    redirectUrl = (await answer.json()).google_redirect_url
    await route.fulfill({ response: answer })
  })
  await page.goto('/auth/login')
  const arrived = page.waitForRequest((request) => request.url().startsWith(`${openId.issuer}/auth`))
  await page.getByRole('button', { name: /^Continue with / }).click()
  expect((await arrived).url()).toBe(redirectUrl)
  const [asked] = callsTo(calls, '/users:oauthRedirects')
  const query = new URLSearchParams(asked?.path.split('?')[1])
  expect(asked?.verb).toBe('GET')
  expect(query.get('mode')).toBe('login')
  expect(new URL(redirectUrl).searchParams.get('state')).toBe(query.get('state'))
  expect(decode(query.get('state'))).toMatchObject({ provider: query.get('provider'), mode: 'login' })
  await page.goto('/auth/forgot-password')
  expect(await page.evaluate(() => localStorage.getItem('tributary-sign-in-verifier'))).toMatch(/^[\w-]{56}$/)
})

test('AUTH-28, REG-03, REG-19: the provider signs up a new person, and logs them in the next time', async ({
  page,
  openId,
}) => {
  const email = newAddress()
  openId.addUser({ email, givenName: 'Theo', familyName: 'Third' })
  const calls = recordCalls(page)
  await page.goto('/auth/register')
  await page.getByRole('button', { name: /^Continue with / }).click()
  await page.getByRole('button', { name: email }).click()
  await expect(page.getByText('No organization found')).toBeVisible()
  const [signup] = callsTo(calls, '/users:oauthSignupCallback')
  expect(signup?.verb).toBe('POST')
  expect(decode(stateOf(signup?.body))).toMatchObject({ mode: 'register' })
  expect(callsTo(calls, '/users:oauthLoginCallback')).toEqual([])
  expect(await page.evaluate(() => localStorage.getItem('tributary-sign-in-verifier'))).toBeNull()

  await page.goto('/auth/logout')
  await page.waitForURL('**/auth/login')
  await page.getByRole('button', { name: /^Continue with / }).click()
  await page.getByRole('button', { name: email }).click()
  await expect(page.getByText('No organization found')).toBeVisible()
  const [login] = callsTo(calls, '/users:oauthLoginCallback')
  expect(login?.body).toMatchObject({
    provider: expect.any(String),
    code: expect.any(String),
    code_verifier: expect.stringMatching(/^[\w-]{56}$/),
    redirect_uri: `${new URL(page.url()).origin}/auth/oauth-callback`,
  })
  expect(decode(stateOf(login?.body))).toMatchObject({ mode: 'login' })
})

test('an unknown person sees that sign-in failed, can sign up, and completes the registration without a name', async ({
  page,
  openId,
}) => {
  const email = newAddress()
  openId.addUser({ email })
  await page.goto('/auth/login')
  await page.getByRole('button', { name: /^Continue with / }).click()
  await page.getByRole('button', { name: email }).click()
  await expect(page.getByRole('alert')).toContainText('Sign-in failed')
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByRole('button', { name: /^Continue with / }).click()
  await page.getByRole('button', { name: email }).click()
  await page.waitForURL('**/auth/complete-registration')
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue(email)
})

test('a canceled sign-in, and a return that this browser did not start, show a message and send nothing', async ({
  page,
}) => {
  const calls = recordCalls(page)
  await page.goto('/auth/login')
  await page.getByRole('button', { name: /^Continue with / }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('alert')).toContainText('The sign-in was canceled.')
  const state = Buffer.from(JSON.stringify({ provider: 'google', mode: 'login', random: 'x' })).toString('base64url')
  await page.goto(`/auth/oauth-callback?code=stolen&state=${state}`)
  await expect(page.getByRole('alert')).toContainText('This sign-in was started in another browser')
  expect(callsTo(calls, 'Callback')).toEqual([])
})
