import { advertiser, createTikTokAudiences, token } from '@tributary/connectors/testing/tiktok-audiences'
import { adminCredentials, createWorkspace, startProduct, startVendorPeers } from '@tributary/test-kit'
import { signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'

test('an editor chooses the list of a destination by its name, sees its size, and creates another list', async ({
  chromium,
}) => {
  const tiktok = createTikTokAudiences()
  await using peers = await startVendorPeers({ 'business-api.tiktok.com': tiktok.answer })
  await using product = await startProduct({ command: peers.command })
  const { api } = product
  await api.login(adminCredentials)
  const { workspace } = await createWorkspace(api, 'Lists')
  const given = {
    title: 'Ads at TikTok',
    app: { name: 'catalogDestinations/tiktok-audiences' },
    settings: { access_token: token, advertiser_id: advertiser },
  }
  const { name } = await api.ok('POST', `/${workspace}/destinations`, given)
  await using context = await chromium.newContext({ baseURL: product.url })
  const page = await context.newPage()
  await signIn(page, adminCredentials)
  await page.goto(`/${String(name)}#settings`)
  await page.getByRole('button', { name: 'Choose', exact: true }).click()
  await page.getByRole('combobox', { name: 'Choose a TikTok audience' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill('vip')
  await page.getByRole('option', { name: /VIPs/ }).click()
  await expect(page.getByText('Matched people')).toBeVisible()
  await page.getByRole('button', { name: 'Create TikTok audience' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a TikTok audience' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Customers')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('definition').filter({ hasText: 'Customers' })).toBeVisible()
})
