import { createSource, createWorkspace, eventually } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'

test('a key of the Profile API is created, shown once, reads a profile, and is refused once it is revoked', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Keys')
  const { key: writeKey } = await createSource(product.api, workspace, 'Shop')
  await fetch(`${product.url}/v1/identify`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${writeKey}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 'ada', traits: { plan: 'team' } }),
  })
  await page.goto(`/${workspace}/profiles/settings#api`)
  await expect(page.getByText('No key yet.')).toBeVisible()
  await page.getByRole('button', { name: 'Create key' }).click()
  const form = page.getByRole('form', { name: 'Create API key' })
  await form.getByLabel('Title').fill('Recommendations')
  await form.getByLabel('Kind').selectOption('public')
  await form.getByRole('button', { name: 'Create key' }).click()
  await expect(form.getByText('Enter at least one trait')).toBeVisible()
  await form.getByLabel('Kind').selectOption('secret')
  await form.getByRole('button', { name: 'Create key' }).click()
  const made = page.getByRole('dialog', { name: 'Save your API key' })
  const key = (await made.getByText(/^profile_secret_/).innerText()).trim()
  await made.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText(key)).toHaveCount(0)
  const read = async (): Promise<[number, string]> => {
    const headers = { authorization: `Basic ${btoa(`${key}:`)}` }
    const response = await fetch(`${product.url}/profiles/v1/user_id:ada/traits`, { headers })
    return [response.status, await response.text()]
  }
  await eventually('the profile', async () => (await read())[0] === 200)
  expect(await read()).toEqual([200, '{"traits":{"plan":"team"}}'])
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog', { name: 'Revoke API key' }).getByRole('button', { name: 'Revoke key' }).click()
  await expect(page.getByText('No key yet.')).toBeVisible()
  expect((await read())[0]).toBe(401)
})
