import type { Page } from '@playwright/test'
import { createWorkspace } from '@tributary/test-kit'
import { callsTo, onCall, recordCalls } from './api-calls.ts'
import { addPerson, otherPage, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'

const membersPath = (workspace: string): string => `/${workspace}/settings/organization/members`
const members = (page: Page) => page.getByRole('table', { name: 'Members' })
const invite = (page: Page) => page.getByRole('dialog', { name: 'Add team members' })

test('MEM-01, MEM-02, MEM-03, MEM-07, MEM-08: the invitation dialog sends a list of addresses with the index of the role', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Inviting')
  await signIn(page, await addPerson(database, 'Ida', { organization, role: 'ORG_ADMIN' }))
  await page.goto(membersPath(workspace))
  const calls = recordCalls(page)
  const sent = () => callsTo(calls, '/invitations:batchCreate')
  await page.getByRole('main').getByRole('button', { name: 'Invite', exact: true }).click()
  await expect(invite(page).getByRole('heading')).toHaveText('Add team members')
  const role = invite(page).getByRole('combobox', { name: 'Role' })
  await expect(role.getByRole('option')).toHaveText(['Administrator', 'Collaborator', 'Guest'])
  await expect(role).toHaveValue('ORG_COLLABORATOR')

  const send = invite(page).getByRole('button', { name: 'Send invitations' })
  await send.click()
  await expect(invite(page).getByText('Please enter at least 1 email')).toBeVisible()
  const emails = invite(page).getByRole('textbox', { name: 'Emails' })
  await expect(emails).toBeFocused()
  await emails.fill('ana@x.co, abc')
  await expect(invite(page).getByText('One of the emails is invalid')).toBeVisible()
  expect(sent()).toEqual([])
  await emails.fill('ana@x.co, ben@x.co')
  await role.selectOption('Guest')
  await send.click()
  await expect(page.getByRole('listitem', { name: 'ana@x.co' })).toContainText('Guest')
  expect(sent()).toMatchObject([
    {
      verb: 'POST',
      path: `/${organization}/invitations:batchCreate`,
      body: { emails: ['ana@x.co', 'ben@x.co'], role: 2 },
    },
  ])
})

test('MEM-09, MEM-10: after sending, the invitation dialog shows a confirmation and closes, and the lists are loaded again', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Refetching')
  await signIn(page, await addPerson(database, 'Rita', { organization, role: 'ORG_ADMIN' }))
  await page.goto(membersPath(workspace))
  await expect(page.getByText('No pending invitations.')).toBeVisible()
  const calls = recordCalls(page)
  await page.getByRole('main').getByRole('button', { name: 'Invite', exact: true }).click()
  await invite(page).getByRole('textbox', { name: 'Emails' }).fill('carl@x.co')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Invitation Sent', { exact: true })).toBeVisible()
  await expect(invite(page)).toHaveCount(0)
  await expect(page.getByRole('listitem', { name: 'carl@x.co' })).toBeVisible()
  expect(callsTo(calls, `/${organization}/invitations`)).toHaveLength(1)
  expect(callsTo(calls, `/${organization}/memberships`)).toHaveLength(1)
})

test('inviting the address of a member shows a message at the field, and sends no invitation', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Already')
  const admin = await addPerson(database, 'Alma', { organization, role: 'ORG_ADMIN' })
  await signIn(page, admin)
  await page.goto(membersPath(workspace))
  await page.getByRole('main').getByRole('button', { name: 'Invite', exact: true }).click()
  const emails = invite(page).getByRole('textbox', { name: 'Emails' })
  await emails.fill(`new@x.co, ${admin.email}`)
  await invite(page).getByRole('button', { name: 'Send invitations' }).click()
  await expect(emails).toHaveAttribute('aria-invalid', 'true')
  await expect(invite(page).getByText(`Already a member: ${admin.email}`, { exact: true })).toBeVisible()
  await expect(emails).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByText('No pending invitations.')).toBeVisible()
})

test('MEM-12: the Invite menu of the sidebar opens the invitation dialog', async ({ page, product, database }) => {
  const { workspace, organization } = await createWorkspace(product.api, 'From the sidebar')
  await signIn(page, await addPerson(database, 'Sia', { organization, role: 'ORG_ADMIN' }))
  await page.goto(`/${workspace}`)
  await page.getByRole('complementary', { name: 'Sidebar' }).getByRole('button', { name: 'Invite' }).click()
  await expect(invite(page)).toBeVisible()
})

test('MEM-18: administrators see all members with role and join date, pending invitations, and links', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Whole team')
  const admin = await addPerson(database, 'Wanda', { organization, role: 'ORG_ADMIN' })
  const guest = await addPerson(database, 'Gerd', { organization, role: 'ORG_GUEST' })
  await signIn(page, admin)
  await page.goto(membersPath(workspace))
  await expect(page.getByRole('heading', { level: 1, name: 'Members' })).toBeVisible()
  await expect(members(page).getByRole('columnheader')).toHaveText(['Name', 'Email', 'Role', 'Joined', 'Actions'])
  const row = members(page).getByRole('row', { name: /Gerd/ })
  await expect(row.getByRole('cell').nth(1)).toHaveText(guest.email)
  await expect(row.getByRole('combobox', { name: 'Role of Gerd' })).toHaveValue('ORG_GUEST')
  await expect(row.locator('time')).toBeVisible()
  await expect(members(page).getByRole('row', { name: /Wanda/ })).toContainText('You')

  await row.getByRole('button', { name: 'Remove Gerd' }).click()
  const question = page.getByRole('dialog', { name: 'Remove member' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(row).toBeVisible()
  await row.getByRole('button', { name: 'Remove Gerd' }).click()
  await question.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('Member removed')).toBeVisible()
  await expect(row).toHaveCount(0)
})

test('a member with an unknown role is shown as Guest [MEM-17]', async ({ page, product, database }) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Unknown role')
  await signIn(page, await addPerson(database, 'Una', { organization, role: 'ORG_ADMIN' }))
  await addPerson(database, 'Xaver', { organization, role: 'ORG_COLLABORATOR' })
  // The response is faked, because the database of the real server cannot contain such a role.
  await page.route(/\/organizations\/[^/]+\/memberships/, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: (await answer.text()).replace('ORG_COLLABORATOR', 'X') })
  })
  await page.goto(membersPath(workspace))
  await expect(page.getByRole('combobox', { name: 'Role of Xaver' })).toHaveValue('ORG_GUEST')
})

test('the last administrator can neither step down nor leave; with a second administrator, both can', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Last one')
  const { db } = database
  await db.deleteFrom('memberships').where('organization_id', '=', organization.replace('organizations/', '')).execute()
  await signIn(page, await addPerson(database, 'Lotte', { organization, role: 'ORG_ADMIN' }))
  await addPerson(database, 'Mia', { organization, role: 'ORG_GUEST' })
  await page.goto(membersPath(workspace))
  const own = members(page).getByRole('row', { name: /Lotte/ })
  await expect(own.getByRole('combobox')).toBeDisabled()
  await expect(own.getByRole('button', { name: 'Leave' })).toBeDisabled()

  await page.getByRole('combobox', { name: 'Role of Mia' }).selectOption('Administrator')
  await expect(page.getByText('Role updated')).toBeVisible()
  await expect(own.getByRole('combobox')).toBeEnabled()
  await own.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('dialog', { name: 'Leave organization' }).getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL((url) => url.pathname === '/')
  await expect(page.getByText('No organization found')).toBeVisible()
})

test('a pending invitation can be sent again and revoked, and an expired one is shown as expired', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Pending')
  await product.api.ok('POST', `/${organization}/invitations:batchCreate`, {
    emails: ['late@x.co', 'dora@x.co'],
    role: 1,
  })
  const past = (minutes: number): Date => new Date(Date.now() - minutes * 60_000)
  const { db } = database
  await db
    .updateTable('invitations')
    .set({ expire_time: past(60), send_time: past(120) })
    .where('invitee_email', '=', 'late@x.co')
    .execute()
  await signIn(page, await addPerson(database, 'Petra', { organization, role: 'ORG_ADMIN' }))
  await page.goto(membersPath(workspace))
  const late = page.getByRole('listitem', { name: 'late@x.co' })
  await expect(late.getByText('Expired', { exact: true })).toBeVisible()
  await expect(page.getByRole('listitem', { name: 'dora@x.co' }).getByText('Expired', { exact: true })).toHaveCount(0)
  await late.getByRole('button', { name: 'Resend' }).click()
  await expect(page.getByText('Invitation Sent', { exact: true })).toBeVisible()
  await expect(late.getByText('Expired', { exact: true })).toHaveCount(0)
  await late.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog', { name: 'Revoke invitation' }).getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByText('Invitation revoked')).toBeVisible()
  await expect(late).toHaveCount(0)
})

test('an invitation link is created with a role, copied, and revoked', async ({
  page,
  product,
  database,
  chromium,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Links')
  await signIn(page, await addPerson(database, 'Linda', { organization, role: 'ORG_ADMIN' }))
  await page.goto(membersPath(workspace))
  const role = page.getByRole('combobox', { name: 'Role of the new link' })
  await expect(role.getByRole('option')).toHaveText(['Collaborator', 'Guest'])
  await role.selectOption('Guest')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('button', { name: 'Copy link' }).click()
  await expect(page.getByText('Invitation link copied')).toBeVisible()
  const address = await page.evaluate(() => navigator.clipboard.readText())
  expect(address.startsWith(`${product.url}/${organization}/invitationlinks/`)).toBe(true)

  await using visitor = await otherPage(chromium, product)
  await visitor.page.goto(address)
  await expect(visitor.page.getByRole('heading', { name: 'Join Links' })).toBeVisible()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page
    .getByRole('dialog', { name: 'Revoke invitation link' })
    .getByRole('button', { name: 'Revoke link' })
    .click()
  await expect(page.getByText('No links yet.')).toBeVisible()
  await visitor.page.reload()
  await expect(visitor.page.getByRole('heading', { name: 'This invitation is no longer valid' })).toBeVisible()
})

test('members can be searched by name, address, and role', async ({ page, product, database }) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Crowd')
  await signIn(page, await addPerson(database, 'Clara', { organization, role: 'ORG_ADMIN' }))
  for (let index = 0; index < 8; index++)
    await addPerson(database, `Person${index}`, { organization, role: 'ORG_COLLABORATOR' })
  await addPerson(database, 'Quentin', { organization, role: 'ORG_GUEST' })
  await page.goto(membersPath(workspace))
  const search = page.getByRole('searchbox', { name: 'Search members' })
  const rows = members(page).getByRole('row')
  await search.fill('quent')
  await expect(rows).toHaveCount(2)
  await search.fill('guest')
  await expect(rows).toHaveCount(2)
  await search.fill('nobody at all')
  await expect(page.getByText('No Entries Found', { exact: true })).toBeVisible()
})

test('at every width, an address breaks at most before its @', async ({ page, product, database }) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Widths')
  const { email } = await addPerson(database, 'Bartholomew', { organization, role: 'ORG_COLLABORATOR' })
  await signIn(page, await addPerson(database, 'Wanda', { organization, role: 'ORG_ADMIN' }))
  for (const width of [1440, 1024, 900, 640, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(membersPath(workspace))
    const address = members(page).getByText(email).filter({ visible: true })
    await expect(address).toHaveCount(1)
    const lines = await address.evaluate(
      (element) => new Set(Array.from(element.getClientRects(), ({ bottom }) => Math.round(bottom))).size,
    )
    expect(lines, `${width} px`).toBeLessThan(3)
  }
})

for (const role of ['ORG_COLLABORATOR', 'ORG_GUEST'] as const)
  test(`ORG-11: the role ${role} cannot reach what only administrators manage`, async ({ page, product, database }) => {
    const { workspace, organization } = await createWorkspace(product.api, 'Not for all')
    await signIn(page, await addPerson(database, 'Nina', { organization, role }))
    for (const place of ['organization', 'organization/members', 'organization/billing']) {
      await page.goto(`/${workspace}/settings/${place}`)
      await expect(
        page.getByRole('heading', { level: 1, name: "You don't have access to this resource." }),
      ).toBeVisible()
      await expect(page.getByRole('button', { name: /Invite|Save Changes|Create link|Upgrade/ })).toHaveCount(0)
    }
    await page.goto(`/${workspace}/settings/account`)
    await expect(page.getByRole('link', { name: 'Account' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Members' })).toHaveCount(0)
  })

test('without a mail server, the invitation dialog says that invitations are not delivered automatically', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'No mail')
  const note = invite(page).getByText(/^No mail server is set up/)
  const open = async (): Promise<void> => {
    await page.goto(membersPath(workspace))
    await page.getByRole('main').getByRole('button', { name: 'Invite', exact: true }).click()
    await expect(invite(page).getByRole('textbox', { name: 'Emails' })).toBeVisible()
  }
  await open()
  await expect(note).toHaveCount(0)
  await onCall(page, '/config', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ json: { ...(await answer.json()), mail_enabled: false } })
  })
  await open()
  await expect(note).toBeVisible()
})
