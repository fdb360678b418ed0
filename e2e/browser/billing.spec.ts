import { newId } from '@tributary/kernel'
import { adminCredentials, createWorkspace, startProduct, startStripePeer, stripePeerKeys } from '@tributary/test-kit'
import { addPerson, signIn } from './people.ts'
import { expect, freeSources, test } from './product-fixture.ts'

test('BIL-20, BIL-22, BIL-35, BIL-43, OPEN-15: a test card buys a plan, its invoice opens without a session, and the plan is canceled and resumed', async ({
  page,
  product,
  database,
  chromium,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Paying')
  await signIn(page, await addPerson(database, 'Petra', { organization, role: 'ORG_ADMIN' }))
  await page.goto(`/${workspace}/settings/organization/billing`)
  await expect(page.getByRole('heading', { name: 'Current plan: Free' })).toBeVisible()
  await expect(page.getByText('Sandbox: no money is moved')).toBeVisible()
  const limitOfSources = page.getByText(`of ${freeSources}`)
  await expect(limitOfSources).toBeVisible()

  await page.getByLabel('Company').fill('Paying Inc')
  await page.getByLabel('Billing email').fill('billing@paying.example')
  await page.getByLabel('Address line 1').fill('1 Main Street')
  await page.getByLabel('City').fill('Springfield')
  await page.getByLabel('Postal code').fill('12345')
  await page.getByLabel('Country').fill('US')
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('Billing details saved')).toBeVisible()

  await page.getByRole('button', { name: 'Change plan' }).click()
  const team = page.getByRole('region', { name: 'Team' })
  await team.getByRole('button', { name: 'Buy plan' }).click()
  await expect(page.getByText('Please setup a payment method first')).toBeVisible()
  await page.getByLabel('Card number').fill('4242424242424242')
  await page.getByLabel('Expiry').fill('12/90')
  await page.getByLabel('CVC').fill('123')
  await page.getByRole('dialog').getByRole('button', { name: 'Add Payment method' }).click()
  await team.getByRole('button', { name: 'Buy plan' }).click()
  await expect(page.getByText('Your plan has been successully upgraded to Team')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Current plan: Team' })).toBeVisible()
  await expect(page.getByText('Visa ending in 4242')).toBeVisible()
  await expect(limitOfSources).toHaveCount(0)

  const address = await page.getByRole('link', { name: /^SANDBOX-/ }).getAttribute('href')
  const stranger = await chromium.newContext()
  const invoice = await stranger.newPage()
  await invoice.goto(`${product.url}${address}`)
  await expect(invoice.getByRole('heading', { name: /^Invoice SANDBOX-/ })).toBeVisible()
  await expect(invoice.getByText('Paying Inc')).toBeVisible()
  await expect(invoice.getByText('$120.00')).toHaveCount(2)
  await stranger.close()

  await page.getByRole('button', { name: 'Cancel subscription' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel subscription' }).click()
  await expect(page.getByText(/^Changes to Free on /)).toBeVisible()
  await page.getByRole('button', { name: 'Keep Team' }).click()
  await expect(page.getByText(/^Renews on /)).toBeVisible()
})

test('BIL-21, ERR-24, OPEN-56: a free plan at its limit shows this, is upgraded with a test card, and then allows another source', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Growing')
  const time = new Date()
  await database.db
    .insertInto('sources')
    .values(
      Array.from({ length: freeSources }, (_, index) => ({
        id: newId(),
        workspace_id: workspace.replace('workspaces/', ''),
        title: `Shop ${index}`,
        app: 'http',
        create_time: time,
        update_time: time,
      })),
    )
    .execute()
  await signIn(page, await addPerson(database, 'Greta', { organization, role: 'ORG_ADMIN' }))
  await page.goto(`/${workspace}/catalog-sources`)
  await page.getByRole('link', { name: /^HTTP API/ }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('One more')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(
    page.getByText(
      "You've reached the maximum number of resources allowed on your current plan. Upgrade to a larger plan.",
    ),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Show plans' }).click()
  const team = page.getByRole('region', { name: 'Team' })
  await team.getByRole('button', { name: 'Buy plan' }).click()
  await page.getByLabel('Card number').fill('4242424242424242')
  await page.getByLabel('Expiry').fill('12/90')
  await page.getByLabel('CVC').fill('123')
  await page.getByRole('dialog').getByRole('button', { name: 'Add Payment method' }).click()
  await team.getByRole('button', { name: 'Buy plan' }).click()
  await expect(page.getByText('Your plan has been successully upgraded to Team')).toBeVisible()
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('heading', { name: 'One more', level: 1 })).toBeVisible()
})

/** Replaces Stripe.js, which a test cannot load: a form in a frame with Stripe's address, and a dialog of the bank. */
const stripeJs = `window.Stripe = (key) => ({
  elements: ({ clientSecret }) => ({
    create: () => {
      const hearers = {}
      const frame = document.createElement('iframe')
      return {
        on: (event, hear) => { hearers[event] = hear },
        mount: (place) => {
          frame.src = 'https://js.stripe.com/form.html'
          frame.title = 'Secure card form ' + key
          frame.onload = () => hearers.ready()
          place.append(frame)
        },
        destroy: () => frame.remove(),
        secret: clientSecret,
      }
    },
    secret: clientSecret,
  }),
  confirmSetup: async ({ elements }) => { await window.atStripe('setup', elements.secret); return {} },
  confirmCardPayment: async (secret) => { await window.atStripe('payment', secret); return {} },
})`

test("BIL-29, BIL-31, BIL-35: with Stripe, a card is entered in Stripe's own form, and a first payment is confirmed with the bank", async ({
  chromium,
}) => {
  // The test has its own product, because the payment provider is a setting.
  test.setTimeout(420_000)
  await using stripe = await startStripePeer({ now: Math.floor(Date.now() / 1000) })
  await using product = await startProduct({
    env: {
      TRIBUTARY_PAYMENT: 'stripe',
      TRIBUTARY_STRIPE_SECRET_KEY: stripePeerKeys.secretKey,
      TRIBUTARY_STRIPE_PUBLISHABLE_KEY: stripePeerKeys.publishableKey,
      TRIBUTARY_STRIPE_API_URL: stripe.url,
    },
    deadlineMs: 240_000,
  })
  await product.api.login(adminCredentials)
  await using context = await chromium.newContext({ baseURL: product.url, reducedMotion: 'reduce' })
  const page = await context.newPage()
  // The content security policy allows no other addresses. The browser reports refused requests in the console.
  const refused: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) refused.push(message.text())
  })
  await page.route('https://js.stripe.com/**', (route) =>
    route.request().url().endsWith('.js')
      ? route.fulfill({ contentType: 'text/javascript', body: stripeJs })
      : route.fulfill({ contentType: 'text/html', body: '<label>Card <input></label>' }),
  )
  const confirmed: string[] = []
  await page.exposeFunction('atStripe', (what: 'setup' | 'payment', secret: string) => {
    confirmed.push(what)
    if (what === 'setup') stripe.confirmSetup(secret, { confirms: true })
    else stripe.state.confirmPayment(secret)
  })
  await signIn(page, adminCredentials)
  const { workspace } = await createWorkspace(product.api, 'Charged')
  await page.goto(`/${workspace}/settings/organization/billing`)
  await expect(page.getByText('Sandbox: no money is moved')).toHaveCount(0)
  await page.getByRole('button', { name: 'Change plan' }).click()
  const team = page.getByRole('region', { name: 'Team' })
  await team.getByRole('button', { name: 'Buy plan' }).click()
  await page.frameLocator('iframe[title^="Secure card form pk_"]').getByLabel('Card').fill('4000 0027 6000 3184')
  await page.getByRole('dialog').getByRole('button', { name: 'Add Payment method' }).click()
  await expect(page.getByText('Payment method added')).toBeVisible()
  await team.getByRole('button', { name: 'Buy plan' }).click()
  await expect(page.getByText('Your plan has been successully upgraded to Team')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Current plan: Team' })).toBeVisible()
  await expect(page.getByText('Visa ending in 4242')).toBeVisible()
  expect(confirmed).toEqual(['setup', 'payment'])
  expect([...stripe.state.subscriptions.values()].map(({ status }) => status)).toEqual(['active'])
  expect(refused).toEqual([])
  // No card number was sent to the server.
  expect(stripe.calls.some(({ body }) => body.includes('4000'))).toBe(false)
})
