import { createSource, createWebhook, createWorkspace } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'

test('the connections of a workspace are made, switched, searched and taken apart in one place', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Connected')
  await page.goto(`/${workspace}/connections`)
  await expect(page.getByText('Nothing is connected yet')).toBeVisible()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Connect' })
  await expect(dialog.getByText('This workspace has no source to connect yet.')).toBeVisible()
  await page.keyboard.press('Escape')

  const shop = await createSource(product.api, workspace, 'Shop')
  await createSource(product.api, workspace, 'App')
  await createWebhook(product.api, workspace, shop.source, { url: receiver.url }, 'Hook')
  await page.reload()
  const list = page.getByRole('list', { name: 'Connections' })
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await expect(list.getByRole('link')).toHaveText(['Shop', 'Hook'])
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await expect(dialog.getByText('Choose a source')).toBeVisible()
  await dialog.getByRole('combobox', { name: 'Source' }).selectOption('App')
  await dialog.getByRole('combobox', { name: 'Destination' }).selectOption('Hook')
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText('Destination Connected')).toBeVisible()
  await expect(list.getByRole('listitem')).toHaveCount(2)

  const isOn = async () => {
    const { connections } = (await product.api.ok('GET', `/${workspace}/connections`)) as {
      connections: { enabled: boolean; extra: { source: { title: string } } }[]
    }
    return Object.fromEntries(connections.map(({ enabled, extra }) => [extra.source.title, enabled]))
  }
  await page.getByRole('switch', { name: 'Connection of App with Hook' }).click()
  await expect.poll(isOn).toEqual({ App: false, Shop: true })

  await page.getByRole('searchbox', { name: 'Search connections' }).fill('sho')
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await list.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
  await expect(page.getByText('No source or destination is called like this.')).toBeVisible()
  expect(await isOn()).toEqual({ App: false })
})
