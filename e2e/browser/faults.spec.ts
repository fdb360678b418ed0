import type { Page, Route } from '@playwright/test'
import { createSource, createWebhook, createWorkspace, startWebhookReceiver } from '@tributary/test-kit'
import { refuse } from './api-calls.ts'
import { colourOf } from './colour.ts'
import { expect, test } from './product-fixture.ts'
import { chooseSchema } from './schema-picker.ts'
import { sendTracks, untilAttempted } from './tracking.ts'

/** Handles calls of one verb to an address that ends with `end`, by calling `act`; other calls reach the server. */
const intercept = (page: Page, verb: string, end: string, act: (route: Route) => Promise<void>): Promise<void> =>
  page
    .route(
      (url) => url.pathname.startsWith('/api/') && url.pathname.endsWith(end),
      (route) => (route.request().method() === verb ? act(route) : route.fallback()),
    )
    .then(() => undefined)

test('ERR-01, ERR-02, ERR-15: a list that cannot be loaded shows the reason in its place and in a notification; Retry loads it', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Faulty list')
  await createSource(product.api, workspace, 'Shop')
  await intercept(page, 'GET', '/sources', refuse(503, 'UNAVAILABLE', 'The database is starting'))
  await page.goto(`/${workspace}/sources`)
  await expect(page.getByRole('heading', { name: 'Failed to load the sources' })).toBeVisible()
  await expect(page.getByRole('alert').getByText('The database is starting')).toBeVisible()
  const notice = page.getByRole('listitem').filter({ hasText: 'The database is starting' })
  await expect(notice.getByText('Error', { exact: true })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Workspace' })).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('link', { name: 'Shop' })).toBeVisible()
})

test('a switch that the server refuses returns to its previous state, and the error is shown [ERR-15]', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Falling back')
  const { source, sourceId } = await createSource(product.api, workspace, 'Shop')
  await intercept(page, 'PATCH', `/sources/${sourceId}`, refuse(500, 'INTERNAL', 'This was our fault'))
  await page.goto(`/${source}#settings`)
  const toggle = page.getByRole('switch', { name: 'Receive events' })
  await toggle.click()
  const notice = page.getByRole('listitem').filter({ hasText: 'This was our fault' })
  await expect(notice.getByText('Error', { exact: true })).toBeVisible()
  await expect(toggle).toBeChecked()
  await expect(toggle).toBeEnabled()
})

test('a refused action of a destination shows a message: pausing, connecting, and retrying', async ({
  signedIn: page,
  product,
}) => {
  await using peer = await startWebhookReceiver()
  peer.behave({ status: 404 })
  const { workspace } = await createWorkspace(product.api, 'Refused actions')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const till = await createSource(product.api, workspace, 'Till')
  const destination = await createWebhook(product.api, workspace, source, { url: peer.url }, 'Archive')
  expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId: 'refused-1' }])).toBe(200)
  const destinationId = destination.split('/').at(-1) ?? ''
  const refusal = refuse(403, 'FORBIDDEN', 'You are not authorized to do this')
  const notice = (title: string) => page.getByRole('listitem').filter({ hasText: title })
  await page.goto(`/${destination}#failures`)
  await intercept(page, 'POST', `/${destinationId}:retry`, refusal)
  await page.getByRole('button', { name: 'Retry all now' }).click()
  await expect(notice('Could not retry')).toContainText('You are not authorized to do this')
  await intercept(page, 'GET', '/sources', refuse(400, 'VALIDATION', 'no'))
  await page.reload()
  await page.getByRole('tab', { name: 'Connections' }).click()
  await page.getByRole('button', { name: 'Connect source' }).click()
  const list = page.getByRole('dialog', { name: 'Connect source' })
  await expect(list).toContainText('Could not load the sources')
  await expect(list.getByRole('option')).toHaveCount(0)
  await page.unrouteAll()
  await list.getByRole('button', { name: 'Try again' }).click()
  await expect(list.getByRole('option', { name: 'Till' })).toBeVisible()
  // The source was deleted meanwhile, so that the server itself refuses the call.
  await product.api.ok('DELETE', `/${till.source}`)
  await list.getByRole('option', { name: 'Till' }).click()
  await expect(notice('Could not connect')).toContainText(/source not found/i)
  await intercept(page, 'PATCH', `/destinations/${destinationId}`, refusal)
  await page.getByRole('tab', { name: 'Settings' }).click()
  const toggle = page.getByRole('switch', { name: 'Deliver events' })
  await toggle.click()
  await expect(notice('Could not pause the destination')).toContainText('You are not authorized to do this')
  await expect(toggle).toBeChecked()
})

test('the list of destinations names the failing ones, and shows no state that it could not load', async ({
  signedIn: page,
  product,
}) => {
  await using peer = await startWebhookReceiver()
  peer.behave({ status: 404 })
  const { workspace } = await createWorkspace(product.api, 'Failing in the list')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: peer.url }, 'Archive')
  expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId: 'listed-1' }])).toBe(200)
  await untilAttempted(product.api, destination)
  await page.goto(`/${destination}#failures`)
  await expect(page.getByRole('row', { name: /404/ })).toContainText('Dead letter')
  await intercept(page, 'GET', '/connections', refuse(400, 'VALIDATION', 'no'))
  await page.goto(`/${workspace}/destinations`)
  const row = page.getByRole('row', { name: /Archive/ })
  await expect(row).toContainText('Failing')
  // The number links to the counted requests in the same period.
  await row.getByRole('link', { name: '1', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/${destination}\\?state=dead&range=7days#failures$`))
  await expect(page.getByRole('row', { name: /Dead letter 404/ })).toBeVisible()
  await page.goBack()
  await intercept(page, 'GET', '/connectionActivity', refuse(400, 'VALIDATION', 'no'))
  await page.reload()
  await expect(row).toContainText('Unknown')
  await expect(page.getByRole('alert')).toContainText('Could not load the status of destinations')
  await expect(row).not.toContainText('No sources')
})

test('ERR-22, ERR-24, ERR-26: a refused form stays filled in, shows the message at its field, and can be sent again', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Refused form')
  await intercept(page, 'POST', '/sources', refuse(400, 'VALIDATION', 'title: taken', { title: 'taken already' }))
  await page.goto(`/${workspace}/catalog-sources/http/new`)
  const title = page.getByRole('textbox', { name: 'Title' })
  await title.fill('Till system')
  await chooseSchema(page)
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(title).toHaveAccessibleDescription(/Taken already/)
  await expect(title).toHaveValue('Till system')
  await page.unrouteAll()
  await intercept(page, 'POST', '/sources', refuse(402, 'UPGRADE_REQUIRED', 'upgrade required'))
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('alert')).toHaveText(
    "You've reached the maximum number of resources allowed on your current plan. Upgrade to a larger plan.",
  )
  const pill = page.getByRole('alert')
  const button = await page.getByRole('button', { name: 'Create' }).boundingBox()
  expect((await pill.boundingBox())?.y).toBeGreaterThan((button?.y ?? 0) + (button?.height ?? 0))
  for (const property of ['color', 'backgroundColor'] as const) {
    const [red = 0, green = 0, blue = 0] = await colourOf(pill, property)
    expect(red, property).toBeGreaterThan(Math.max(green, blue))
  }
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('heading', { name: 'Till system', level: 1 })).toBeVisible()
})

test('ERR-08: Refresh on the screen of a missing resource loads the page again', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Refreshing')
  await page.goto(`/${workspace}/sources/01a1fcf3-e3e9-7406-b647-8d13c2f50dfe`)
  await expect(page.getByText('The page you are looking for does not exist.')).toBeVisible()
  const reloaded = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Refresh' }).click()
  await reloaded
  await expect(page.getByText('The requested resource was not found.')).toBeVisible()
})

/** Replaces the script of a page. `code` can use `Real`, the page's own component, and must export a component. */
const replacePage = (page: Page, file: string, component: string, code: string): Promise<void> =>
  page
    .route(new RegExp(`/assets/${file}-[^/]*\\.js$`), (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: `import { ${component} as Real } from ${JSON.stringify(`${route.request().url()}?own`)}\n${code}`,
      }),
    )
    .then(() => undefined)

const failsWhileBroken = (component: string): string => `
  window.broken ??= true
  export const ${component} = (props) => {
    if (window.broken) throw new Error('Not today')
    return Real(props)
  }`

test('ERR-11, ERR-13, ERR-14: an error inside a workspace page shows the error screen in the frame, which offers another try', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Faulty page')
  await replacePage(page, 'sources-page', 'SourcesPage', failsWhileBroken('SourcesPage'))
  await page.goto(`/${workspace}/sources`)
  const screen = page.getByRole('alert').filter({ hasText: 'Ooops, something went wrong!' })
  await expect(screen).toContainText('Refresh the page.')
  await expect(screen.getByRole('button', { name: 'Refresh' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Workspace' })).toBeVisible()
  await page.evaluate('window.broken = false')
  await screen.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Add your first source')).toBeVisible()
})

test('ERR-12a, ERR-13: an error outside the workspace area shows the error screen, and its reset button restores the page', async ({
  signedIn: page,
  product,
}) => {
  await createWorkspace(product.api, 'Behind the fault')
  await replacePage(page, 'select-workspace-page', 'SelectWorkspacePage', failsWhileBroken('SelectWorkspacePage'))
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Unexpected Application Error!', level: 1 })).toBeVisible()
  await expect(page.getByText('Not today')).toBeVisible()
  await page.evaluate('window.broken = false')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('region', { name: 'Behind the fault' })).toBeVisible()
})

test('ERR-12b: a page whose code fails to run shows the error screen without a reload', async ({ signedIn: page }) => {
  await replacePage(page, 'create-organization-page', 'CreateOrganizationPage', "throw new Error('Broken code')")
  let loads = 0
  page.on('load', () => {
    loads++
  })
  await page.goto('/onboarding')
  await expect(page.getByRole('heading', { name: 'Unexpected Application Error!' })).toBeVisible()
  await expect(page.getByText('Broken code')).toBeVisible()
  expect(loads).toBe(1)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByRole('heading', { name: 'Create an organization' })).toBeVisible()
})

test('ERR-17: a page whose file is missing is loaded again once, and then the error is shown', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'New build')
  await page.goto(`/${workspace}`)
  const home = page.getByRole('heading', { name: 'Home', level: 1 })
  await expect(home).toBeVisible()
  let gone = 0
  await page.route(/\/assets\/sources-page-[^/]*\.js$/, (route) => {
    gone++
    return route.fulfill({ status: 404, contentType: 'text/plain', body: 'Not found' })
  })
  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Sources' }).click()
  await expect.poll(() => gone).toBe(2)
  await expect(page.getByText('Ooops, something went wrong!')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByText('Add your first source')).toBeVisible()
})

test('a refused deletion shows the reason in its dialog and deletes nothing', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Refused deletion')
  const { source, sourceId } = await createSource(product.api, workspace, 'Shop')
  await intercept(page, 'DELETE', `/sources/${sourceId}`, refuse(409, 'IN_USE', 'A sync still runs'))
  await page.goto(`/${source}#settings`)
  await page.getByRole('button', { name: 'Delete source' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete source' })
  await dialog.getByRole('button', { name: 'Delete source' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('A sync still runs')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Sources' }).click()
  await expect(page.getByRole('link', { name: 'Shop' })).toBeVisible()
})
