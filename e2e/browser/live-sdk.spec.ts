import { area, expectListed, newEvents, openLive, rows, scrollTo } from './live-page.ts'
import { expect, test } from './product-fixture.ts'
import { startSdkPage } from './sdk-page.ts'

type Browsing = Window & {
  segment: typeof import('@segment/analytics-next').AnalyticsBrowser
  shop: { track: (name: string, properties: object) => Promise<unknown> }
}

test('EVT-48: events of a site appear live and are counted while scrolled away; a new event is added to the schema without a reload', async ({
  signedIn: page,
  chromium,
  product,
}) => {
  const { key } = await openLive(page, product)
  let loads = 0
  page.on('load', () => loads++)
  await using site = await startSdkPage()
  await using context = await chromium.newContext()
  const shop = await context.newPage()
  await shop.goto(site.url)
  await shop.evaluate(
    ({ writeKey, origin }) => {
      const browsing = window as unknown as Browsing
      browsing.shop = browsing.segment.load({ writeKey, cdnURL: origin })
    },
    { writeKey: key, origin: product.url },
  )
  const track = (name: string, count: number): Promise<void> =>
    shop.evaluate(
      async ({ event, times }) => {
        const browsing = window as unknown as Browsing
        await Promise.all(Array.from({ length: times }, (_, index) => browsing.shop.track(event, { index })))
      },
      { event: name, times: count },
    )

  await track('Product Viewed', 30)
  await expectListed(page, 30)
  await expect(newEvents(page)).toHaveCount(0)
  await scrollTo(page, 400)
  await track('Product Added', 3)
  await expect(newEvents(page)).toHaveText('3 new events')
  await track('Product Removed', 150)
  await expect(newEvents(page)).toHaveText('+99 new events')
  await expect(rows(page).filter({ hasNotText: 'Product Viewed' })).toHaveCount(0)
  await newEvents(page).click()
  await expect(newEvents(page)).toHaveCount(0)
  expect(await area(page).evaluate(({ scrollTop }) => scrollTop)).toBe(0)
  await expect(rows(page).first()).toContainText('Product Removed')
  await expectListed(page, 50)

  const shown = (text: string) => rows(page).first().getByRole('img', { name: text, exact: true })
  await track('Wishlist Shared', 1)
  await expect(rows(page).first()).toContainText('Wishlist Shared')
  await expect(shown("This event doesn't exist in the source schema.")).toBeVisible()
  await rows(page).first().click()
  const dialog = page.getByRole('dialog', { name: 'Wishlist Shared' })
  await dialog.getByRole('tab', { name: 'Compatibility' }).click()
  await dialog.getByRole('button', { name: 'Add event to schema' }).click()
  await expect(page.getByText('Source schema updated', { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(dialog).toHaveCount(0)
  // The new schema version validates already the next event.
  await track('Wishlist Shared', 1)
  await expect(rows(page).filter({ hasText: 'Wishlist Shared' })).toHaveCount(2)
  await expect(shown('This event is fully compatible with the source schema.')).toBeVisible()
  expect(loads).toBe(0)
})
