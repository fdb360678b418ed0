import { newId } from '@tributary/kernel'
import { createWorkspace } from '@tributary/test-kit'
import { addPerson, signIn } from './people.ts'
import { expect, freeSources, test } from './product-fixture.ts'

test('BIL-20, BIL-22, BIL-35, BIL-43: a test card buys a plan, whose invoice opens without signing in, and which is canceled and resumed', async ({
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

test('BIL-21, ERR-24, OPEN-56: a free plan that has no more says so, is upgraded with a test card, and then creates', async ({
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
