import type { Page } from '@playwright/test'
import { answer, billing, onPath, openPlans, sold, subscribed } from './billing-screens.ts'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'

const refusing =
  (pattern: RegExp, status: number, json: object, verb = 'POST') =>
  async (page: Page) => {
    await page.route(
      (url) => pattern.test(url.pathname),
      (route) => (route.request().method() === verb ? route.fulfill({ status, json }) : route.fallback()),
    )
  }
const declined = { code: 402, reason: 'CARD_DECLINED', message: 'The card has insufficient funds.', metadata: {} }

/** Presses a button of the page and waits for the dialog. */
const asking = (button: string | RegExp) => async (page: Page) => {
  await settled(page)
  await page.getByRole('main').getByRole('button', { name: button }).first().click()
  await page.getByRole('dialog').waitFor()
}

const fillCard = async (page: Page): Promise<void> => {
  await asking('Add Payment method')(page)
  await page.getByLabel('Card number').fill('4000 0000 0000 0002')
  await page.getByLabel('Expiry').fill('12/30')
  await page.getByLabel('CVC').fill('123')
  await page.getByRole('dialog').getByRole('button', { name: 'Add Payment method' }).click()
}

const newSource = (seed: Seed) => `/${seed.filled.workspace}/catalog-sources/http/new`

/** The screens of the dialogs before a change of billing, and of the messages when the change is refused. */
export const billingDialogScreens: Screen[] = [
  { name: 'billing-cancel', path: billing, prepare: subscribed(null), ready: asking('Cancel subscription') },
  {
    name: 'billing-interval',
    path: billing,
    prepare: async (page) => {
      await subscribed(null)(page)
      await answer(onPath('/subscription:preview'), {
        takes_effect: 'now',
        effect_time: null,
        lines: [
          { description: 'Team (annually)', amount: '1200.00' },
          { description: 'Unused time on Team (monthly)', amount: '-60.00' },
        ],
        total: '1140.00',
        currency: 'USD',
        prorate_time: '2026-03-19T05:06:07.000Z',
      })(page)
    },
    ready: asking('Switch to annual billing'),
  },
  { name: 'billing-remove-card', path: billing, prepare: subscribed(null), ready: asking(/^Remove Visa/) },
  { name: 'billing-plans-paid', path: billing, prepare: subscribed(null), ready: openPlans },
  {
    name: 'billing-plans-annual',
    path: billing,
    prepare: subscribed(null),
    ready: async (page) => {
      await openPlans(page)
      await page.getByRole('dialog').getByText('Annually').click()
    },
  },
  {
    name: 'billing-plans-failed',
    path: billing,
    prepare: async (page) => {
      await sold(page)
      await failing(/^\/api\/plans$/)(page)
    },
    expectsFailedCalls: true,
    ready: settled,
  },
  {
    name: 'billing-no-card',
    path: billing,
    prepare: async (page) => {
      await sold(page)
      await answer(onPath('/paymentMethods'), { payment_methods: [], as_of_time: null })(page)
      await answer(/:billingSetupIntent$/, { client_secret: 'sandbox_seti_1' })(page)
    },
    ready: async (page) => {
      await openPlans(page)
      await page.getByRole('region', { name: 'Team' }).getByRole('button', { name: 'Buy plan' }).click()
      await page.getByLabel('Card number').waitFor()
    },
  },
  {
    name: 'billing-card-declined',
    path: billing,
    prepare: async (page) => {
      await sold(page)
      await answer(onPath('/paymentMethods'), { payment_methods: [], as_of_time: null })(page)
      await answer(/:billingSetupIntent$/, { client_secret: 'sandbox_seti_1' })(page)
      await refusing(/:confirmSandboxCard$/, 402, declined)(page)
    },
    expectsFailedCalls: true,
    ready: async (page) => {
      await fillCard(page)
      await page.getByText('An error has occured').waitFor()
    },
  },
  {
    name: 'billing-pay-declined',
    path: billing,
    prepare: async (page) => {
      await subscribed(null, 'past_due')(page)
      await refusing(/invoices\/b:pay$/, 402, declined)(page)
    },
    expectsFailedCalls: true,
    ready: async (page) => {
      await settled(page)
      await page.getByRole('button', { name: 'Pay invoice SANDBOX-2' }).click()
      await page.getByText('Could not pay invoice').waitFor()
    },
  },
  {
    name: 'billing-company-required',
    path: billing,
    prepare: sold,
    ready: async (page) => {
      await settled(page)
      const form = page.getByRole('form', { name: 'Billing details' })
      await form.getByRole('textbox', { name: 'Billing email' }).fill('nobody')
      await form.getByRole('button', { name: 'Save Changes' }).click()
      await form.locator('[aria-invalid=true]').first().waitFor()
    },
  },
  {
    name: 'billing-limit',
    path: newSource,
    prepare: async (page) => {
      await sold(page)
      const json = { code: 402, reason: 'UPGRADE_REQUIRED', message: 'upgrade required', metadata: {} }
      await refusing(/\/sources$/, 402, json)(page)
    },
    expectsFailedCalls: true,
    ready: async (page) => {
      await settled(page)
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('button', { name: 'Show plans' }).waitFor()
    },
  },
  { name: 'billing-payment-canceled', path: () => '/payment/cancel', ready: settled },
  {
    name: 'billing-invoice-missing',
    path: () => '/invoices/a',
    signedOut: true,
    prepare: failing(/^\/api\/invoices\/a$/, 404),
    expectsFailedCalls: true,
    ready: settled,
  },
]
