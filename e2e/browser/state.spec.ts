import { adminCredentials, createSource, createWorkspace } from '@tributary/test-kit'
import { addPerson, signIn, storedSession } from './people.ts'
import { expect, test } from './product-fixture.ts'

test('SES-17: the organization of the first workspace becomes that of the session, which also stores the list', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Session first')
  const second = await product.api.ok('POST', '/workspaces', { title: 'Staging', organization })
  await signIn(page, await addPerson(database, 'Sara', { organization, role: 'ORG_GUEST' }))
  await page.goto('/')
  await expect(page.getByRole('link', { name: /Staging/ })).toBeVisible()
  const { session, availableWorkspaces } = await storedSession(page)
  expect(session?.organization?.name).toBe(organization)
  expect(availableWorkspaces?.map(({ name }: { name: string }) => name)).toEqual([workspace, second.name])
})

test('SES-18, SES-19: without a workspace, or if the first one has no organization, the session has no organization', async ({
  page,
  database,
}) => {
  await signIn(page, await addPerson(database, 'Nora'))
  await page.goto('/')
  const screen = page.getByRole('heading', { name: 'No organization found' })
  await expect(screen).toBeVisible()
  await page.route(
    (url) => url.pathname === '/api/workspaces',
    (route) =>
      route.fulfill({
        json: {
          workspaces: [
            { name: 'workspaces/w1', title: 'Alone', organization: null, create_time: '2026-01-01T00:00:00Z' },
          ],
          next_page_token: '',
        },
      }),
  )
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/workspaces')
  await page.reload()
  await answered
  await expect(screen).toBeVisible()
  await expect(page.getByText('Alone')).toHaveCount(0)
})

test('SES-24, SES-25: hidden elements and the collapsed sidebar are kept in this browser over a reload', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Kept')
  const stored = (key: string) => page.evaluate((name) => localStorage.getItem(name), key)
  await page.goto(`/${workspace}`)
  await page.getByRole('button', { name: 'Hide', exact: true }).click()
  await expect(page.getByText('Getting started')).toHaveCount(0)
  const flags = await page.evaluate(() => {
    const key = Object.keys(localStorage).find((name) => name.endsWith('ui')) ?? ''
    return JSON.parse(localStorage.getItem(key) ?? '{}').state.flags
  })
  expect(Object.values(flags)).toEqual([{ done: true }])

  const before = await stored('tributary-sidebar-collapsed')
  await page.getByRole('button', { name: 'Collapse sidebar' }).click()
  await expect(page.getByRole('button', { name: 'Expand sidebar' })).toBeVisible()
  expect(await stored('tributary-sidebar-collapsed')).not.toBe(before)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Expand sidebar' })).toBeVisible()
  await expect(page.getByText('Recent activity')).toBeVisible()
  await expect(page.getByText('Getting started')).toHaveCount(0)
})

test('SES-26: with the storage key set, metrics show dots instead of values; the eye button shows and hides them', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Masked')
  await createSource(product.api, workspace, 'Shop')
  await page.evaluate(() => localStorage.setItem('mask_metric_values', 'true'))
  await page.goto(`/${workspace}`)
  const sources = page.getByRole('region', { name: 'Metrics' }).locator(':scope > div', { hasText: 'Active sources' })
  await expect(sources).toContainText('••••')
  await expect(sources).not.toContainText(/\d/)
  await page.getByRole('button', { name: 'Show values' }).click()
  await expect(sources).toContainText('of 1')
  await expect(sources).not.toContainText('•')
  expect(await page.evaluate(() => localStorage.getItem('mask_metric_values'))).toBe('false')
  await page.getByRole('button', { name: 'Hide values' }).click()
  await page.reload()
  await expect(sources).toContainText('••••')
})

test('SES-32: acting on behalf survives a reload, until it is stopped', async ({ page, product, database }) => {
  const own = await createWorkspace(product.api, 'Support desk')
  const other = await createWorkspace(product.api, 'Customer in need')
  const { userId } = await addPerson(database, 'Otis', { organization: other.organization, role: 'ORG_ADMIN' })
  await database.db
    .deleteFrom('memberships')
    .where('organization_id', '=', other.organization.replace('organizations/', ''))
    .where('user_id', '!=', userId)
    .execute()
  await signIn(page, adminCredentials)
  await page.goto(`/${own.workspace}/settings/admin/act-on-behalf`)
  await page.getByRole('textbox', { name: 'Workspace ID' }).fill(other.workspace)
  await page.getByRole('button', { name: 'Switch' }).click()
  const banner = page.getByText('You are currently acting as "Customer in need" Organisation Administrator')
  await expect(banner).toBeVisible()
  await page.reload()
  await expect(banner).toBeVisible()
  const acting = await storedSession(page)
  expect(acting.session?.organization?.name).toBe(other.organization)
  expect(acting.actOnBehalfOf?.workspace.name).toBe(other.workspace)
  await page.getByRole('button', { name: 'Stop Acting on behalf' }).click()
  await expect(banner).toHaveCount(0)
})
