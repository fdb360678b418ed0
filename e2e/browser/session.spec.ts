import type { Page } from '@playwright/test'
import { createWorkspace } from '@tributary/test-kit'
import { onCall, refuse } from './api-calls.ts'
import { addPerson, fillSignIn, signIn, storedSession } from './people.ts'
import { expect, test } from './product-fixture.ts'

const notice = 'Your session has been expired, please login again'
/** Returns the list of paths that the page visits from now on. */
const visited = (page: Page): string[] => {
  const paths: string[] = []
  page.on('framenavigated', (frame) => paths.push(new URL(frame.url()).pathname))
  return paths
}

test('SES-02, SES-03: the stored session contains the organization and the workspaces once they are loaded', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Stored')
  await signIn(page, await addPerson(database, 'Sam', { organization, role: 'ORG_GUEST' }))
  await page.goto('/')
  await expect(page.getByRole('link', { name: 'Production' })).toBeVisible()
  expect(await storedSession(page)).toMatchObject({
    session: { organization: { name: organization } },
    availableWorkspaces: [{ name: workspace }],
  })
})

for (const [ids, reason, message] of [
  ['SES-13, SES-15, AUTH-39', 'TOKEN_EXPIRED', 'The token is expired'],
  ['SES-14, SES-15, AUTH-39', 'UNAUTHORIZED', 'rpc: Invalid auth userInfo given'],
] as const)
  test(`a 401 with the message "${message}" shows that the session has ended and logs out [${ids}]`, async ({
    page,
    product,
    database,
  }) => {
    const { workspace, organization } = await createWorkspace(product.api, 'Expiring')
    const person = await addPerson(database, 'Sue', { organization, role: 'ORG_GUEST' })
    await signIn(page, person)
    const paths = visited(page)
    await onCall(page, '/sources', refuse(401, reason, message))
    await page.goto(`/${workspace}/sources`)
    await expect(page.getByText(notice)).toHaveCount(1)
    await page.waitForURL('**/auth/login')
    expect(paths).toContain('/auth/logout')
    expect((await storedSession(page)).accessToken).toBeNull()
    await page.unrouteAll()
    await fillSignIn(page, person)
    await page.waitForURL(`**/${workspace}/sources`)
  })

test('SES-16: a 401 of another kind ends no session', async ({ page, product, database }) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Staying')
  await signIn(page, await addPerson(database, 'Stan', { organization, role: 'ORG_GUEST' }))
  await onCall(page, '/sources', refuse(401, 'UNAUTHORIZED', 'bad password'))
  await page.goto(`/${workspace}/sources`)
  await expect(page.getByRole('alert')).toContainText('bad password')
  await expect(page.getByText(notice)).toHaveCount(0)
  expect((await storedSession(page)).accessToken).not.toBeNull()
})

test("AUTH-34, AUTH-35, AUTH-36, AUTH-38: signing out clears the user's data, and the next user sees nothing of it", async ({
  page,
  product,
  database,
}) => {
  const first = await createWorkspace(product.api, 'First company')
  const second = await createWorkspace(product.api, 'Second company')
  await signIn(page, await addPerson(database, 'Lea', { organization: first.organization, role: 'ORG_GUEST' }))
  await page.goto(`/${first.workspace}/sources`)
  await expect(page.getByRole('navigation', { name: 'Workspace' })).toBeVisible()
  await page.evaluate(() => {
    localStorage.setItem('tributary-sign-in-verifier', 'v'.repeat(56))
    localStorage.setItem('tributary-sign-up', JSON.stringify({ email: 'lea@example.com', sentAt: Date.now() }))
  })
  await page.goto('/auth/logout')
  await page.waitForURL('**/auth/login')
  expect(await storedSession(page)).toEqual({
    session: { organization: null },
    availableWorkspaces: [],
    accessToken: null,
    passwordOTPToken: null,
    currentUserResourceName: null,
    courierToken: null,
    intercomToken: null,
    actOnBehalfOf: null,
  })
  const left = await page.evaluate(() => JSON.stringify(localStorage))
  expect(left).not.toContain('sign-in-verifier')
  expect(left).not.toContain('lea@example.com')
  expect(left).not.toContain(first.workspace)
  await page.goto('/')
  await page.waitForURL('**/auth/login')

  await fillSignIn(page, await addPerson(database, 'Max', { organization: second.organization, role: 'ORG_GUEST' }))
  await expect(page.getByRole('button', { name: 'Workspace Production' })).toContainText('Second company')
  await expect(page.getByText('First company')).toHaveCount(0)
})
