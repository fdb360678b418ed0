import type { Page, WebSocket } from '@playwright/test'
import { createSource, createWorkspace, type MailReceiver, type Product } from '@tributary/test-kit'
import { callsTo, recordCalls } from './api-calls.ts'
import { addPerson, fillSignIn, otherPage, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const accept = (page: Page) => page.getByRole('button', { name: 'Accept invitation' })
const saved = (page: Page) => page.evaluate(() => localStorage.getItem('tributary-saved-invitation'))
const membersPath = (workspace: string): string => `/${workspace}/settings/organization/members`

let count = 0
/** Returns an unused email address. */
const newAddress = (): string => `invited-${Date.now()}-${++count}@example.com`

/** Waits for the connection over which the page requests a channel. The page also has connections for the inbox. */
const joining = (page: Page, channel: string): Promise<WebSocket> =>
  new Promise((resolve) => {
    page.on('websocket', (socket) => {
      socket.on('framesent', ({ payload }) => {
        if (String(payload).includes(channel)) resolve(socket)
      })
    })
  })

/** Invites an address as the platform admin, and returns the path of the page that the mailed link opens. */
const inviteByMail = async (
  { api, url }: Product,
  mail: MailReceiver,
  organization: string,
  email: string,
  role = 1,
): Promise<string> => {
  await api.ok('POST', `/${organization}/invitations:batchCreate`, { emails: [email], role })
  const { link } = await mail.waitFor(email)
  expect(link.startsWith(`${url}/invitations/`)).toBe(true)
  return link.slice(url.length)
}

test('an invitation by mail, its acceptance, a role change, and a removal all apply immediately for the invited user', async ({
  page,
  product,
  database,
  mail,
  chromium,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Round trip')
  const { source, sourceId } = await createSource(product.api, workspace, 'Shop')
  const guest = await addPerson(database, 'Ilse')
  await signIn(page, await addPerson(database, 'Anton', { organization, role: 'ORG_ADMIN' }))
  await page.goto(membersPath(workspace))
  await page.getByRole('main').getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByRole('textbox', { name: 'Emails' }).fill(guest.email)
  await page.getByRole('button', { name: 'Send invitations' }).click()
  await expect(page.getByText('Invitation Sent', { exact: true })).toBeVisible()
  const { link, subject } = await mail.waitFor(guest.email)
  expect(subject).toContain('Round trip')

  await using other = await otherPage(chromium, product)
  const theirs = other.page
  await signIn(theirs, guest)
  await theirs.goto(link)
  await expect(heading(theirs, 'Join Round trip')).toBeVisible()
  await expect(theirs.getByText('Anton invites you to join Round trip as Collaborator.')).toBeVisible()
  await accept(theirs).click()
  await expect(theirs.getByText('Organization joined')).toBeVisible()
  await theirs.waitForURL(`**/${workspace}`)
  await theirs.goto(`/${workspace}/sources`)
  await expect(theirs.getByRole('link', { name: 'Add source' })).toBeVisible()

  await page.reload()
  const row = page.getByRole('table', { name: 'Members' }).getByRole('row', { name: /Ilse/ })
  await row.getByRole('combobox', { name: 'Role of Ilse' }).selectOption('Guest')
  await expect(page.getByText('Role updated')).toBeVisible()
  await theirs.reload()
  await expect(theirs.getByRole('link', { name: 'Shop' })).toBeVisible()
  await expect(theirs.getByRole('link', { name: 'Add source' })).toHaveCount(0)

  const connecting = joining(theirs, `private-sources-${sourceId}`)
  await theirs.goto(`/${source}`)
  const socket = await connecting
  await expect(theirs.getByText('Live', { exact: true })).toBeVisible()
  const closed = socket.waitForEvent('close')
  await row.getByRole('button', { name: 'Remove Ilse' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('Member removed')).toBeVisible()
  await closed
  await theirs.goto(`/${workspace}/sources`)
  await expect(theirs.getByText('The requested Workspace was not found.')).toBeVisible()
})

test('MEM-14: the mailed invitation link of a signed-in user accepts the invitation and opens the workspace', async ({
  page,
  product,
  database,
  mail,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'By mail')
  const person = await addPerson(database, 'Mara')
  // The letter case of an address does not matter.
  const path = await inviteByMail(product, mail, organization, person.email.toUpperCase())
  const { id, token } = /^\/invitations\/(?<id>[^?]+)\?token=(?<token>.+)$/.exec(path)?.groups ?? {}
  await signIn(page, person)
  await page.goto(path)
  const calls = recordCalls(page)
  await accept(page).click()
  await page.waitForURL(`**/${workspace}`)
  expect(callsTo(calls, ':accept')).toMatchObject([
    { verb: 'POST', path: `/invitations/${id}:accept`, body: { token } },
  ])
  await page.goto(path)
  await expect(heading(page, 'This invitation is no longer valid')).toBeVisible()
  await expect(page.getByRole('alert')).toContainText('was already used')
  await page.getByRole('link', { name: 'Go to Home' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/')
  await expect(page.getByRole('link', { name: 'Production' })).toHaveAttribute('href', `/${workspace}`)
})

test('ORG-07: a signed-in user accepts an invitation link; a member who opens it goes to the workspaces', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'By link')
  const { name } = await product.api.ok('POST', `/${organization}/invitationlinks`, { role: 2 })
  const person = await addPerson(database, 'Leo')
  await signIn(page, person)
  await page.goto(`/${String(name)}`)
  await expect(heading(page, 'Join By link')).toBeVisible()
  await expect(page.getByText('Guest', { exact: true })).toBeVisible()
  const calls = recordCalls(page)
  await accept(page).click()
  await expect(page.getByText('Organization joined')).toBeVisible()
  await page.waitForURL(`**/${workspace}`)
  expect(callsTo(calls, ':accept')).toMatchObject([
    { verb: 'POST', path: `/${String(name)}:accept`, body: { user: `users/${person.userId}` } },
  ])
  await page.goto(`/${String(name)}`)
  await page.waitForURL((url) => url.pathname === '/')
})

test('MEM-15: an invitation that is opened without a session is kept, and accepted with the session after sign-up', async ({
  page,
  product,
  mail,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Newcomers')
  const email = newAddress()
  const path = await inviteByMail(product, mail, organization, email)
  await page.goto(path)
  await expect(heading(page, 'Join Newcomers')).toBeVisible()
  await expect(accept(page)).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible()
  expect(JSON.parse((await saved(page)) ?? '{}')).toMatchObject({
    kind: 'invitation',
    id: /invitations\/([^?]+)/.exec(path)?.[1],
    token: /token=(.+)$/.exec(path)?.[1],
  })
  const calls = recordCalls(page)
  await page.getByRole('link', { name: 'Sign up' }).click()
  await expect(page.getByRole('textbox', { name: 'Work email' })).toHaveValue(email)
  await page.getByRole('button', { name: 'Verify Email', exact: true }).click()
  await page.getByRole('textbox', { name: 'Verification code' }).fill((await mail.waitFor(email)).code)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(page.getByText('Organization joined')).toBeVisible()
  await page.waitForURL('**/auth/complete-registration')
  const token = await page.evaluate(
    () => JSON.parse(localStorage.getItem('tributary-session') ?? '{}').state.accessToken,
  )
  expect(callsTo(calls, ':accept').map(({ authorization }) => authorization)).toEqual([`Bearer ${String(token)}`])
  expect(await saved(page)).toBeNull()
  await page.getByRole('textbox', { name: 'First name' }).fill('Nele')
  await page.getByRole('textbox', { name: 'Last name' }).fill('Neu')
  await page.getByRole('textbox', { name: 'Password' }).fill('Correct-horse-9')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`**/${workspace}`)
})

test('an invited user with an account logs in from the invitation with the address filled in, and joins', async ({
  page,
  product,
  database,
  mail,
}) => {
  const { organization } = await createWorkspace(product.api, 'Known here')
  const person = await addPerson(database, 'Ruth')
  await page.goto(await inviteByMail(product, mail, organization, person.email))
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue(person.email)
  await fillSignIn(page, person)
  await expect(page.getByText('Organization joined')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Workspace Production' })).toContainText('Known here')
})

test('a user who is signed in with another address than the invited one sees a message, and can sign out to switch', async ({
  page,
  product,
  database,
  mail,
}) => {
  const { organization } = await createWorkspace(product.api, 'Two addresses')
  const wrong = await addPerson(database, 'Wrong')
  const right = await addPerson(database, 'Right')
  await signIn(page, wrong)
  await page.goto(await inviteByMail(product, mail, organization, right.email))
  await expect(page.getByRole('alert')).toContainText(
    `This invitation is for ${right.email}. You are signed in as ${wrong.email}.`,
  )
  await expect(accept(page)).toHaveCount(0)
  await page.getByRole('link', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await fillSignIn(page, right)
  await expect(page.getByText('Organization joined')).toBeVisible()
})

test('an expired, a revoked, and an unknown invitation show different messages, and link to home', async ({
  page,
  product,
  database,
  mail,
}) => {
  const { organization } = await createWorkspace(product.api, 'Gone')
  const email = newAddress()
  const path = await inviteByMail(product, mail, organization, email)
  const { db } = database
  const change = (values: { expire_time: Date } | { revoke_time: Date }) =>
    db.updateTable('invitations').set(values).where('invitee_email', '=', email).execute()
  const alert = page.getByRole('alert')
  await page.goto(path.replace(/token=.*/, 'token=wrong'))
  await expect(heading(page, 'Invitation not found')).toBeVisible()
  await change({ expire_time: new Date(Date.now() - 1000) })
  await page.goto(path)
  await expect(heading(page, 'This invitation is no longer valid')).toBeVisible()
  await expect(alert).toContainText('has expired')
  await change({ revoke_time: new Date() })
  await page.reload()
  await expect(alert).toContainText('was revoked')
  await page.getByRole('link', { name: 'Go to Home' }).click()
  await page.waitForURL('**/auth/login')
})

test('an invitation that is revoked while its page is open cannot be accepted, and the page shows the reason', async ({
  page,
  product,
  database,
  mail,
}) => {
  const { organization } = await createWorkspace(product.api, 'Too late')
  const person = await addPerson(database, 'Tara')
  await signIn(page, person)
  await page.goto(await inviteByMail(product, mail, organization, person.email))
  await expect(accept(page)).toBeVisible()
  await database.db
    .updateTable('invitations')
    .set({ revoke_time: new Date() })
    .where('invitee_email', '=', person.email)
    .execute()
  await accept(page).click()
  await expect(heading(page, 'This invitation is no longer valid')).toBeVisible()
})

test('with sign-up disabled, a user who is invited by mail can still sign up', async ({ page, product, mail }) => {
  const { organization } = await createWorkspace(product.api, 'Closed doors')
  const email = newAddress()
  const path = await inviteByMail(product, mail, organization, email)
  // The product of these tests lets every visitor sign up.
  await page.route('**/api/config', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ json: { ...(await answer.json()), sign_up_enabled: false } })
  })
  await page.goto('/auth/register')
  await page.waitForURL('**/auth/login')
  await page.goto(path)
  await page.getByRole('link', { name: 'Sign up' }).click()
  await expect(page.getByRole('textbox', { name: 'Work email' })).toHaveValue(email)
})
