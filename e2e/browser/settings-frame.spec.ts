import type { Page } from '@playwright/test'
import { createWorkspace } from '@tributary/test-kit'
import { openWithRoles } from './api-calls.ts'
import { addPerson, signIn } from './people.ts'
import { expect, freeSources, test } from './product-fixture.ts'

const group = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Settings' }).getByRole('region', { name, exact: true })
const links = (page: Page, name: string) =>
  group(page, name)
    .getByRole('link')
    .evaluateAll((found) => found.map((link) => [link.textContent, link.getAttribute('href')]))

test('SET-01, SET-02, SET-03, SET-04, SET-05: the settings have their own sidebar, with the organization and a link back', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Settings frame')
  await page.goto(`/${workspace}/settings/account`)
  await expect(page.getByRole('heading', { level: 1, name: 'Account' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Workspace' })).toHaveCount(0)
  await expect(group(page, 'Organization')).toBeVisible()
  expect(await links(page, 'Organization')).toEqual([
    ['General', `/${workspace}/settings/organization`],
    ['Billing', `/${workspace}/settings/organization/billing`],
    ['Members', `/${workspace}/settings/organization/members`],
    ['API keys', `/${workspace}/settings/organization/api-keys`],
    ['Audit log', `/${workspace}/settings/organization/audit-log`],
  ])
  await group(page, 'Organization').getByRole('link', { name: 'Billing' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Billing' })).toBeVisible()
  await page.getByRole('link', { name: 'Back', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/${workspace}$`))
})

test('SET-06, SET-07, SET-09, SET-10, SET-11: the account and, for platform admins, the staff pages are in the sidebar', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Settings groups')
  await page.goto(`/${workspace}/settings/account`)
  await expect(group(page, 'Super Admin')).toBeVisible()
  expect(await links(page, 'My Account')).toEqual([
    ['Account', `/${workspace}/settings/account`],
    ['Change password', `/${workspace}/settings/account/change-password`],
  ])
  expect(await links(page, 'Super Admin')).toEqual([
    ['Organizations', `/${workspace}/settings/admin/organizations`],
    ['Act on behalf', `/${workspace}/settings/admin/act-on-behalf`],
    ['Onboarding link', `/${workspace}/settings/admin/onboarding-link`],
    ['Installation', `/${workspace}/settings/admin/installation`],
    ['Custom domain', `/${workspace}/settings/admin/custom-domain`],
  ])
  for (const [name, title] of [
    ['Act on behalf', 'Act on behalf'],
    ['Onboarding link', 'Generate an onboarding link'],
    ['Custom domain', 'Custom domain'],
  ] as const) {
    await group(page, 'Super Admin').getByRole('link', { name, exact: true }).click()
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
  }
})

test('SET-08, SET-15: without a sub-path, an administrator gets to the organization and a guest to the account, without organization and staff links', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'First page')
  for (const [role, target, groups] of [
    ['ORG_ADMIN', 'organization', ['Organization', 'Workspace', 'My Account']],
    ['ORG_GUEST', 'account', ['Workspace', 'My Account']],
  ] as const) {
    await signIn(page, await addPerson(database, 'Sid', { organization, role }))
    for (const path of ['settings', 'settings/', 'settings/no-such-page']) {
      await page.goto(`/${workspace}/${path}`)
      await expect(page).toHaveURL(new RegExp(`/${workspace}/settings/${target}$`))
    }
    await expect(page.getByRole('navigation', { name: 'Settings' }).getByRole('heading')).toHaveText([...groups])
  }
})

test('billing shows the plan and how much the organization uses of each limit [BIL-43]', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Billed')
  await page.goto(`/${workspace}/settings/organization/billing`)
  await expect(page.getByRole('heading', { name: 'Current plan: Free' })).toBeVisible()
  const row = (name: string) =>
    page
      .locator('dl > div')
      .filter({ has: page.getByRole('term').filter({ hasText: new RegExp(`^${name}$`) }) })
      .getByRole('definition')
      .first()
  await expect(row('Workspaces')).toHaveText('1, unlimited')
  await expect(row('Sources')).toHaveText(`0 of ${freeSources}`)
})

test('BIL-36, BIL-37, BIL-38: only administrators on the free plan are offered the prices, in a new tab', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Upgrading')
  const { links } = (await product.api.ok('GET', '/config')) as { links: { pricing: string } }
  await signIn(page, await addPerson(database, 'Upton', { organization, role: 'ORG_ADMIN' }))
  await page.goto(`/${workspace}`)
  const upgrade = page.getByRole('link', { name: /^Upgrade/ })
  await expect(upgrade).toHaveAttribute('href', links.pricing)
  await expect(upgrade).toHaveAttribute('target', '_blank')
  const invite = page.getByRole('button', { name: 'Invite', exact: true })
  await expect(invite).not.toHaveAttribute('aria-disabled')
  await signIn(page, await addPerson(database, 'Gus', { organization, role: 'ORG_GUEST' }))
  await openWithRoles(page, `/${workspace}`)
  await invite.hover()
  await expect(page.getByText('Only administrators can invite people')).toBeVisible()
  await invite.click({ force: true })
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(upgrade).toHaveCount(0)
})
