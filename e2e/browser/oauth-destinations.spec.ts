import type { Page } from '@playwright/test'
import { createSource, createWebhook, createWorkspace, type OpenIdProvider } from '@tributary/test-kit'
import { callsTo, recordCalls } from './api-calls.ts'
import { expect, test } from './product-fixture.ts'
import { sendTracks } from './tracking.ts'

const settingsOf = ({ destination }: OpenIdProvider) => ({
  url: destination.resourceUrl,
  authentication: 'oauth2',
  oauth_authorize_url: destination.authorizeUrl,
  oauth_token_url: destination.tokenUrl,
  oauth_client_id: destination.clientId,
  oauth_client_secret: destination.clientSecret,
  oauth_scope: 'openid email',
})

/** Presses the button, grants access in the popup as this user, and waits until the popup closes. */
const permit = async (page: Page, button: string, email: string): Promise<void> => {
  const opened = page.waitForEvent('popup')
  await page.getByRole('button', { name: button, exact: true }).first().click()
  const popup = await opened
  const closed = popup.waitForEvent('close')
  await popup.getByRole('button', { name: email }).click()
  await closed
}

const taken = ({ destination }: OpenIdProvider, text: string): number =>
  destination.received.filter(({ status, body }) => status === 200 && body.includes(text)).length

test('a destination is connected in a popup, receives with its token, is held when that is revoked, and continues when reconnected', async ({
  signedIn: page,
  product,
  openId,
}) => {
  openId.addUser({ email: 'owner@example.com' })
  const { workspace } = await createWorkspace(product.api, 'Permitted')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, settingsOf(openId), 'Partner API')
  expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId: 'oauth-1' }])).toBe(200)
  await page.goto(`/${destination}#settings`)
  const needed = page.getByRole('region', { name: 'Connection needed' })
  await expect(needed).toContainText(
    'This destination is not connected to an account. Its events are held until you connect it.',
  )
  await expect(page.getByText(`${product.url}/destination-oauth-callback`)).toBeVisible()
  const calls = recordCalls(page)
  await permit(page, 'Connect', 'owner@example.com')
  await expect(page.getByText('Destination Connected')).toBeVisible()
  await expect(page.getByText('as owner@example.com')).toBeVisible()
  await expect(needed).toHaveCount(0)
  expect(callsTo(calls, ':connect')[0]?.body).toEqual({ redirect_uri: `${product.url}/destination-oauth-callback` })
  await expect.poll(() => taken(openId, 'oauth-1')).toBe(1)
  expect(openId.destination.received.find(({ body }) => body.includes('oauth-1'))?.authorization).toMatch(
    /^Bearer \S+$/,
  )

  openId.destination.revoke()
  expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId: 'oauth-2' }])).toBe(200)
  await expect
    .poll(async () => JSON.stringify((await product.api.ok('GET', `/${destination}`)).grant))
    .toContain('"expired"')
  await page.reload()
  await expect(needed).toContainText(
    'The connection was revoked: reconnect. Its events are held until you reconnect it.',
  )
  await expect(page.getByText('Expired', { exact: true })).toBeVisible()
  expect(taken(openId, 'oauth-2')).toBe(0)
  await permit(page, 'Reconnect', 'owner@example.com')
  await expect(page.getByText('as owner@example.com')).toBeVisible()
  await expect.poll(() => taken(openId, 'oauth-2')).toBe(1)

  await page.getByRole('button', { name: 'Disconnect' }).click()
  const question = page.getByRole('alertdialog').or(page.getByRole('dialog'))
  await expect(question).toContainText('events for Partner API are held until you reconnect')
  await question.getByRole('button', { name: 'Disconnect' }).click()
  await expect(page.getByText('Not connected', { exact: true })).toBeVisible()
})

test('without an opener window, consent returns to the destination, and a refusal shows its reason and a way to retry', async ({
  signedIn: page,
  product,
  openId,
}) => {
  openId.addUser({ email: 'second@example.com' })
  const { workspace } = await createWorkspace(product.api, 'No popup')
  const { source } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, settingsOf(openId), 'Partner API')
  const { authorize_url } = await product.api.ok('POST', `/${destination}:connect`, {
    redirect_uri: `${product.url}/destination-oauth-callback`,
  })
  await page.goto(String(authorize_url))
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('heading', { name: 'Access was not granted' })).toBeVisible()
  await expect(page.getByText('The provider answered: The user has cancelled. Nothing changed.')).toBeVisible()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'second@example.com' }).click()
  await expect(page).toHaveURL(new RegExp(`/${destination}#settings$`))
  await expect(page.getByText('as second@example.com')).toBeVisible()

  // Opens the same address again; its state was already used.
  await page.goBack()
  await page.goto(
    `/destination-oauth-callback?code=c&state=${destination.split('/')[1]}.${destination.split('/')[3]}.made-up`,
  )
  await expect(
    page.getByText(
      'This approval was started by someone else, was used, or has expired. Start again. Nothing changed.',
    ),
  ).toBeVisible()
  await page.getByRole('link', { name: 'Back to the destination' }).click()
  await expect(page).toHaveURL(new RegExp(`/${destination}#settings$`))
})

test('if popups are blocked, consent is given in the same window', async ({ signedIn: page, product, openId }) => {
  openId.addUser({ email: 'third@example.com' })
  const { workspace } = await createWorkspace(product.api, 'Blocked')
  const { source } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, settingsOf(openId), 'Partner API')
  await page.addInitScript(() => {
    window.open = () => null
  })
  await page.goto(`/${destination}`)
  await page.getByRole('region', { name: 'Connection needed' }).getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('link', { name: 'Continue in this window' }).click()
  await page.getByRole('button', { name: 'third@example.com' }).click()
  await expect(page).toHaveURL(new RegExp(`/${destination}#settings$`))
  await expect(page.getByText('as third@example.com')).toBeVisible()
})
