import { createSource, createWebhook, createWorkspace, startWebhookReceiver } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'
import { sendTracks } from './tracking.ts'

test('what is held opens from its card, shows both sides of the last attempt, and is delivered by one retry of all', async ({
  signedIn: page,
  product,
}) => {
  await using peer = await startWebhookReceiver()
  peer.behave({ status: 404, body: 'no such hook' })
  const { workspace } = await createWorkspace(product.api, 'Held')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: peer.url }, 'Mended later')
  expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId: 'held-1' }])).toBe(200)
  await page.goto(`/${destination}`)
  await page.getByRole('button', { name: /^Dead letters/ }).click()
  const list = page.getByRole('dialog', { name: 'Dead letters' })
  const row = list.getByRole('row', { name: /Shop/ })
  await expect(row).toContainText('404')
  await row.focus()
  await page.keyboard.press('Enter')
  await expect(list.getByLabel('Request', { exact: true })).toContainText('Order Completed')
  await expect(list.getByLabel('Response', { exact: true })).toContainText('no such hook')
  await list.getByRole('button', { name: 'Back' }).click()
  await expect(row).toBeFocused()
  peer.behave({ status: 200 })
  await list.getByRole('button', { name: 'Retry all now' }).click()
  await expect(list.getByText('No dead letters are left.')).toBeVisible()
  await expect.poll(() => peer.messageIds().get('held-1')).toBe(1)
})

test('a paused destination holds its events, says so, and offers no retry until it is resumed', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Paused')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Partner feed')
  await product.api.ok('PATCH', `/${destination}?update_mask=enabled`, { enabled: false })
  expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId: 'paused-1' }])).toBe(200)
  await page.goto(`/${destination}`)
  await expect(page.getByText(/This destination is paused/)).toBeVisible()
  await page.getByRole('button', { name: /^Waiting/ }).click()
  const list = page.getByRole('dialog', { name: 'Waiting' })
  await expect(list.getByRole('row', { name: /Shop/ })).toContainText('Not tried yet')
  await expect(page.getByRole('button', { name: /^Retry/ })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByRole('switch', { name: 'Deliver events' }).click()
  await page.getByRole('tab', { name: 'Deliveries' }).click()
  await expect(page.getByRole('table', { name: 'Deliveries' })).toContainText('Delivered')
  expect(receiver.messageIds().get('paused-1')).toBe(1)
})

test('a repeated message id is counted among what was left out, and a rejected event says what to mend', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Left out')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${source}#refused`)
  const leftOut = page.getByRole('region', { name: 'Left out' })
  await expect(leftOut.getByText(/Nothing was left out/)).toBeVisible()
  for (const _ of [1, 2])
    expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId: 'twice' }])).toBe(200)
  await expect(leftOut.getByRole('row', { name: /Repeated message id/ })).toContainText('1', { timeout: 30_000 })
  const sent = await fetch(`${product.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ batch: [{ type: 'track', userId: 'u', messageId: 'nameless' }] }),
  })
  expect(sent.status).toBe(200)
  await page.getByRole('tab', { name: 'Live events' }).click()
  await page.getByRole('row', { name: /Rejected/ }).click()
  await expect(
    page.getByRole('dialog').getByText('A track event needs the name of what happened in event.'),
  ).toBeVisible()
})

test('the help menu opens the documentation of the API in a new tab', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Help')
  await page.goto(`/${workspace}`)
  await page.getByRole('button', { name: 'Help' }).click()
  const opened = page.waitForEvent('popup')
  await page.getByRole('menuitem', { name: /API documentation/ }).click()
  await expect((await opened).getByRole('heading', { name: /Tributary/ }).first()).toBeVisible()
})
