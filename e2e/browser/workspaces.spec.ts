import type { Page } from '@playwright/test'
import { newId } from '@tributary/kernel'
import type { Relational } from '@tributary/storage'
import { createWorkspace } from '@tributary/test-kit'
import { addPerson, fillSignIn, type Person, signIn, storedSession } from './people.ts'
import { expect, test } from './product-fixture.ts'

const listed = (page: Page, organization: string) => page.getByRole('region', { name: organization, exact: true })
/** Makes a user a member of another organization. */
const addMembership = async ({ db }: Relational, { userId }: Person, organization: string, role: string) => {
  await db
    .insertInto('memberships')
    .values({
      id: newId(),
      organization_id: organization.replace('organizations/', ''),
      user_id: userId,
      role: role as 'ORG_ADMIN',
    })
    .execute()
}

test("home loads the user's workspaces at each visit, a click opens one, and the switcher keeps the same area [WSP-01, WSP-02, WSP-03]", async ({
  page,
  product,
  database,
}) => {
  const one = await createWorkspace(product.api, 'First of two')
  const two = await createWorkspace(product.api, 'Second of two')
  const person = await addPerson(database, 'Wanda', { organization: one.organization, role: 'ORG_GUEST' })
  await addMembership(database, person, two.organization, 'ORG_GUEST')
  await signIn(page, person)
  await page.goto('/onboarding')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const asked: URL[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname === '/api/workspaces') asked.push(url)
  })
  for (const visit of [1, 2]) {
    await page.goto('/')
    await expect(listed(page, 'First of two').getByRole('link', { name: 'Production' })).toBeVisible()
    await expect(listed(page, 'Second of two').getByRole('link', { name: 'Production' })).toBeVisible()
    expect(asked).toHaveLength(visit)
    expect(asked.at(-1)?.searchParams.get('user')).toBe(`users/${person.userId}`)
  }
  await listed(page, 'Second of two').getByRole('link', { name: 'Production' }).click()
  await expect(page).toHaveURL(new RegExp(`/${two.workspace}$`))
  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Events' }).click()
  // The selected area belongs to the open page, not to a page that is still loading.
  await expect(page).toHaveURL(new RegExp(`/${two.workspace}/events$`))
  await page.getByRole('button', { name: 'Workspace Production' }).click()
  const there = page.getByRole('group', { name: 'First of two' }).getByRole('menuitem', { name: 'Production' })
  await there.click()
  await expect(page).toHaveURL(new RegExp(`/${one.workspace}/events$`))
  // The address changes a moment before the page, and the change of the page closes an open menu.
  await expect(page.getByRole('button', { name: 'Workspace Production' })).toContainText('First of two')
  await page.getByRole('button', { name: 'Workspace Production' }).click()
  await page.getByRole('group', { name: 'Second of two' }).getByRole('menuitem', { name: 'Production' }).click()
  await expect(page).toHaveURL(new RegExp(`/${two.workspace}/events$`))
  await expect(page.getByRole('button', { name: 'Workspace Production' })).toContainText('Second of two')
  await page.getByRole('button', { name: 'Workspace Production' }).click()
  await page.getByRole('menuitem', { name: 'Change workspace' }).click()
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  await expect(page.getByRole('region').first()).toHaveAccessibleName('Second of two')
  await expect(listed(page, 'Second of two').getByText('Last used')).toBeVisible()
})

test('signing in leads a person with one workspace to it, and every other way to / shows the selection (WSP-01, WSP-10)', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Only one')
  const person = await addPerson(database, 'Una', { organization, role: 'ORG_GUEST' })
  await page.goto('/auth/login')
  await fillSignIn(page, person)
  await expect(page).toHaveURL(new RegExp(`/${workspace}$`))
  const choice = listed(page, 'Only one').getByRole('link', { name: 'Production' })
  const isChosen = async (): Promise<void> => {
    await expect(choice).toBeVisible()
    expect(new URL(page.url()).pathname).toBe('/')
  }
  await page.getByRole('button', { name: 'Workspace Production' }).click()
  await page.getByRole('menuitem', { name: 'Change workspace' }).click()
  await isChosen()
  await page.reload()
  await isChosen()
  for (const address of ['/', '/auth/login', '/s/unknown']) {
    await page.goto(address)
    await isChosen()
  }
  await choice.click()
  await expect(page).toHaveURL(new RegExp(`/${workspace}$`))
  await page.goBack()
  await isChosen()
})

test('WSP-05, WSP-09, WSP-10: a workspace is loaded by its name and shown in the switcher, which links back to the selection', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Switching')
  const read = page.waitForRequest(`**/api/${workspace}`)
  await page.goto(`/${workspace}`)
  expect((await read).method()).toBe('GET')
  const switcher = page.getByRole('button', { name: 'Workspace Production' })
  await expect(switcher.getByText('Production', { exact: true })).toBeVisible()
  await switcher.click()
  await page.getByRole('menuitem', { name: 'Change workspace', exact: true }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/')
})

test("WSP-06: a workspace of other users shows that it was not found, and links to the user's own workspaces", async ({
  page,
  product,
  database,
}) => {
  const own = await createWorkspace(product.api, 'The only one')
  const other = await createWorkspace(product.api, 'Not for you')
  await signIn(page, await addPerson(database, 'Will', { organization: own.organization, role: 'ORG_ADMIN' }))
  await page.goto(`/${other.workspace}`)
  await expect(page.getByRole('heading', { level: 1, name: 'The requested Workspace was not found.' })).toBeVisible()
  await page.getByRole('link', { name: 'Choose a workspace' }).click()
  await expect(listed(page, 'The only one')).toBeVisible()
})

test('WSP-12: settings and members belong to the organization of the opened workspace', async ({
  page,
  product,
  database,
}) => {
  const guest = await createWorkspace(product.api, 'Guest there')
  const admin = await createWorkspace(product.api, 'Admin here')
  const person = await addPerson(database, 'Wim', { organization: guest.organization, role: 'ORG_GUEST' })
  await addMembership(database, person, admin.organization, 'ORG_ADMIN')
  await signIn(page, person)
  await page.goto('/')
  await expect.poll(async () => (await storedSession(page)).session?.organization?.name).toBe(guest.organization)
  await listed(page, 'Admin here').getByRole('link', { name: 'Production' }).click()
  await expect.poll(async () => (await storedSession(page)).session?.organization?.name).toBe(admin.organization)
  const members = page.waitForRequest(/\/api\/organizations\/[^/]+\/memberships/)
  await page.goto(`/${admin.workspace}/settings/organization/members`)
  expect(new URL((await members).url()).pathname).toBe(`/api/${admin.organization}/memberships`)
  const usage = page.waitForRequest(/\/api\/organizations\/[^/]+\/usage/)
  await page.getByRole('link', { name: 'Billing' }).click()
  expect(new URL((await usage).url()).pathname).toBe(`/api/${admin.organization}/usage`)
  await page.goto(`/${guest.workspace}/settings/organization/members`)
  await expect(page.getByRole('heading', { name: "You don't have access to this resource." })).toBeVisible()
  await expect(page).toHaveTitle('No access | Tributary')
})

test("UI-18: with more than eight workspaces, selection and switcher can be searched, and the menu's list scrolls beyond 10rem", async ({
  page,
  product,
  database,
}) => {
  const { organization } = await createWorkspace(product.api, 'Many of them')
  const person = await addPerson(database, 'Wes', { organization, role: 'ORG_ADMIN' })
  for (let made = 2; made <= 8; made++)
    await product.api.ok('POST', '/workspaces', { title: `Region ${made}`, organization })
  await signIn(page, person)
  await page.goto('/')
  await expect(listed(page, 'Many of them').getByRole('link')).toHaveCount(8)
  await expect(page.getByRole('searchbox')).toHaveCount(0)
  await listed(page, 'Many of them').getByRole('button', { name: 'Create workspace' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Workspace name' }).fill('Region 9')
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  await page.waitForURL('**/workspaces/*')
  await page.goto('/')
  await expect(listed(page, 'Many of them').getByRole('link')).toHaveCount(9)
  await page.getByRole('searchbox', { name: 'Search workspaces' }).fill('region 7')
  await expect(listed(page, 'Many of them').getByRole('link')).toHaveText([/Region 7/])
  await listed(page, 'Many of them').getByRole('link').click()
  await page.getByRole('button', { name: 'Workspace Region 7' }).click()
  const menu = page.getByRole('menu')
  const list = menu.getByRole('group', { name: 'Many of them' }).locator('xpath=..')
  await expect(list).toHaveCSS('max-height', '160px')
  expect(await list.evaluate((element) => element.scrollHeight > element.clientHeight)).toBe(true)
  await page.keyboard.type('gion 3')
  await expect(menu.getByRole('menuitem')).toHaveText([/Region 3$/])
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Workspace Region 3' })).toBeVisible()
})

test('a user without an organization sees a message, and Create leads to creating one [ORG-03, ORG-04]', async ({
  page,
  database,
}) => {
  await signIn(page, await addPerson(database, 'Olaf'))
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'No organization found', exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Create', exact: true }).click()
  await expect(page).toHaveURL(/\/onboarding\/?$/)
})

test("ORG-06: an organization that is open to the user's email domain is offered, and joining it adds its workspaces", async ({
  page,
  product,
  database,
}) => {
  const { organization } = await createWorkspace(product.api, 'Open House')
  const person = await addPerson(database, 'Jo')
  const domain = `${newId().slice(-8)}.example`
  const email = `jo@${domain}`
  await database.db
    .updateTable('organizations')
    .set({ auto_join_domain: domain })
    .where('id', '=', organization.replace('organizations/', ''))
    .execute()
  await database.db
    .updateTable('users')
    .set({ email, email_verified_at: new Date() })
    .where('id', '=', person.userId)
    .execute()
  await signIn(page, { ...person, email })
  await page.goto('/')
  await expect(page.getByText('No organization found')).toBeVisible()
  const sent = page.waitForRequest(/:join$/)
  await page.getByRole('button', { name: 'Join Open House', exact: true }).click()
  const request = await sent
  expect(new URL(request.url()).pathname).toBe(`/api/${organization}:join`)
  expect(request.postDataJSON()).toEqual({ user: `users/${person.userId}` })
  await expect(page.getByText('Organization joined', { exact: true })).toBeVisible()
  await expect(listed(page, 'Open House').getByRole('link', { name: 'Production' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Join Open House' })).toHaveCount(0)
})
