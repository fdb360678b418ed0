import type { Locator, Page } from '@playwright/test'
import { createSource, createWebhook, createWorkspace, eventually, type Product } from '@tributary/test-kit'
import { onCall, openWithRoles, refuse } from './api-calls.ts'
import { addPerson, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'

const rows = (page: Page, name: string): Locator => page.getByRole('table', { name }).getByRole('row')
const heading = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name })
const tab = (page: Page, name: string): Locator => page.getByRole('tab', { name })

const send = async (product: Product, key: string, ...batch: object[]): Promise<void> => {
  const response = await fetch(`${product.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ batch }),
  })
  expect(response.status).toBe(200)
}

/** Resolves when `count` profiles have this identifier or trait. */
const known = (product: Product, workspace: string, search: string, count: number): Promise<unknown> =>
  eventually(
    `${count} profiles have ${search}`,
    async () =>
      ((await product.api.ok('GET', `/${workspace}/profiles?search=${search}`)).profiles as unknown[]).length === count,
  )

const identify = {
  type: 'identify',
  userId: 'user-ada',
  anonymousId: 'browser-1',
  traits: { name: 'Ada Lovelace', plan: 'team' },
}

test('SEG-11, OPEN-35: an anonymous visitor who signs in is one profile, found by any ID or trait, with traits, events, and history', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Profiles')
  const { key } = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${workspace}/profiles`)
  await expect(page.getByText('No profiles yet')).toBeVisible()
  await send(
    product,
    key,
    { type: 'page', anonymousId: 'browser-1', name: 'Home' },
    { type: 'track', event: 'Opened', userId: 'user-grace' },
  )
  await expect(rows(page, 'Profiles')).toHaveCount(3, { timeout: 60_000 })
  await send(product, key, identify)
  await known(product, workspace, 'team', 1)
  const search = page.getByRole('searchbox', { name: 'Search identifier or trait' })
  for (const text of ['user-ada', 'browser-1', 'team']) {
    await search.fill(text)
    await expect(page).toHaveURL(new RegExp(`search=${text}$`))
    await expect(rows(page, 'Profiles').getByRole('link')).toHaveText(['Ada Lovelace'])
  }
  await page.getByRole('link', { name: 'Ada Lovelace' }).click()
  await expect(heading(page, 'Ada Lovelace')).toBeVisible()
  await expect(rows(page, 'Traits').nth(2)).toContainText('planteamShop')
  await expect(page.getByRole('button', { name: /^Show history/ })).toHaveCount(0)
  await send(product, key, { type: 'identify', userId: 'user-ada', traits: { plan: 'business' } })
  await page.getByRole('button', { name: 'Show history of plan' }).click({ timeout: 60_000 })
  const values = page.getByRole('list', { name: 'Values' }).getByRole('listitem')
  await expect(values).toHaveText([/^businessCurrentShop/, /^teamShop/])
  await page.getByRole('button', { name: 'Close' }).click()
  await tab(page, 'Events').click()
  await expect(rows(page, 'Events').getByRole('link')).toHaveText(['identify', 'identify', 'Home'])
  await tab(page, 'History').click()
  await expect(page.getByRole('listitem').filter({ hasText: 'First seen as Anonymous ID browser-1' })).toBeVisible()
  await search.waitFor({ state: 'detached' })
  await page.goBack()
  await search.fill('nobody-has-this')
  await expect(page.getByText('No profile has this value')).toBeVisible()
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expect(rows(page, 'Profiles')).toHaveCount(3)
})

test('events of a profile appear live with their outcome, and events without a profile are counted and can be found', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Timeline')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Archive')
  const track = (event: string, userId: string): object => ({ type: 'track', event, userId })
  await send(product, key, track('First', 'user-ada'), track('Lost', 'null'), track('Lost', '0'))
  await known(product, workspace, 'user-ada', 1)
  const counts = Promise.withResolvers<undefined>()
  await onCall(page, '/profileCoverage', async (route) => {
    await counts.promise
    await route.continue()
  })
  await page.goto(`/${workspace}/profiles`)
  const first = page.getByRole('link', { name: 'user-ada' })
  const place = await first.boundingBox()
  counts.resolve(undefined)
  await expect(page.getByText('2 events of the last 30 days have no profile')).toBeVisible()
  // If the row moved while it is clicked, the click would miss it.
  expect(await first.boundingBox()).toEqual(place)
  await first.click()
  await tab(page, 'Events').click()
  const events = rows(page, 'Events')
  await expect(events.nth(1)).toContainText('Archive· Delivered', { timeout: 60_000 })
  await send(product, key, track('Second', 'user-ada'), track('Not theirs', 'user-grace'))
  await expect(events.getByRole('link')).toHaveText(['Second', 'First'], { timeout: 60_000 })
  await expect(events.nth(1)).toContainText('Archive· Delivered', { timeout: 60_000 })
  await page.getByRole('link', { name: 'Profiles' }).first().click()
  await expect(
    page.getByText('2 events of the last 30 days have no profile: 2 with an ID that stands for no user.'),
  ).toBeVisible()
  await page.getByRole('link', { name: 'See events' }).click()
  await expect(page.getByRole('list', { name: 'Active filters' })).toContainText('Profile: No profile')
  await expect(events.getByRole('link')).toHaveText(['Lost', 'Lost'])
})

test('a confirmed split makes two profiles that link to each other, and remains when the same event comes again', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Splits')
  const { key } = await createSource(product.api, workspace, 'Shop')
  await send(product, key, identify)
  await known(product, workspace, 'browser-1', 1)
  await page.goto(`/${workspace}/profiles`)
  await page.getByRole('link', { name: 'Ada Lovelace' }).click()
  await tab(page, 'Identifiers').click()
  const splitOff = page.getByRole('button', { name: 'Split off' })
  await expect(splitOff).toBeDisabled()
  await page.getByRole('checkbox', { name: 'Select all' }).click()
  await expect(splitOff).toBeDisabled()
  await page.getByRole('checkbox', { name: 'Select User ID user-ada' }).click()
  await splitOff.click()
  const dialog = page.getByRole('dialog', { name: 'Split profile' })
  await expect(dialog).toContainText("A split can't be undone.")
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await splitOff.click()
  await dialog.getByRole('button', { name: 'Split' }).click()
  await expect(page.getByText('Profile Split')).toBeVisible()
  await expect(rows(page, 'Identifiers')).toHaveCount(2)
  await send(product, key, { type: 'track', event: 'Again', userId: 'user-ada', anonymousId: 'browser-1' })
  await tab(page, 'Events').click()
  await expect(rows(page, 'Events').getByRole('link')).toHaveText(['Again', 'identify'], { timeout: 60_000 })
  await page.reload()
  await tab(page, 'Identifiers').click()
  await expect(rows(page, 'Identifiers')).toHaveCount(2)
  await tab(page, 'History').click()
  await page.getByRole('link', { name: 'See the other profile' }).click()
  await expect(heading(page, 'browser-1')).toBeVisible()
  await tab(page, 'History').click()
  await expect(page.getByText('Split: Anonymous ID browser-1')).toBeVisible()
})

test('a guest sees masked profiles and cannot split them', async ({ page, product, database }) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Masked')
  const { key } = await createSource(product.api, workspace, 'Shop')
  await send(product, key, identify)
  await known(product, workspace, 'browser-1', 1)
  await signIn(page, await addPerson(database, 'Guest', { organization, role: 'ORG_GUEST' }))
  await openWithRoles(page, `/${workspace}/profiles`)
  await expect(page.getByText('Guests see values masked.')).toBeVisible()
  await page.getByRole('link', { name: 'Ad•••' }).click()
  await expect(page.getByText(' · Guests see values masked')).toBeVisible()
  await expect(rows(page, 'Traits').nth(2)).toContainText('plan•••')
  await tab(page, 'Identifiers').click()
  await expect(rows(page, 'Identifiers')).toHaveCount(3)
  await expect(page.getByRole('button', { name: 'Split off' })).toBeHidden()
  await expect(page.getByText(/Lovelace|user-ada|browser-1/)).toHaveCount(0)
})

test('a list that cannot be loaded shows a message, and appears after a retry', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Unread')
  let away = true
  await onCall(page, '/profiles', (route) => (away ? refuse(503, 'UNAVAILABLE', 'Away')(route) : route.continue()))
  await page.goto(`/${workspace}/profiles`)
  await expect(page.getByText('Failed to load the profiles')).toBeVisible({ timeout: 60_000 })
  away = false
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('No profiles yet')).toBeVisible()
})
