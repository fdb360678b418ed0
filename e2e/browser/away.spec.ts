import { adminCredentials, createSource, createWorkspace } from '@tributary/test-kit'
import { openGate } from './gate.ts'
import { fillSignIn } from './people.ts'
import { expect, test } from './product-fixture.ts'
import { chooseSchema } from './schema-picker.ts'
import { sendTracks } from './tracking.ts'

test('while the server is unavailable, the frame stays with a message, nothing is saved twice, and everything resumes automatically', async ({
  page,
  product,
}) => {
  await using gate = await openGate(product.url)
  const { workspace } = await createWorkspace(product.api, 'Server away')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const banner = page.getByRole('status').filter({ hasText: "The server can't be reached." })
  const links = page.getByRole('navigation', { name: 'Workspace' })
  await page.goto(`${gate.url}/auth/login`)
  await fillSignIn(page, adminCredentials)
  await expect.poll(() => new URL(page.url()).pathname).not.toBe('/auth/login')
  await page.goto(`${gate.url}/${workspace}`)
  await expect(page.getByRole('heading', { name: 'Home', level: 1 })).toBeVisible()

  // Case: a page whose code is not loaded yet.
  await gate.shut()
  await links.getByRole('link', { name: 'Sources' }).click()
  await expect(page.getByRole('heading', { name: 'Could not load this page' })).toBeVisible()
  await expect(banner).toBeVisible()
  await page.getByRole('button', { name: 'Retry', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Could not load this page' })).toBeVisible()
  await expect(links).toBeVisible()
  await gate.open()
  await expect(page.getByRole('link', { name: 'Shop' })).toBeVisible()
  await expect(banner).toHaveCount(0)

  // Case: data that is being saved.
  await page.goto(`${gate.url}/${workspace}/catalog-sources/http/new`)
  await page.getByRole('textbox', { name: 'Title' }).fill('Till')
  await chooseSchema(page)
  await gate.shut()
  const create = page.getByRole('button', { name: 'Create' })
  await create.click()
  await expect(page.getByText('Could not reach the server, so nothing was saved.')).toBeVisible()
  await expect(banner).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Till')
  await gate.open()
  await expect(banner).toHaveCount(0)
  await create.click()
  await expect(page.getByRole('heading', { name: 'Till', level: 1 })).toBeVisible()
  const { sources } = (await product.api.ok('GET', `/${workspace}/sources`)) as { sources: { title: string }[] }
  expect(sources.map(({ title }) => title).toSorted()).toEqual(['Shop', 'Till'])

  // Case: live data, for which no request is made.
  await page.goto(`${gate.url}/${source}`)
  await expect(page.getByRole('button', { name: 'Connection: Live' })).toBeVisible()
  await gate.shut()
  await expect(banner).toBeVisible()
  await expect(page.getByRole('button', { name: 'Connection: Live' })).toHaveCount(0)
  expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId: 'away-1' }])).toBe(200)
  await gate.open()
  await expect(page.getByRole('button', { name: 'Connection: Live' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Live events' })).toContainText('Order Completed')
  await expect(banner).toHaveCount(0)
})
