import { createSource, createWorkspace, eventually } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'

test('a computed trait is previewed, created, shown on the profile as computed, and changes with the next event', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Computed')
  const { key } = await createSource(product.api, workspace, 'Shop')
  const order = async (total: number): Promise<void> => {
    const response = await fetch(`${product.url}/v1/track`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ userId: 'user-ada', event: 'Order Completed', properties: { total } }),
    })
    expect(response.status).toBe(200)
  }
  await order(20)
  await order(22.5)
  await eventually(
    'the events are stored',
    async () => ((await product.api.ok('GET', `/${workspace}/events`)).events as unknown[]).length === 2,
  )
  await page.goto(`/${workspace}/profiles`)
  await page.getByRole('link', { name: 'Computed traits' }).click()
  await expect(page.getByText('Create your first computed trait')).toBeVisible()
  await page.getByRole('link', { name: 'New computed trait' }).click()
  const form = page.getByRole('form', { name: 'New computed trait' })
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(form.getByText('Required')).toHaveCount(2)
  await form.getByLabel('Name of the trait').fill('revenue')
  await form.getByRole('combobox', { name: 'Event' }).click()
  await page.getByRole('option', { name: 'Order Completed' }).click()
  await form.getByLabel('Operation').selectOption('sum')
  await form.getByRole('combobox', { name: 'Property' }).click()
  await page.getByRole('option', { name: 'total' }).click()
  await expect(page.getByRole('list', { name: 'Values' }).getByRole('listitem')).toHaveText(['user-ada42.5'])
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText('1 profile has a value')).toBeVisible({ timeout: 60_000 })
  await expect(page.getByText('Sum of total in Order Completed, the last 30 days')).toBeVisible()
  await page.goto(`/${workspace}/profiles?search=42.5`)
  await page.getByRole('table', { name: 'Profiles' }).getByRole('link', { name: 'user-ada' }).click()
  const trait = page.getByRole('table', { name: 'Traits' }).getByRole('row').nth(1)
  await expect(trait).toContainText('revenue42.5Computed')
  await order(7.5)
  await expect(trait).toContainText('revenue50Computed', { timeout: 60_000 })
  await trait.getByRole('link', { name: 'Computed' }).click()
  await page.getByRole('button', { name: 'Delete computed trait' }).click()
  const question = page.getByRole('dialog', { name: 'Delete computed trait' })
  await question.getByRole('button', { name: 'Delete computed trait' }).click()
  await expect(page.getByText('Create your first computed trait')).toBeVisible()
})
