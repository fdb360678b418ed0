import type { Locator, Page } from '@playwright/test'
import type { Relational } from '@tributary/storage'
import { createWorkspace, type Product } from '@tributary/test-kit'
import { addPerson, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'

const labels = ['Current Plan', 'Buy plan', 'Downgrade', 'Contact Sales']

/** Opens the plans on the billing page of an organization with the free plan. */
const openPlans = async (page: Page, product: Product, database: Relational, title: string) => {
  const { workspace, organization } = await createWorkspace(product.api, title)
  await signIn(page, await addPerson(database, 'Petra', { organization, role: 'ORG_ADMIN' }))
  await page.goto(`/${workspace}/settings/organization/billing`)
  await expect(page.getByRole('heading', { name: 'Current plan: Free' })).toBeVisible()
  const show = () => page.getByRole('button', { name: 'Change plan' }).click()
  const dialog = page.getByRole('dialog', { name: 'Pricing plans for teams of all sizes' })
  return { organization, show, dialog, plan: (name: string) => dialog.getByRole('region', { name, exact: true }) }
}

/** Returns the list of methods and paths of the changes that the page requests from now on. */
const changesOf = (page: Page): string[] => {
  const changes: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') changes.push(`${request.method()} ${new URL(request.url()).pathname}`)
  })
  return changes
}

const fail = async (page: Page, path: string, verb: string): Promise<void> => {
  await page.route(`**/api${path}`, (route) =>
    route.request().method() === verb
      ? route.fulfill({ status: 400, json: { code: 400, reason: 'NO', message: 'No', metadata: {} } })
      : route.fallback(),
  )
}

const addCard = async (page: Page, number: string): Promise<void> => {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry').fill('12/90')
  await page.getByLabel('CVC').fill('123')
  await page.getByRole('dialog').getByRole('button', { name: 'Add Payment method', exact: true }).click()
}

const choose = (plan: Locator): Promise<void> => plan.getByRole('button').first().click()

test('BIL-01, BIL-02, BIL-03, BIL-04, BIL-06: the pricing modal has its title, a card with one button for each plan, and the frequency monthly', async ({
  page,
  product,
  database,
}) => {
  const answer = page.waitForResponse('**/api/plans')
  const { show, dialog } = await openPlans(page, product, database, 'Looking')
  await show()
  await expect(dialog.getByText('Pricing plans for teams of all sizes', { exact: true })).toBeVisible()
  const { plans } = (await (await answer).json()) as { plans: { title: string }[] }
  const titles = [...new Set(plans.map(({ title }) => title))]
  expect(titles.length).toBeGreaterThan(2)
  await expect(dialog.getByRole('heading', { level: 3 })).toHaveText(titles)
  for (const title of titles) {
    const button = dialog.getByRole('region', { name: title, exact: true }).getByRole('button')
    await expect(button).toHaveCount(1)
    expect(labels).toContain(await button.textContent())
  }
  await expect(dialog.getByRole('group', { name: 'Billing frequency' }).locator('label')).toHaveText([
    'Monthly',
    'Annually',
  ])
  await expect(dialog.getByRole('radio', { name: 'Monthly' })).toBeChecked()
})

test("BIL-07, BIL-10, BIL-13, BIL-18, BIL-19: a card lists its plan's features; the cards of the current plan and of plans without an amount do nothing", async ({
  page,
  product,
  database,
}) => {
  await page.route('**/api/plans', async (route) => {
    const response = await route.fetch()
    const { plans } = (await response.json()) as { plans: { name: string; title: string }[] }
    const more = plans.map((plan) => (plan.name === 'plans/team' ? { ...plan, extra_profiles_amount: '100.00' } : plan))
    const special = {
      ...plans.find(({ name }) => name === 'plans/enterprise'),
      name: 'plans/special',
      title: 'Special',
    }
    await route.fulfill({ response, json: { plans: [...more, special] } })
  })
  const { show, dialog, plan } = await openPlans(page, product, database, 'Comparing')
  await show()
  await expect(plan('Free').getByRole('button')).toHaveText('Current Plan')
  const lines = plan('Team').getByRole('listitem')
  for (const line of ['profiles', 'events', 'sources', 'destinations', 'audiences', 'White-glove onboarding'])
    await expect(lines.filter({ hasText: line })).toHaveCount(1)
  await expect(lines.filter({ hasText: 'Customer success manager' })).toHaveCount(1)
  await plan('Team').getByRole('img', { name: 'About additional profiles' }).hover()
  await expect(page.getByText('Additional profiles cost +$100 per extra 10,000 profiles').first()).toBeVisible()
  const changes = changesOf(page)
  await choose(plan('Free'))
  await choose(plan('Special'))
  await expect(dialog).toBeVisible()
  expect(changes).toEqual([])
})

test('BIL-05, BIL-17, BIL-23, BIL-25, BIL-34: Enterprise leads to sales; a yearly plan is bought with the listed card', async ({
  page,
  product,
  database,
}) => {
  const { organization, show, dialog, plan } = await openPlans(page, product, database, 'Buying')
  await show()
  const changes = changesOf(page)
  await page.context().route('https://tributary.example/**', (route) => route.fulfill({ body: 'Sales' }))
  const opened = page.waitForEvent('popup')
  await choose(plan('Enterprise'))
  const sales = await opened
  await sales.waitForURL('https://tributary.example/sales')
  await sales.close()
  expect(changes).toEqual([])
  await choose(plan('Team'))
  await addCard(page, '4242424242424242')
  await expect(page.getByText('Payment method added')).toBeVisible()
  await dialog.getByText('Annually').click()
  const listed = page.waitForResponse(`**/api/${organization}/paymentMethods`)
  const changed = page.waitForRequest((request) => request.method() === 'PATCH')
  await choose(plan('Team'))
  expect(((await (await listed).json()) as { payment_methods: unknown[] }).payment_methods).toHaveLength(1)
  expect((await changed).postDataJSON()).toEqual({ plan: 'plans/team', recurring_interval: 'ANNUALLY' })
  await expect(page.getByText('Your plan has been successully upgraded to Team', { exact: true })).toBeVisible()
  await expect(dialog).toHaveCount(0)
})

test('a declined card shows a message and stays; choosing a free plan is a downgrade [BIL-24, BIL-30, BIL-33]', async ({
  page,
  product,
  database,
}) => {
  const { show, plan } = await openPlans(page, product, database, 'Returning')
  await show()
  await choose(plan('Team'))
  await addCard(page, '4000000000000002')
  await expect(
    page.getByText('An error has occured while adding your payment method, please try again', { exact: true }),
  ).toBeVisible()
  await addCard(page, '4242424242424242')
  await expect(page.getByText('Payment method added')).toBeVisible()
  await choose(plan('Team'))
  await expect(page.getByRole('heading', { name: 'Current plan: Team' })).toBeVisible()
  await show()
  await choose(plan('Free'))
  await expect(page.getByText('Your plan has been successully downgraded to Free', { exact: true })).toBeVisible()
})

test("without a pricing page, Upgrade opens the product's own plans, and shows a message if they could not be loaded (BIL-27, BIL-36)", async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Own plans')
  await page.route('**/api/config', async (route) => {
    const response = await route.fetch()
    const config = (await response.json()) as { links: object }
    await route.fulfill({ response, json: { ...config, links: { ...config.links, pricing: '' } } })
  })
  await signIn(page, await addPerson(database, 'Pia', { organization, role: 'ORG_ADMIN' }))
  await fail(page, '/plans', 'GET')
  await page.goto(`/${workspace}`)
  await page.getByRole('button', { name: 'Upgrade', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Pricing plans for teams of all sizes' })
  await expect(dialog.getByText('Failed to load the plan', { exact: true })).toBeVisible()
  await page.unroute('**/api/plans')
  await dialog.getByRole('button', { name: 'Retry' }).click()
  await expect(dialog.getByRole('region', { name: 'Free', exact: true }).getByRole('button')).toHaveText('Current Plan')
})

test('a failure to load or change something shows its own message [BIL-26, BIL-28, BIL-32]', async ({
  page,
  product,
  database,
}) => {
  const { organization, show, plan } = await openPlans(page, product, database, 'Failing')
  await fail(page, `/${organization}`, 'GET')
  await page.reload()
  await show()
  await expect(page.getByText('Failed to load the organization subscription', { exact: true })).toBeVisible()
  await page.unroute(`**/api/${organization}`)
  await page.reload()
  await show()
  await fail(page, `/${organization}:billingSetupIntent`, 'POST')
  await choose(plan('Team'))
  await expect(page.getByText('Failed to initiate the payment method form', { exact: true })).toBeVisible()
  await page.unroute(`**/api/${organization}:billingSetupIntent`)
  await page.reload()
  await show()
  await choose(plan('Team'))
  await addCard(page, '4242424242424242')
  await expect(page.getByText('Payment method added')).toBeVisible()
  await fail(page, `/${organization}/subscription`, 'PATCH')
  await choose(plan('Team'))
  await expect(page.getByText("Couldn't upgrade your plan to Team, please try again", { exact: true })).toBeVisible()
})
