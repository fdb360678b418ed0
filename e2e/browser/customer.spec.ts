import type { Locator, Page } from '@playwright/test'
import { createSource, createWebhook, createWorkspace, eventually, startWebhookReceiver } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'
import { startSdkPage } from './sdk-page.ts'

type Browsing = Window & {
  segment: typeof import('@segment/analytics-next').AnalyticsBrowser
  shop: ReturnType<typeof import('@segment/analytics-next').AnalyticsBrowser.load>
}

const rows = (page: Page, name: string): Locator => page.getByRole('table', { name }).getByRole('row')
const tab = (page: Page, name: string): Locator => page.getByRole('tab', { name })

test('a site visitor becomes one profile by signing in, gets a computed trait, is split, and is deleted everywhere including the webhook', async ({
  signedIn: page,
  chromium,
  product,
}) => {
  await using receiver = await startWebhookReceiver()
  const { workspace } = await createWorkspace(product.api, 'Customer')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Archive')
  await product.api.ok('POST', `/${workspace}/computedTraits`, {
    trait: 'revenue',
    definition: {
      event: 'Order Completed',
      operation: 'sum',
      property: 'total',
      window_days: 30,
    },
  })

  // The visitor has no name yet.
  await using site = await startSdkPage()
  await using context = await chromium.newContext()
  const shop = await context.newPage()
  await shop.goto(site.url)
  const anonymousId = await shop.evaluate(
    async ({ writeKey, origin }) => {
      const browsing = window as unknown as Browsing
      browsing.shop = browsing.segment.load({ writeKey, cdnURL: origin })
      await browsing.shop.page('Home')
      await browsing.shop.track('Product Viewed', { sku: 'tea' })
      return (await browsing.shop.user()).anonymousId() ?? ''
    },
    { writeKey: key, origin: product.url },
  )
  await page.goto(`/${workspace}/profiles`)
  await expect(rows(page, 'Profiles').getByRole('link')).toHaveText([anonymousId], { timeout: 60_000 })

  // The visitor signs in and buys.
  await shop.evaluate(async () => {
    const { shop: analytics } = window as unknown as Browsing
    await analytics.identify('user-ada', { name: 'Ada Lovelace', email: 'ada@example.com' })
    await analytics.track('Order Completed', { total: 20 })
  })
  await expect(rows(page, 'Profiles').getByRole('link')).toHaveText(['Ada Lovelace'], { timeout: 60_000 })
  await page.getByRole('link', { name: 'Ada Lovelace' }).click()
  const revenue = rows(page, 'Traits').filter({ hasText: 'revenue' })
  await expect(revenue).toContainText('20Computed', { timeout: 60_000 })
  await shop.evaluate(async () => {
    const { shop: analytics } = window as unknown as Browsing
    await analytics.track('Order Completed', { total: 22.5 })
  })
  await expect(revenue).toContainText('42.5Computed', { timeout: 60_000 })
  await tab(page, 'Events').click()
  await expect(rows(page, 'Events').getByRole('link')).toHaveText(
    ['Order Completed', 'Order Completed', 'identify', 'Product Viewed', 'Home'],
    { timeout: 60_000 },
  )

  // Another user had used the browser before.
  await tab(page, 'Identifiers').click()
  await page.getByRole('checkbox', { name: `Select Anonymous ID ${anonymousId}` }).click()
  await page.getByRole('button', { name: 'Split off' }).click()
  await page.getByRole('dialog', { name: 'Split profile' }).getByRole('button', { name: 'Split' }).click()
  await expect(page.getByText('Profile Split')).toBeVisible()
  await page.goto(`/${workspace}/profiles`)
  await expect(rows(page, 'Profiles')).toHaveCount(3)

  // Both users are deleted.
  await page.goto(`/${workspace}/settings/privacy`)
  await page.getByRole('button', { name: 'New request' }).first().click()
  const form = page.getByRole('dialog', { name: 'New privacy request' })
  await form.getByRole('textbox', { name: 'Identifiers' }).fill('user-ada')
  await form.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('dialog', { name: 'Delete users' }).getByRole('button', { name: 'Delete permanently' }).click()
  const request = page.getByRole('list', { name: 'Privacy requests' }).getByRole('listitem').first()
  for (const place of ['Profiles', 'Events', 'Deliveries'])
    await expect(request.getByText(`${place} removed`)).toBeVisible({ timeout: 60_000 })
  await expect(request.getByRole('link', { name: 'Archive done' })).toBeVisible({ timeout: 60_000 })
  const deletions = receiver.calls.flatMap(({ body }) =>
    body.includes('"operation":"delete"') ? [JSON.parse(body)] : [],
  )
  expect(deletions).toMatchObject([{ object: 'users', key: 'user-ada', payload: { userIds: ['user-ada'] } }])
  for (const search of ['user-ada', 'ada@example.com', '42.5'])
    await eventually(
      `nobody has ${search}`,
      async () =>
        ((await product.api.ok('GET', `/${workspace}/profiles?search=${search}`)).profiles as unknown[]).length === 0,
    )
  const events = (await product.api.ok('GET', `/${workspace}/events`)).events as { user_id: string }[]
  expect(events.filter(({ user_id }) => user_id === 'user-ada')).toEqual([])
})
