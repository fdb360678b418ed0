import { createSource, createWorkspace } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'
import { sendTracks } from './tracking.ts'

test('a blocked event is marked in the live table, before and after a reload, and in its dialog', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Blocked')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const schema = JSON.stringify({ events: { Bought: { properties: { total: { type: 'number' } } } } })
  await product.api.ok('PATCH', `/${source}`, { schema, enforcement: 'block' })
  await page.goto(`/${source}`)
  await expect(page.getByRole('button', { name: 'Connection: Live' })).toBeVisible()
  const tracks = [
    { event: 'Bought', messageId: 'fits', properties: { total: 1 } },
    { event: 'Unheard of', messageId: 'blocked' },
  ]
  expect(await sendTracks(product.url, key, tracks)).toBe(200)
  const blocked = page.getByRole('row', { name: /Unheard of/ })
  await expect(blocked).toContainText('Blocked')
  await expect(page.getByRole('row', { name: /Bought/ })).not.toContainText('Blocked')
  await expect(async () => {
    await page.reload()
    await expect(blocked).toContainText('Blocked', { timeout: 10_000 })
  }).toPass()
  await blocked.click()
  await page.getByRole('dialog').getByRole('tab', { name: 'Deliveries' }).click()
  await expect(page.getByRole('dialog')).toContainText('Blocked events are stored but not delivered.')
})
