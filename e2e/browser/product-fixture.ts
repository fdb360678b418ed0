import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, test as base, expect as baseExpect, type Page } from '@playwright/test'
import type { Relational } from '@tributary/storage'
import {
  adminCredentials,
  type MailReceiver,
  type OpenIdProvider,
  type Product,
  startMailReceiver,
  startOpenIdProvider,
  startProduct,
  startWebhookReceiver,
  type WebhookReceiver,
} from '@tributary/test-kit'
import { launchChromium } from './chromium.ts'
import { openDatabase, signIn } from './people.ts'

type Fixtures = { page: Page; signedIn: Page }
type Shared = {
  chromium: Browser
  profile: BrowserContext
  openId: OpenIdProvider
  product: Product
  database: Relational
  receiver: WebhookReceiver
  mail: MailReceiver
}

/** Addresses that an installation can set. The tests request none of them. */
const links = {
  TRIBUTARY_TERMS_URL: 'https://tributary.example/terms',
  TRIBUTARY_PRIVACY_URL: 'https://tributary.example/privacy',
  TRIBUTARY_PRICING_URL: 'https://tributary.example/pricing',
  TRIBUTARY_CONTACT_SALES_URL: 'https://tributary.example/sales',
  TRIBUTARY_PAYMENT: 'sandbox-in-production',
  TRIBUTARY_SUPPORT_EMAIL: 'support@tributary.example',
}

/** Number of sources of the free plan here: more than any test creates, except the test of this limit. */
export const freeSources = 400

const features = {
  profiles: -1,
  events: -1,
  sources: -1,
  destinations: -1,
  audiences: -1,
  white_glove_onboarding: false,
  customer_success_manager: false,
}
const plans = {
  currency: 'USD',
  plans: [
    {
      name: 'plans/free',
      title: 'Free',
      description: 'To try it out',
      monthly: 0,
      features: { ...features, sources: freeSources },
    },
    {
      name: 'plans/team',
      title: 'Team',
      description: 'For a first team',
      monthly: 12_000,
      annually: 120_000,
      features,
    },
    { name: 'plans/enterprise', title: 'Enterprise', description: 'For large organizations', monthly: null, features },
  ],
}

/** A backlog limit so small that a few requests fill it; waiting events are stored after about a second. */
const share = { TRIBUTARY_WORKSPACE_BACKLOG_MB: '1' }

/** Returns the last warnings and errors in a product's output, each line truncated to 600 characters. */
const complaintsIn = (output: string): string =>
  output
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"level":"info"'))
    .slice(-20)
    .map((line) => line.slice(0, 600))
    .join('\n')

/**
 * Storage that a page of the product may have used. The browser's cache of files is kept, so that files need not be
 * read and compiled again.
 */
const keptByPages = 'local_storage,indexeddb,cache_storage,service_workers,cookies'

/**
 * Provides one product with its peers (webhook, mail, third-party sign-in), one browser and one browser profile for all
 * tests of a worker. Each test gets a page without stored data.
 */
export const test = base.extend<Fixtures, Shared>({
  chromium: [
    async ({}, use) => {
      // A process for each page of a site takes a fifth of a second of processor time a test.
      const browser = await launchChromium('--process-per-site')
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
  // A test that changes more than the stored data of a page, such as its clock, must use `otherPage` instead.
  profile: [
    async ({ chromium, product }, use) => {
      const context = await chromium.newContext({
        baseURL: product.url,
        permissions: ['clipboard-read', 'clipboard-write'],
        reducedMotion: 'reduce',
      })
      // This page keeps the process of the site, so that the pages of all tests use it one after the other.
      await (await context.newPage()).goto('/health')
      await use(context)
      await context.close()
    },
    { scope: 'worker' },
  ],
  // The third-party sign-in for which the product is configured; tests add the users that they need.
  openId: [
    async ({}, use) => {
      await using provider = await startOpenIdProvider()
      await use(provider)
    },
    { scope: 'worker' },
  ],
  // The mail server of the product: `mail.waitFor(address)` returns the sent mail with its code and link.
  mail: [
    async ({}, use) => {
      await using mail = await startMailReceiver()
      await use(mail)
    },
    { scope: 'worker' },
  ],
  product: [
    async ({ openId, mail }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'tributary-test-'))
      const plansFile = join(folder, 'plans.json')
      await writeFile(plansFile, JSON.stringify(plans))
      {
        await using product = await startProduct({
          env: { ...openId.env, ...links, ...share, TRIBUTARY_PLANS_FILE: plansFile, SMTP_URL: mail.url },
        })
        await product.api.login(adminCredentials)
        await use(product)
      }
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  database: [
    async ({ product }, use) => {
      await using database = await openDatabase(product)
      await use(database)
    },
    { scope: 'worker' },
  ],
  receiver: [
    async ({}, use) => {
      await using receiver = await startWebhookReceiver()
      await use(receiver)
    },
    { scope: 'worker' },
  ],
  page: async ({ profile, product }, use, testInfo) => {
    const page = await profile.newPage()
    const browser = await profile.newCDPSession(page)
    await browser.send('Storage.clearDataForOrigin', { origin: product.url, storageTypes: keptByPages })
    await browser.detach()
    await profile.clearCookies()
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() >= 400)
        refused.push(`${response.status()} ${response.request().method()} ${response.url()}`)
    })
    page.on('requestfailed', (request) =>
      refused.push(`${request.failure()?.errorText} ${request.method()} ${request.url()}`),
    )
    await use(page)
    // Otherwise, the output of the product would be lost with the worker.
    if (testInfo.status !== testInfo.expectedStatus) {
      await testInfo.attach('output of the product', { body: product.output(), contentType: 'text/plain' })
      const shown = await page.locator('body').ariaSnapshot({ timeout: 2000 }).catch(String)
      console.error(`What the page was not given, the last of it:\n${refused.slice(-20).join('\n')}`)
      console.error(`What the page showed:\n${shown.slice(0, 4000)}`)
      console.error(`What the product complained of, the last of it:\n${complaintsIn(product.output())}`)
    }
    const [, ...opened] = profile.pages()
    await Promise.all(opened.map((each) => each.close()))
  },
  signedIn: async ({ page }, use) => {
    await signIn(page, adminCredentials)
    await use(page)
  },
})

/**
 * The timeout is long enough for the batches of the store and the reads of the screens. A passing test does not use it
 * up.
 */
export const expect = baseExpect.configure({ timeout: 45_000 })
