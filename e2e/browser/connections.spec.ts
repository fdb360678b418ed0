import { createSource, createWebhook, createWorkspace } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'
import { sendTracks, untilAttempted } from './tracking.ts'

test('the connections of a workspace are created, toggled, searched, and deleted on one map', async ({
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
  const lines = page.getByRole('list', { name: 'Connections' }).getByRole('listitem')
  await expect(lines).toHaveCount(1)
  await expect(page.getByRole('list', { name: 'Sources' }).getByRole('link')).toHaveText(['Shop', 'App'])
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await expect(dialog.getByText('Choose a source')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await page.getByRole('button', { name: 'Connect App to a destination' }).click()
  await expect(dialog.getByRole('combobox', { name: 'Source' })).toHaveText(/App/)
  await dialog.getByRole('combobox', { name: 'Destination' }).click()
  await page.keyboard.type('hoo')
  await page.getByRole('option', { name: 'Hook' }).click()
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText('Destination Connected')).toBeVisible()
  await expect(lines).toHaveCount(2)

  const isOn = async () => {
    const { connections } = (await product.api.ok('GET', `/${workspace}/connections`)) as {
      connections: { enabled: boolean; extra: { source: { title: string } } }[]
    }
    return Object.fromEntries(connections.map(({ enabled, extra }) => [extra.source.title, enabled]))
  }
  const panel = page.getByRole('dialog', { name: 'Connection' })
  const opener = page.getByRole('button', { name: /^Connection from App to Hook/ })
  await opener.focus()
  await page.keyboard.press('Enter')
  await panel.getByRole('switch', { name: 'Connection from App to Hook' }).click()
  await expect.poll(isOn).toEqual({ App: false, Shop: true })
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(opener).toBeFocused()
  await expect(opener).toHaveText('Off')

  await page.getByRole('searchbox', { name: 'Search connections' }).fill('sho')
  await expect(lines).toHaveCount(1)
  await lines.getByRole('button').click()
  await panel.getByRole('button', { name: 'Disconnect' }).click()
  // The panel is hidden while the question is shown.
  await expect(panel).toBeHidden()
  await page.getByRole('dialog', { name: 'Disconnect' }).getByRole('button', { name: 'Disconnect' }).click()
  await expect.poll(isOn).toEqual({ App: false })
  await expect(panel).toHaveCount(0)
  await expect(lines).toHaveCount(0)
  await page.getByRole('searchbox', { name: 'Search connections' }).fill('nothing')
  await expect(page.getByText('No sources or destinations match.')).toBeVisible()
})

test("a filter on a connection is built from conditions, and the connection's line shows its event counts", async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Sieved')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const hook = await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Hook')
  expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId: 'counted-1' }])).toBe(200)
  await untilAttempted(product.api, hook)
  expect(receiver.messageIds().get('counted-1')).toBe(1)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/${workspace}/connections`)
  const line = page.getByRole('button', { name: /^Connection from Shop to Hook: 1 delivered and 0 failed/ })
  await line.click()
  const panel = page.getByRole('dialog', { name: 'Connection' })
  await expect(panel.getByText('No conditions. Every event is sent.')).toBeVisible()
  await panel.getByRole('button', { name: 'Add condition' }).click()
  await panel.getByRole('button', { name: 'Save filter' }).click()
  await expect(panel.getByText('Choose a field')).toBeVisible()
  const field = panel.getByRole('combobox', { name: 'Field of condition 1' })
  await field.fill('event')
  await field.press('Tab')
  await panel.getByRole('textbox', { name: 'Value of condition 1' }).fill('Order Completed')
  await panel.getByRole('button', { name: 'Save filter' }).click()
  await expect(page.getByText('Connection Updated')).toBeVisible()
  const { connections } = (await product.api.ok('GET', `/${workspace}/connections`)) as {
    connections: { filter: { conditions: { field: string; operator: string; value: string }[] } }[]
  }
  expect(connections[0]?.filter.conditions).toMatchObject([
    { field: 'event', operator: 'equals', value: 'Order Completed' },
  ])
  await page.keyboard.press('Escape')
  await expect(line).toContainText('filtered')
})
