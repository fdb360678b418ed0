import type { Page } from '@playwright/test'
import { createWorkspace, eventually } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'
import { startSdkPage } from './sdk-page.ts'

type Shop = Window & { tributary: { consent(choice: string): void; track(event: string, properties: object): string } }

const switchSignalsOn = async (page: Page): Promise<void> => {
  await page.route('**/ofrep/v1/evaluate/flags', (route) =>
    route.fulfill({ json: { flags: [{ key: 'signals', value: true, reason: 'STATIC', variant: 'on' }] } }),
  )
}

test('SIG-02, AMB-72: a source of signals is created and listed separately; after consent, the tag keeps click and visitor IDs in server cookies', async ({
  signedIn: page,
  product,
  chromium,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Signal sources')
  await switchSignalsOn(page)
  await page.goto(`/${workspace}/signals/sources`)
  await expect(page.getByText('Add your first signal source')).toBeVisible()
  await page.getByRole('link', { name: 'Add source' }).click()
  await expect(page.getByRole('link', { name: /^JavaScript/ })).toHaveCount(0)
  await page.getByRole('link', { name: /Website tag/ }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Shop pages')
  await page.getByRole('button', { name: 'Create' }).click()
  const main = page.getByRole('main')
  await expect(main.getByText('Waiting for the first event…')).toBeVisible()
  const source = new URL(page.url()).pathname.slice(1)
  await main.getByRole('button', { name: 'Copy html' }).click()
  const snippet = await page.evaluate(() => navigator.clipboard.readText())
  expect(snippet).toContain(`${product.url}/tag/v1/`)

  await using site = await startSdkPage()
  await using context = await chromium.newContext()
  const shop = await context.newPage()
  const cookies = shop.waitForResponse((response) => response.url().endsWith('/cookies'))
  await shop.goto(`${site.withHead(snippet)}&gclid=EAIaIQobChMI&utm_source=google`)
  const sent = (messageId: string) =>
    eventually(`the event ${messageId}`, async () => {
      const { events } = await product.api.ok('GET', `/${source}/events?page_size=100`)
      const event = (events as { name: string; message_id: string }[]).find(
        ({ message_id }) => message_id === messageId,
      )
      return event === undefined ? undefined : await product.api.ok('GET', `/${event.name}`)
    })
  const track = (event: string): Promise<string> =>
    shop.evaluate(
      (name) => (window as unknown as Shop).tributary.track(name, { order_id: '1', value: 59.9, currency: 'EUR' }),
      event,
    )
  const before = JSON.stringify(await sent(await track('Checkout Started')))
  expect(before).toContain('advertising')
  expect(before).not.toContain('EAIaIQobChMI')
  expect(await context.cookies()).toEqual([])

  await shop.evaluate(() => (window as unknown as Shop).tributary.consent('granted'))
  expect(await (await cookies).headerValue('set-cookie')).toMatch(/trb_aid=[0-9a-f-]{36}; Max-Age=34560000/)
  const kept = async () => (await context.cookies()).find(({ name }) => name === 'trb_aid')
  await expect.poll(kept).toBeDefined()
  const visitor = (await kept())?.value

  await shop.goto(site.withHead(snippet))
  await shop.evaluate(() => (window as unknown as Shop).tributary.consent('granted'))
  const order = await sent(await track('Order Completed'))
  expect((await kept())?.value).toBe(visitor)
  const text = JSON.stringify(order)
  expect(text).toContain(visitor)
  expect(text).toContain('EAIaIQobChMI')
  expect(order).toMatchObject({ title: 'Order Completed', compatibility: 'compatible' })

  await page.goto(`/${workspace}/sources`)
  await expect(page.getByText('Add your first source')).toBeVisible()
  await page.goto(`/${workspace}/signals/sources`)
  await expect(page.getByRole('link', { name: 'Shop pages' })).toBeVisible()
})
