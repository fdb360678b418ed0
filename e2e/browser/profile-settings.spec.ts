import { createSource, createWorkspace, eventually } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'

test('linking by email address is enabled, and the next event with an address merges the profiles that have it', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Identity')
  const { key } = await createSource(product.api, workspace, 'Shop')
  const send = async (anonymousId: string): Promise<void> => {
    const response = await fetch(`${product.url}/v1/identify`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ anonymousId, traits: { email: 'ada@example.com' } }),
    })
    expect(response.status).toBe(200)
  }
  const profiles = async (): Promise<number> =>
    ((await product.api.ok('GET', `/${workspace}/profiles`)).profiles as unknown[]).length
  await send('phone')
  await send('laptop')
  await eventually('both profiles', async () => (await profiles()) === 2)
  await page.goto(`/${workspace}/profiles`)
  await page.getByRole('main').getByRole('link', { name: 'Settings', exact: true }).click()
  const limits = page.getByRole('form', { name: 'Limits' })
  await limits.getByLabel('Anonymous IDs').fill('51')
  await limits.getByRole('button', { name: 'Save Changes' }).click()
  await expect(limits.getByText('Enter a whole number from 1 to 50')).toBeVisible()
  const linking = page.getByRole('form', { name: 'Linking' })
  await linking.getByLabel('Link profiles by email address').check()
  await linking.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('Identity settings updated')).toBeVisible()
  await page.reload()
  await expect(linking.getByLabel('Link profiles by email address')).toBeChecked()
  expect(await profiles()).toBe(2)
  await send('phone')
  await send('laptop')
  await eventually('one profile', async () => (await profiles()) === 1)
})
