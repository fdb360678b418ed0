import type { Page, Route } from '@playwright/test'
import { createSource, createWorkspace } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'

/** Answers a call of the page in the server's place. */
const refuse =
  (code: number, reason: string, message: string, metadata: Record<string, string> = {}) =>
  (route: Route): Promise<void> =>
    route.fulfill({ status: code, json: { code, reason, message, metadata } })

/** What happens to calls of one verb to an address that ends so; other calls go on to the server. */
const intercept = (page: Page, verb: string, end: string, act: (route: Route) => Promise<void>): Promise<void> =>
  page
    .route(
      (url) => url.pathname.startsWith('/api/') && url.pathname.endsWith(end),
      (route) => (route.request().method() === verb ? act(route) : route.fallback()),
    )
    .then(() => undefined)

test('a list that cannot be loaded says why in its place, and Retry loads it', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Faulty list')
  await createSource(product.api, workspace, 'Shop')
  await intercept(page, 'GET', '/sources', refuse(503, 'UNAVAILABLE', 'The database is starting'))
  await page.goto(`/${workspace}/sources`)
  await expect(page.getByRole('heading', { name: 'Failed to load the sources' })).toBeVisible()
  await expect(page.getByRole('alert').getByText('The database is starting')).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Workspace' })).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('link', { name: 'Shop' })).toBeVisible()
})

test('a server that cannot be reached is told in words, and Retry goes on once it is back', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Cable cut')
  await intercept(page, 'GET', '/destinations', (route) => route.abort())
  await page.goto(`/${workspace}/destinations`)
  await expect(page.getByText('The server could not be reached. Check your connection and try again.')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('Add your first destination')).toBeVisible()
})

test('a switch that the server does not take falls back, and the fault is told', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Falling back')
  const { source, sourceId } = await createSource(product.api, workspace, 'Shop')
  await intercept(page, 'PATCH', `/sources/${sourceId}`, refuse(500, 'INTERNAL', 'This was our fault'))
  await page.goto(`/${source}#settings`)
  const toggle = page.getByRole('switch', { name: 'Receive events' })
  await toggle.click()
  await expect(page.getByText('This was our fault')).toBeVisible()
  await expect(toggle).toBeChecked()
  await expect(toggle).toBeEnabled()
})

test('a form that is refused stays filled in, shows the message at its field, and can be sent again', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Refused form')
  await intercept(page, 'POST', '/sources', refuse(400, 'VALIDATION', 'title: taken', { title: 'taken already' }))
  await page.goto(`/${workspace}/catalog-sources/http/new`)
  const title = page.getByRole('textbox', { name: 'Title' })
  await title.fill('Till system')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(title).toHaveAccessibleDescription(/Taken already/)
  await expect(title).toHaveValue('Till system')
  await page.unrouteAll()
  await intercept(page, 'POST', '/sources', refuse(402, 'UPGRADE_REQUIRED', 'upgrade required'))
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('alert')).toContainText("You've reached the maximum number of resources")
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('heading', { name: 'Till system', level: 1 })).toBeVisible()
})

test('a deletion that is refused says so in its dialog and deletes nothing', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Refused deletion')
  const { source, sourceId } = await createSource(product.api, workspace, 'Shop')
  await intercept(page, 'DELETE', `/sources/${sourceId}`, refuse(409, 'IN_USE', 'A sync still runs'))
  await page.goto(`/${source}#settings`)
  await page.getByRole('button', { name: 'Delete source' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete source' })
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(dialog.getByRole('alert')).toHaveText('A sync still runs')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Sources' }).click()
  await expect(page.getByRole('link', { name: 'Shop' })).toBeVisible()
})
