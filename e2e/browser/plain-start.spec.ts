import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { newId } from '@tributary/kernel'
import { adminCredentials, createWorkspace, type Product, startProduct } from '@tributary/test-kit'
import { fillSignIn, otherPage } from './people.ts'
import { expect, test as shared } from './product-fixture.ts'

/** The script that `npm start` runs. */
const npmStart = fileURLToPath(new URL('../../scripts/run.mjs', import.meta.url))

type Only = { organization: string; workspace: string }

/**
 * A product that is started with the two commands of README.md, without an address, provider, or mail server. It has
 * one workspace.
 */
const test = shared.extend<object, { only: Only }>({
  product: [
    async ({}, use) => {
      await using product = await startProduct({
        command: [npmStart, 'start'],
        env: { TRIBUTARY_EGRESS_ALLOW: '', TRIBUTARY_METRICS_TOKEN: '' },
        fromNothing: true,
      })
      await product.api.login(adminCredentials)
      await use(product)
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  only: [async ({ product }, use) => use(await createWorkspace(product.api, 'Plain Co')), { scope: 'worker' }],
  // The test signs in on the page itself, like a user.
  signedIn: async ({ page, only }, use) => {
    await page.goto('/auth/login')
    await fillSignIn(page, adminCredentials)
    await expect(page).toHaveURL(new RegExp(`/${only.workspace}$`))
    await use(page)
  },
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const choiceOf = (page: Page, organization: string, workspace: string) =>
  page.getByRole('region', { name: organization, exact: true }).getByRole('link', { name: workspace })

/** Expects the selection at `/`, with this workspace of this organization. */
const expectSelection = async (page: Page, organization: string, workspace: string): Promise<void> => {
  await expect(choiceOf(page, organization, workspace)).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')
}

/** Creates an organization without members as the platform admin, and returns the link for its administrator. */
const onboard = async ({ api }: Pick<Product, 'api'>, title: string) => {
  const made = (await api.ok('POST', '/users:onboard', {
    email: `someone-${newId().slice(-8)}@else.example`,
    first_name: 'Some',
    last_name: 'One',
    organization_title: title,
    setup_amount: '0.00',
    yearly_amount: '0.00',
  })) as { user: { name: string }; workspace: { name: string }; onboarding_token: string }
  return {
    workspaceId: made.workspace.name.replace('workspaces/', ''),
    path: `/${made.user.name}/onboarding/complete?token=${encodeURIComponent(made.onboarding_token)}`,
  }
}

test('on a plain start, signing in leads to the only workspace, and every other way to / shows the selection (WSP-01, WSP-10)', async ({
  signedIn: page,
}) => {
  await button(page, 'Workspace Production').click()
  await page.getByRole('menuitem', { name: 'Change workspace' }).click()
  await expectSelection(page, 'Plain Co', 'Production')
  await page.reload()
  await expectSelection(page, 'Plain Co', 'Production')
  await page.goto('/')
  await expectSelection(page, 'Plain Co', 'Production')
})

test('on a plain start, a person who joins by an onboarding link and opens it again sees the selection (ONB-11, ONB-15)', async ({
  chromium,
  product,
}) => {
  await using visitor = await otherPage(chromium, product)
  const { page } = visitor
  const { path } = await onboard(product, 'Joined Co')
  await page.goto(path)
  await page.getByRole('textbox', { name: 'New password' }).fill('Fresh-start-1')
  await button(page, 'Join').click()
  await expectSelection(page, 'Joined Co', 'Main')
  await page.goto(path)
  await expectSelection(page, 'Joined Co', 'Main')
})

test('on a plain start, staff who act and stop acting see the selection, and are refused in their own organization (STF-18, STF-21, STF-24, STF-25)', async ({
  signedIn: page,
  product,
  only,
}) => {
  const { workspaceId } = await onboard(product, 'Helped Co')
  const act = async (id: string): Promise<void> => {
    await page.goto(`/${only.workspace}/settings/admin/act-on-behalf`)
    await page.getByRole('textbox', { name: 'Workspace ID' }).fill(id)
    await button(page, 'Switch').click()
  }
  const own = only.workspace.replace('workspaces/', '')
  await act(own)
  await expect(page.getByText('You cannot act on behalf of your own organization')).toBeVisible()
  const refused = await product.api.call('POST', '/workspaces:actOnBehalf', { workspaceId: own })
  expect(refused.body).toMatchObject({ message: 'You cannot act on behalf of your own organization' })

  await act(workspaceId)
  await expectSelection(page, 'Helped Co', 'Main')
  await expect(
    page.getByText('You are currently acting as "Helped Co" Organisation Administrator', { exact: true }),
  ).toBeVisible()
  await button(page, 'Stop Acting on behalf').click()
  await expectSelection(page, 'Plain Co', 'Production')
  await expect(page.getByRole('region', { name: 'Acting on behalf' })).toHaveCount(0)
})

test("on a plain start, Upgrade opens the product's own plans, and no page offers payments that are impossible (BIL-06, BIL-36, BIL-43)", async ({
  signedIn: page,
  only,
}) => {
  const notSold = 'Payment is not set up on this installation, so plans cannot be bought here.'
  await button(page, 'Upgrade').click()
  const dialog = page.getByRole('dialog', { name: 'Pricing plans for teams of all sizes' })
  await expect(dialog.getByText(notSold)).toBeVisible()
  const cards = dialog.getByRole('region')
  await expect(cards.first()).toBeVisible()
  const labels: string[] = []
  for (const card of await cards.all()) {
    await expect(card.getByRole('button')).toHaveCount(1)
    labels.push(await card.getByRole('button').innerText())
  }
  expect(labels).toEqual(['Current Plan', 'Buy plan', 'Buy plan', 'Contact Sales'])
  await button(page, 'Buy plan').first().click()
  await expect(page.getByText(notSold)).toHaveCount(2)
  await button(page, 'Contact Sales').click()
  await expect(page.getByText('This installation has no address of sales')).toBeVisible()

  await page.goto(`/${only.workspace}/settings/organization/billing`)
  await expect(page.getByRole('heading', { name: 'Current plan: Free' })).toBeVisible()
  await expect(page.getByRole('main').getByText(/payment method|invoices/i)).toHaveCount(0)
})

test('on a plain start, the form of an onboarding link asks for no amounts, and the result mentions no invoice (STF-02, STF-08, STF-10)', async ({
  signedIn: page,
  only,
}) => {
  await page.goto(`/${only.workspace}/settings/admin/onboarding-link`)
  const form = page.getByRole('form', { name: 'Onboarding link' })
  const email = `fay-${newId().slice(-8)}@else.example`
  await form.getByRole('textbox', { name: 'Organization name' }).fill('Free Co')
  await form.getByRole('textbox', { name: 'Email' }).fill(email)
  await form.getByRole('textbox', { name: 'First name' }).fill('Fay')
  await form.getByRole('textbox', { name: 'Last name' }).fill('Free')
  await expect(form.getByText(/amount/i)).toHaveCount(0)
  await expect(form.getByText('$', { exact: true })).toHaveCount(0)
  const sent = page.waitForRequest('**/api/users:onboard')
  await button(page, 'Generate onboarding link').click()
  expect((await sent).postDataJSON()).toMatchObject({ setup_amount: '0.00', yearly_amount: '0.00' })
  await expect(
    page.getByText(`No mail server is set up: copy the onboarding link and send it to ${email}`),
  ).toBeVisible()
  await expect(page.getByRole('term')).toHaveText(['Organization ID', 'Workspace ID', 'Onboarding link'])
})

test('on a plain start, the pages before sign-in have no third-party button and no legal links (AUTH-02, REG-02)', async ({
  page,
}) => {
  await page.goto('/auth/login')
  await expect(button(page, 'Sign in')).toBeVisible()
  await expect(page.getByRole('button', { name: /Google|OpenID|with / })).toHaveCount(0)
  await page.goto('/auth/register')
  await expect(page.getByRole('textbox', { name: 'Work email' })).toBeVisible()
  await expect(page.getByText(/By signing up you agree|Terms of Service|Privacy Policy/)).toHaveCount(0)
  await page.getByRole('textbox', { name: 'Work email' }).fill('plain@else.example')
  await button(page, 'Verify Email').click()
  await expect(page.getByRole('textbox', { name: 'Verification code' })).toBeVisible()
  await expect(page.getByText(/^No mail server is set up/)).toBeVisible()
})

test('on a plain start, inviting says that nothing is mailed, and a pending invitation shows what to do instead (MEM-01, MEM-09, MEM-10)', async ({
  signedIn: page,
  only,
}) => {
  await page.goto(`/${only.workspace}/settings/organization/members`)
  await page.getByRole('main').getByRole('button', { name: 'Invite', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Add team members' })
  await expect(dialog.getByText(/^No mail server is set up/)).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Emails' }).fill('ben@else.example')
  await dialog.getByRole('button', { name: 'Send invitations' }).click()
  await expect(page.getByText('Invitation Sent', { exact: true })).toBeVisible()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('listitem', { name: 'ben@else.example' })).toBeVisible()
  await expect(page.getByText('These were not emailed. Share an invitation link instead.')).toBeVisible()
})

test('on a plain start, the page Installation lists what is not set, and its Docs links open the named pages', async ({
  signedIn: page,
  only,
}) => {
  await page.goto(`/${only.workspace}/settings/admin/installation`)
  const missing = [
    'Public URL',
    'Email',
    'Proxies',
    'Custom domains',
    'Private networks',
    'Third-party sign-in',
    'Terms of service',
    'Privacy policy',
    'Payment',
    'Contact sales',
    'Support email',
    'Support chat',
    'Error reports',
    'Usage of the web application',
  ]
  const docs = page.getByRole('link', { name: /^Docs for/ })
  await expect(page.getByText(/^14 of \d+ are not set\./)).toBeVisible()
  const addresses = [
    ...new Set(await docs.evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))),
  ]
  await button(page, 'Show what is not set').click()
  await expect(page.getByText('Not set', { exact: true })).toHaveCount(missing.length)
  await expect(docs).toHaveText(missing.map(() => 'Docs'))
  for (const title of missing) await expect(page.getByRole('link', { name: `Docs for ${title} (` })).toBeVisible()
  expect(addresses.length).toBeGreaterThan(3)
  for (const address of addresses) {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByRole('heading', { name: /not found/i })).toHaveCount(0)
    const { pathname, hash } = new URL(page.url())
    expect(`${pathname}${hash}`).toBe(address)
    if (hash !== '') await expect(page.locator(hash)).toBeInViewport()
  }
})
