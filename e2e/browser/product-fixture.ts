import { type Browser, test as base, type Page } from '@playwright/test'
import {
  adminCredentials,
  type Product,
  startProduct,
  startWebhookReceiver,
  type WebhookReceiver,
} from '@tributary/test-kit'
import { launchChromium } from './chromium.ts'

type Fixtures = { page: Page; signedIn: Page }
type Shared = { chromium: Browser; product: Product; receiver: WebhookReceiver }

/** One product, one webhook peer and one browser for all tests of a worker; a context of its own for each test. */
export const test = base.extend<Fixtures, Shared>({
  chromium: [
    async ({}, use) => {
      const browser = await launchChromium()
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
  product: [
    async ({}, use) => {
      await using product = await startProduct()
      await product.api.login(adminCredentials)
      await use(product)
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  receiver: [
    async ({}, use) => {
      await using receiver = await startWebhookReceiver()
      await use(receiver)
    },
    { scope: 'worker' },
  ],
  page: async ({ chromium, product }, use) => {
    const context = await chromium.newContext({
      baseURL: product.url,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const page = await context.newPage()
    await use(page)
    await context.close()
  },
  signedIn: async ({ page }, use) => {
    await page.goto('/auth/login')
    await page.getByRole('textbox', { name: 'Email' }).fill(adminCredentials.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(adminCredentials.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL((url) => !url.pathname.startsWith('/auth'))
    await use(page)
  },
})

export { expect } from '@playwright/test'
