import type { Page } from '@playwright/test'
import { adminCredentials, createSource, createWebhook, createWorkspace, eventually } from '@tributary/test-kit'
import { addPerson, fillSignIn, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'
import { chooseSchema } from './schema-picker.ts'
import { untilRefused } from './tracking.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

test('a guest sees every part of a workspace and no way to create, change, or delete', async ({
  page,
  product,
  database,
  receiver,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Guests')
  const { source } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Hook')
  await signIn(page, await addPerson(database, 'Gus', { organization, role: 'ORG_GUEST' }))

  await page.goto(`/${workspace}/sources`)
  await expect(page.getByRole('link', { name: 'Shop' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Add source' })).toHaveCount(0)
  await page.goto(`/${workspace}/destinations`)
  await expect(page.getByRole('link', { name: 'Hook' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Add destination' })).toHaveCount(0)

  await page.goto(`/${source}#settings`)
  await expect(page.getByRole('textbox', { name: 'Title' })).toBeDisabled()
  await expect(page.getByRole('switch', { name: 'Receive events' })).toBeDisabled()
  await expect(page.getByRole('button', { name: /Save|Delete/ })).toHaveCount(0)
  await page.getByRole('tab', { name: 'Set up' }).click()
  await expect(page.getByText('Write keys')).toBeVisible()
  await expect(page.getByRole('button', { name: /Create key|Revoke/ })).toHaveCount(0)
  await page.getByRole('tab', { name: 'Connections' }).click()
  await expect(page.getByRole('switch', { name: 'Connection with Hook' })).toBeDisabled()
  await expect(page.getByRole('button', { name: /connect/i })).toHaveCount(0)

  await page.goto(`/${destination}#settings`)
  await expect(page.getByRole('textbox', { name: 'Title' })).toBeDisabled()
  await expect(page.getByRole('textbox', { name: 'URL' })).toBeDisabled()
  await expect(page.getByRole('button', { name: /Save|Delete/ })).toHaveCount(0)
})

test('a guest who opens a form by its address sees that access is missing [ERR-10, ROLE-12, ROLE-13a, ROLE-14a]', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'No access')
  await signIn(page, await addPerson(database, 'Gina', { organization, role: 'ORG_GUEST' }))
  for (const path of ['catalog-sources/http/new', 'catalog-destinations/webhook/new']) {
    await page.goto(`/${workspace}/${path}`)
    await expect(heading(page, "You don't have access to this resource.")).toBeVisible()
    await expect(page.getByText('Contact your admin for more information.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Create' })).toHaveCount(0)
  }
})

/**
 * Returns the links and actions of the frame, on a page of a workspace and in the settings. Also tries the forms of
 * both areas.
 */
const offered = async (page: Page, workspace: string) => {
  const forms: boolean[] = []
  for (const path of ['catalog-sources/http/new', 'catalog-destinations/webhook/new']) {
    await page.goto(`/${workspace}/${path}`)
    await expect(page.getByRole('button', { name: 'Create' }).or(page.getByText('Contact your admin'))).toBeVisible()
    forms.push(await page.getByRole('button', { name: 'Create' }).isVisible())
  }
  await page.getByRole('button', { name: 'User menu' }).click()
  await expect(page.getByRole('menuitem', { name: 'My account' })).toBeVisible()
  const organizationSettings = await page.getByRole('menuitem', { name: 'Organization settings' }).isVisible()
  await page.getByRole('menuitem', { name: 'My account' }).click()
  const settings = page.getByRole('navigation', { name: 'Settings' })
  await expect(settings.getByRole('link', { name: 'Change password' })).toBeVisible()
  const superAdmin = await settings.getByRole('region', { name: 'Super Admin' }).isVisible()
  return { newSource: forms[0], newDestination: forms[1], organizationSettings, superAdmin }
}

for (const { role, title, may } of [
  {
    role: 'ORG_ADMIN',
    title:
      'ROLE-13b, ROLE-14b, ROLE-15, ROLE-17: an administrator has the forms and the organisation, nothing of the staff',
    may: { newSource: true, newDestination: true, organizationSettings: true, superAdmin: false },
  },
  {
    role: 'ORG_COLLABORATOR',
    title: 'ROLE-13c, ROLE-14c, ROLE-15: a collaborator has the forms, not the organisation',
    may: { newSource: true, newDestination: true, organizationSettings: false, superAdmin: false },
  },
  {
    role: 'ORG_GUEST',
    title: 'ROLE-13a, ROLE-14a, ROLE-15: a guest has neither the forms nor the organisation',
    may: { newSource: false, newDestination: false, organizationSettings: false, superAdmin: false },
  },
] as const)
  test(title, async ({ page, product, database }) => {
    const { workspace, organization } = await createWorkspace(product.api, `Matrix ${role}`)
    await signIn(page, await addPerson(database, 'Max', { organization, role }))
    expect(await offered(page, workspace)).toEqual(may)
    await page.goto(`/${workspace}/settings/admin/act-on-behalf`)
    await expect(heading(page, "You don't have access to this resource.")).toBeVisible()
  })

test('ROLE-13b, ROLE-14b, ROLE-15, ROLE-17: a platform admin who acts for an organization counts as its administrator', async ({
  signedIn: page,
  product,
  database,
}) => {
  const own = await createWorkspace(product.api, 'Matrix desk')
  const other = await createWorkspace(product.api, 'Matrix customer')
  await database.db
    .deleteFrom('memberships')
    .where('organization_id', '=', other.organization.replace('organizations/', ''))
    .execute()
  await page.goto(`/${own.workspace}/settings/admin/act-on-behalf`)
  await page.getByRole('textbox', { name: 'Workspace ID' }).fill(other.workspace)
  await page.getByRole('button', { name: 'Switch' }).click()
  await expect(page.getByText(/You are currently acting as "Matrix customer"/)).toBeVisible()
  expect(await offered(page, other.workspace)).toEqual({
    newSource: true,
    newDestination: true,
    organizationSettings: true,
    superAdmin: true,
  })
})

test('a collaborator can create sources', async ({ page, product, database }) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Team')
  await signIn(page, await addPerson(database, 'Cora', { organization, role: 'ORG_COLLABORATOR' }))
  await page.goto(`/${workspace}/catalog-sources/http/new`)
  await chooseSchema(page)
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(heading(page, 'HTTP API')).toBeVisible()
})

test('a wrong password shows a message below the form, and the form stays filled in', async ({ page }) => {
  await page.goto('/auth/login')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('textbox', { name: 'Email' })).toBeFocused()
  await expect(page.getByText('Password is required')).toBeVisible()
  await fillSignIn(page, { email: adminCredentials.email, password: 'not the password' })
  await expect(page.getByRole('alert')).toHaveText('The email or the password is wrong')
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue(adminCredentials.email)
  expect(new URL(page.url()).pathname).toBe('/auth/login')
})

test('a session that was ended on the server shows one notice for all failed calls, and sign-in returns to the page [SES-13, SES-15, AUTH-39]', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Sessions')
  const person = await addPerson(database, 'Sue', { organization, role: 'ORG_ADMIN' })
  await signIn(page, person)
  await page.goto(`/${workspace}/sources`)
  await expect(page.getByText('Add your first source')).toBeVisible()
  await database.db.deleteFrom('sessions').where('user_id', '=', person.userId).execute()
  // The server caches a token for up to two seconds, so the test polls.
  const { origin } = new URL(page.url())
  await expect
    .poll(() =>
      page.evaluate(async (url) => {
        const state = JSON.parse(localStorage.getItem('tributary-session') ?? '{}').state
        return (await fetch(url, { headers: { authorization: `Bearer ${state.accessToken}` } })).status
      }, `${origin}/api/${workspace}/sources`),
    )
    .toBe(401)

  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() === 401) refused.push(response.url())
  })
  const notices = page.getByText('Your session has been expired, please login again')
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await expect(notices).toHaveCount(1)
  await page.waitForURL('**/auth/login')
  // Requests that were still under way when the page left are not counted.
  expect(refused.length).toBeGreaterThan(1)
  await expect(notices).toHaveCount(1)
  await fillSignIn(page, person)
  await page.waitForURL(`**/${workspace}**`)
})

test('AUTH-10, UI-35, UI-36, UI-37: a deep link with its tab is opened after sign-in; tabs set or clear the URL hash', async ({
  page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Deep link')
  const { source } = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${source}#setup`)
  await page.waitForURL('**/auth/login')
  await fillSignIn(page, adminCredentials)
  await page.waitForURL(`**/${source}#setup`)
  await expect(page.getByRole('tab', { name: 'Set up' })).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('tab', { name: 'Settings' }).click()
  await expect(page).toHaveURL(`/${source}#settings`)
  await page.getByRole('tab', { name: 'Live events' }).click()
  await expect(page).toHaveURL(`/${source}`)
})

test('signing out ends the session on the server, and the pages ask to sign in again', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Leaving')
  const person = await addPerson(database, 'Olga', { organization, role: 'ORG_ADMIN' })
  await signIn(page, person)
  await page.goto(`/${workspace}`)
  await page.getByRole('button', { name: 'User menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/auth/login')
  expect(await database.db.selectFrom('sessions').select('id').where('user_id', '=', person.userId).execute()).toEqual(
    [],
  )
  await page.goto(`/${workspace}`)
  await page.waitForURL('**/auth/login')
})

test('an unknown URL shows a message and a link home; inside a workspace, it shows the overview', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Lost')
  await page.goto('/no/such/page')
  await expect(heading(page, 'The requested page was not found.')).toBeVisible()
  await page.getByRole('link', { name: 'Go to Home' }).click()
  await expect(page).toHaveURL(/\/$/)
  await page.goto(`/${workspace}/no-such-page`)
  await expect(page.getByRole('navigation', { name: 'Workspace' })).toBeVisible()
  await expect(page.getByText('Getting started')).toBeVisible()
})

test('a missing resource shows a message inside the frame of its workspace', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Nothing there')
  for (const kind of ['sources', 'destinations']) {
    await page.goto(`/${workspace}/${kind}/01a1fcf3-e3e9-7406-b647-8d13c2f50dfe`)
    await expect(heading(page, 'The requested resource was not found.')).toBeVisible()
    await expect(page).toHaveTitle('The requested resource was not found. | Tributary')
    await expect(page.getByRole('button', { name: 'Refresh' })).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Workspace' })).toBeVisible()
  }
})

test("another organization's workspace gets the same message as a missing one", async ({ page, product, database }) => {
  const own = await createWorkspace(product.api, 'Own company')
  const other = await createWorkspace(product.api, 'Other company')
  await signIn(page, await addPerson(database, 'Otto', { organization: own.organization, role: 'ORG_ADMIN' }))
  for (const workspace of [other.workspace, 'workspaces/01a1fcf3-e3e9-7406-b647-8d13c2f50dfe']) {
    await page.goto(`/${workspace}/sources`)
    await expect(heading(page, 'The requested Workspace was not found.')).toBeVisible()
    await expect(page.getByText('It may have been deleted, or your account has no access to it.')).toBeVisible()
  }
  await page.getByRole('link', { name: 'Choose a workspace' }).click()
  await expect(
    page.getByRole('region', { name: 'Own company' }).getByRole('link', { name: /Production/ }),
  ).toBeVisible()
  await expect(page.getByRole('region', { name: 'Other company' })).toHaveCount(0)
})

test('requests with an unknown write key are shown to a platform admin on the sources page, and to no other user', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Lost keys')
  const refused = await fetch(`${product.url}/v1/track`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-write-key': 'lost-key-of-nobody' },
    body: JSON.stringify({ event: 'Order Completed', userId: 'u1' }),
  })
  expect(refused.status).toBe(401)
  await untilRefused(product.api, ({ key_hint }) => key_hint.startsWith('lost'))
  await signIn(page, adminCredentials)
  await page.goto(`/${workspace}/sources`)
  const lost = page.getByRole('region', { name: 'Refused: unknown write key' })
  await expect(lost.getByText('Key sent: lost')).toBeVisible()
  await lost.getByText('Write key unknown').click()
  await expect(page.getByRole('dialog').getByText('/v1/track')).toBeVisible()

  await page.goto('/auth/logout')
  await page.waitForURL('**/auth/login')
  await signIn(page, await addPerson(database, 'Alma', { organization, role: 'ORG_ADMIN' }))
  await page.goto(`/${workspace}/sources`)
  await expect(page.getByText('Add your first source')).toBeVisible()
  await expect(lost).toHaveCount(0)
})

test("requests with the key of a deleted source are shown to all members on the workspace's sources page", async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Old keys')
  const { source, key } = await createSource(product.api, workspace, 'Old shop')
  await product.api.ok('DELETE', `/${source}`)
  await eventually('the deletion counts', async () => {
    const refused = await fetch(`${product.url}/v1/track`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-write-key': key },
      body: JSON.stringify({ event: 'Order Completed', userId: 'u1' }),
    })
    return refused.status === 401
  })
  await signIn(page, await addPerson(database, 'Berta', { organization, role: 'ORG_GUEST' }))
  await page.goto(`/${workspace}/sources`)
  const old = page.getByRole('region', { name: 'Still sent to deleted sources' })
  await expect(old.getByText('Deleted source: Old shop')).toBeVisible()
  await old.getByText('Write key revoked').click()
  // Guests see that something is sent, but not its content.
  await expect(page.getByRole('dialog')).toBeVisible()
  await expect(page.getByRole('dialog').getByText('Order Completed')).toHaveCount(0)
  await signIn(page, await addPerson(database, 'Bert', { organization, role: 'ORG_COLLABORATOR' }))
  await page.goto(`/${workspace}/sources`)
  await old.getByText('Write key revoked').click()
  await expect(page.getByRole('dialog').getByText('/v1/track')).toBeVisible()
})
