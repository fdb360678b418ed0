import type { Page } from '@playwright/test'
import { newId } from '@tributary/kernel'
import { adminCredentials, createWorkspace, type Product } from '@tributary/test-kit'
import { openWithRoles } from './api-calls.ts'
import { colourOf } from './colour.ts'
import { addPerson, signIn, storedSession } from './people.ts'
import { expect, test } from './product-fixture.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

/** Creates an organization without members as the platform admin, with an onboarding link. */
const otherOrganization = async ({ api }: Pick<Product, 'api'>, title: string) => {
  const email = `someone-${newId().slice(-8)}@else.example`
  const made = (await api.ok('POST', '/users:onboard', {
    email,
    first_name: 'Some',
    last_name: 'One',
    organization_title: title,
    setup_amount: '0.00',
    yearly_amount: '0.00',
  })) as { organization: { name: string }; workspace: { name: string } }
  const workspace = made.workspace.name
  return { organization: made.organization.name, workspace, id: workspace.replace('workspaces/', ''), email }
}

const banner = (organization: string) => `You are currently acting as "${organization}" Organisation Administrator`

const switchTo = async (page: Page, workspace: string, id: string): Promise<void> => {
  await page.goto(`/${workspace}/settings/admin/act-on-behalf`)
  await page.getByRole('textbox', { name: 'Workspace ID' }).fill(id)
  await page.getByRole('button', { name: 'Switch', exact: true }).click()
}

test('STF-01, STF-02, STF-03, STF-04, STF-06: the onboarding link form has six fields with their rules, two of them dollar amounts starting at 0.00', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Staff form')
  await page.goto(`/${workspace}/settings/admin/onboarding-link`)
  await expect(heading(page, 'Generate an onboarding link')).toBeVisible()
  const form = page.getByRole('form', { name: 'Onboarding link' })
  for (const label of ['Organization name', 'Email', 'First name', 'Last name'])
    await expect(form.getByRole('textbox', { name: label })).toHaveValue('')
  for (const label of ['Yearly amount', 'Setup amount']) {
    await expect(form.getByLabel(label)).toHaveValue('0.00')
    await expect(form.getByLabel(label)).toHaveAccessibleDescription('In USD')
  }
  await expect(form.getByText('$', { exact: true })).toHaveCount(2)
  await form.getByRole('button', { name: 'Generate onboarding link' }).click()
  for (const text of [
    'Please provide a name that is 4 characters or more',
    'Invalid email',
    'First Name is required',
    'Last Name is required',
  ])
    await expect(form.getByText(text)).toBeVisible()
})

test('STF-07, STF-08, STF-09, STF-10, STF-11, AMB-73: generating returns the IDs, the invoice, and the link, which is completed in another browser', async ({
  signedIn: page,
  product,
  chromium,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Staff')
  const email = `first-${newId().slice(-8)}@new.example`
  await page.goto(`/${workspace}/settings/admin/onboarding-link`)
  const form = page.getByRole('form', { name: 'Onboarding link' })
  await form.getByRole('textbox', { name: 'Organization name' }).fill('Brand New')
  await form.getByRole('textbox', { name: 'Email' }).fill(email)
  await form.getByRole('textbox', { name: 'First name' }).fill('Fir')
  await form.getByRole('textbox', { name: 'Last name' }).fill('St')
  await form.getByLabel('Yearly amount').fill('1200.5')
  await form.getByLabel('Setup amount').fill('250')
  const sent = page.waitForResponse('**/api/users:onboard')
  await form.getByRole('button', { name: 'Generate onboarding link' }).click()
  const response = await sent
  expect(response.request().postDataJSON()).toEqual({
    email,
    first_name: 'Fir',
    last_name: 'St',
    organization_title: 'Brand New',
    setup_amount: '250.00',
    yearly_amount: '1200.50',
  })
  const made = await response.json()
  const link = `${product.url}/users/${made.user.id}/onboarding/complete?token=${encodeURIComponent(made.onboarding_token)}`
  await expect(page.getByText(made.organization.name.split('/')[1], { exact: true })).toBeVisible()
  await expect(page.getByText(made.workspace.name.split('/')[1], { exact: true })).toBeVisible()
  await expect(page.getByText(link, { exact: true })).toBeVisible()

  const visitor = await chromium.newContext()
  const invited = await visitor.newPage()
  await invited.goto(link)
  await expect(invited.getByRole('textbox', { name: 'Email' })).toHaveValue(email)
  const invoiceLink = page.getByRole('link', { name: made.invoice_url, exact: true })
  await expect(invoiceLink).toHaveAttribute('href', made.invoice_url)
  // This happens before any member of the organization has signed in.
  const invoice = await visitor.newPage()
  await invoice.goto(made.invoice_url)
  await expect(invoice.getByText('Set-up fee')).toBeVisible()
  await expect(invoice.getByText('$250.00')).toHaveCount(2)
  await invited.getByRole('textbox', { name: 'New password' }).fill('Fresh-start-1')
  await invited.getByRole('button', { name: 'Join', exact: true }).click()
  await expect(invited.getByRole('region', { name: 'Brand New' })).toBeVisible()
  await invited.goto(`${product.url}/${made.workspace.name}/settings/organization/billing`)
  await expect(invited.getByRole('heading', { name: 'Current plan: Enterprise' })).toBeVisible()
  await expect(invited.getByText('$1,200.50 a year')).toBeVisible()
  await expect(invited.getByRole('link', { name: /^SANDBOX-/ })).toHaveCount(2)
  await visitor.close()
  await page.getByRole('button', { name: 'Generate a new onboarding link', exact: true }).click()
  await expect(form.getByRole('textbox', { name: 'Organization name' })).toHaveValue('')
  await expect(form.getByLabel('Yearly amount')).toHaveValue('0.00')
  await page.reload()
  const links = page.getByRole('listitem').filter({ hasText: email })
  await expect(links.getByText('Completed')).toBeVisible()
  await expect(links.getByRole('link', { name: /^Invoice/ })).toHaveAttribute('href', made.invoice_url)
})

test('FORM-13, STF-12, STF-13, STF-14: amounts have a dollar sign, all details are copied together, and the empty form returns', async ({
  signedIn: page,
  product,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Copies')
  const user = (await product.api.ok('GET', `/${workspace}`)) as object
  const { organization: owner } = user as { organization: object }
  // IDs that the test can expect.
  await page.route('**/api/users:onboard', (route) =>
    route.fulfill({
      json: {
        user: {
          name: 'users/u1',
          id: 'u1',
          email: 'a@b.example',
          first_name: 'A',
          last_name: 'B',
          photo_url: '',
          create_time: '2026-01-01T00:00:00Z',
          is_admin: false,
        },
        organization: owner,
        workspace: user,
        onboarding_token: 'token1',
        invoice_url: 'https://pay.example/invoice/1',
      },
    }),
  )
  await page.goto(`/${workspace}/settings/admin/onboarding-link`)
  const amount = page.getByRole('spinbutton', { name: 'Yearly amount' })
  await expect(amount).toHaveAttribute('type', 'number')
  const [sign, box] = [await page.getByText('$', { exact: true }).first().boundingBox(), await amount.boundingBox()]
  expect(sign?.x ?? 0).toBeGreaterThan(box?.x ?? 0)
  expect((sign?.x ?? 0) + (sign?.width ?? 0)).toBeLessThan((box?.x ?? 0) + 24)
  await page.getByRole('textbox', { name: 'Organization name' }).fill('Invoiced')
  await page.getByRole('textbox', { name: 'Email' }).fill('a@b.example')
  await page.getByRole('textbox', { name: 'First name' }).fill('A')
  await page.getByRole('textbox', { name: 'Last name' }).fill('B')
  await page.getByRole('button', { name: 'Generate onboarding link' }).click()
  await expect(page.getByRole('link', { name: 'https://pay.example/invoice/1' })).toHaveAttribute(
    'href',
    'https://pay.example/invoice/1',
  )
  await page.getByRole('button', { name: 'Copy details', exact: true }).click()
  await expect(page.getByText('Onboarding details copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    [
      `Organization ID: ${organization.split('/')[1]}`,
      `Workspace ID: ${workspace.split('/')[1]}`,
      `Onboarding link: ${product.url}/users/u1/onboarding/complete?token=token1`,
      'Setup-fee invoice link: https://pay.example/invoice/1',
    ].join('\n'),
  )
  await page.getByRole('button', { name: 'Generate a new onboarding link', exact: true }).click()
  await expect(page.getByRole('textbox', { name: 'Organization name' })).toHaveValue('')
  await expect(amount).toHaveValue('0.00')
})

test("a platform admin switches to another organization's workspace, sees a notice, and returns with the banner [ROLE-19b, STF-19, STF-20, STF-21, STF-23, OPEN-39, AMB-19, AMB-86, AMB-87]", async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Home company')
  const other = await otherOrganization(product, 'Helped Inc')
  const sent = page.waitForRequest('**/api/workspaces:actOnBehalf')
  await page.goto(`/${workspace}/settings/admin/act-on-behalf`)
  // The search uses the email address of a member, because an admin may not have the ID.
  await page.getByRole('combobox', { name: 'Find a workspace' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill(other.email)
  await page.getByRole('option', { name: /^Helped Inc · Main/ }).click()
  await expect(page.getByRole('textbox', { name: 'Workspace ID' })).toHaveValue(other.id)
  await page.getByRole('button', { name: 'Switch', exact: true }).click()
  expect((await sent).postDataJSON()).toEqual({ workspaceId: other.id })
  await expect(page.getByText('You are now acting on behalf of Helped Inc organization', { exact: true })).toBeVisible()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/')
  await expect(page.getByText(banner('Helped Inc'), { exact: true })).toBeVisible()
  const stored = await storedSession(page)
  expect(stored.session?.organization?.name).toBe(other.organization)
  expect(stored.actOnBehalfOf?.workspace.name).toBe(other.workspace)
  await page.getByRole('region', { name: 'Helped Inc' }).getByRole('link', { name: 'Main' }).click()
  await expect(page).toHaveURL(new RegExp(`/${other.workspace}$`))
  await expect(heading(page, 'Home')).toBeVisible()
})

test('NAV-34a, NAV-34b, STF-24, STF-25, UI-17, WSP-11: while staff act, every page has the red banner, and the menu explains why no other workspace can be chosen', async ({
  signedIn: page,
  product,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Own again')
  const other = await otherOrganization(product, 'Watched Inc')
  await page.goto(`/${workspace}`)
  await switchTo(page, workspace, `workspaces/${other.id}`)
  const shown = page.getByText(banner('Watched Inc'), { exact: true })
  await expect(shown).toBeVisible()
  for (const path of ['', '/syncs', '/signals', '/sources', '/destinations', '/settings/account']) {
    await page.goto(`/${other.workspace}${path}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(shown).toBeVisible()
  }
  const background = await colourOf(page.getByRole('region', { name: 'Acting on behalf' }), 'backgroundColor')
  expect(background[0]).toBeGreaterThan(150)
  expect(Math.max(background[1] ?? 255, background[2] ?? 255)).toBeLessThan(90)

  await page.getByRole('link', { name: 'Back', exact: true }).click()
  await page.getByRole('button', { name: 'Workspace Main' }).click()
  const change = page.getByRole('menuitem', { name: 'Change workspace' })
  await expect(change).toHaveAttribute('aria-disabled', 'true')
  await change.hover({ force: true })
  await expect(page.getByText('Stop acting on behalf first')).toBeVisible()
  await change.click({ force: true })
  await expect(page).toHaveURL(new RegExp(`/${other.workspace}$`))
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Stop Acting on behalf', exact: true }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/')
  await expect(shown).toHaveCount(0)
  await page.goto(`/${workspace}`)
  await page.getByRole('button', { name: 'Workspace Production' }).click()
  await page.getByRole('menuitem', { name: 'Change workspace' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/')
  const stored = await storedSession(page)
  expect(stored.actOnBehalfOf).toBeNull()
  await page.goto(`/${workspace}`)
  await expect
    .poll(() => storedSession(page).then(({ session }) => session))
    .toMatchObject({ organization: { name: organization } })
})

test('the own workspace and a missing one are refused in the form, and no switch happens [STF-15, STF-16, STF-18, STF-22, STF-26, AMB-73]', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Refusals')
  await switchTo(page, workspace, workspace.replace('workspaces/', ''))
  await expect(page.getByText('You cannot act on behalf of your own organization')).toBeVisible()
  await page.getByRole('textbox', { name: 'Workspace ID' }).fill('abcd')
  await expect(page.getByText('At least 5 characters')).toBeVisible()
  await page.getByRole('textbox', { name: 'Workspace ID' }).fill('01a1fcf3-e3e9-7406-b647-8d13c2f50dfe')
  await page.getByRole('button', { name: 'Switch', exact: true }).click()
  await expect(page.getByRole('alert')).toHaveText(/workspace not found/i)
  await expect(page.getByRole('region', { name: 'Acting on behalf' })).toHaveCount(0)
  const stored = await storedSession(page)
  expect(stored.actOnBehalfOf).toBeNull()
})

test('ROLE-16, STF-27, STF-28, STF-29, ROLE-19b, AMB-19: only platform admins can act in a workspace that was not found, after a confirmation; then its page opens', async ({
  page,
  product,
  database,
}) => {
  const own = await createWorkspace(product.api, 'Mine alone')
  const other = await otherOrganization(product, 'Debugged Inc')
  const missing = 'The requested Workspace was not found.'
  await signIn(page, await addPerson(database, 'Adam', { organization: own.organization, role: 'ORG_ADMIN' }))
  await openWithRoles(page, `/${other.workspace}/sources`)
  await expect(heading(page, missing)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Debug' })).toHaveCount(0)

  await signIn(page, adminCredentials)
  await page.goto(`/${other.workspace}/sources`)
  await expect(heading(page, missing)).toBeVisible()
  await page.getByRole('button', { name: 'Debug', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Debug' })
  await expect(dialog.getByText('Act on behalf of this workspace?', { exact: true })).toBeVisible()
  await page.evaluate(() => Reflect.set(window, 'sameDocument', true))
  await dialog.getByRole('button', { name: 'Act on behalf', exact: true }).click()
  await expect(
    page.getByText('You are now acting on behalf of Debugged Inc organization', { exact: true }),
  ).toBeVisible()
  await expect(heading(page, 'Sources')).toBeVisible()
  await expect(page.getByText(banner('Debugged Inc'), { exact: true })).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`/${other.workspace}/sources$`))
  expect(await page.evaluate(() => Reflect.get(window, 'sameDocument'))).toBeUndefined()
})

test('a refusal to act is shown in the dialog, which stays open [STF-30]', async ({ signedIn: page }) => {
  await page.goto('/workspaces/01a1fcf3-e3e9-7406-b647-8d13c2f50dfe')
  await page.getByRole('button', { name: 'Debug', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Debug' })
  await dialog.getByRole('button', { name: 'Act on behalf', exact: true }).click()
  await expect(dialog.getByRole('alert')).toHaveText(/workspace not found/i)
  await expect(dialog).toBeVisible()
})

test('STF-31, STF-32, AMB-21: an administrator of an organization sees none of the staff pages', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'No staff')
  await signIn(page, await addPerson(database, 'Ada', { organization, role: 'ORG_ADMIN' }))
  for (const name of ['act-on-behalf', 'onboarding-link', 'custom-domain']) {
    await page.goto(`/${workspace}/settings/admin/${name}`)
    await expect(heading(page, "You don't have access to this resource.")).toBeVisible()
  }
})

test("changes that staff make while they act are in the organization's audit log, which names staff and organization", async ({
  signedIn: page,
  product,
  database,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Helpers')
  const other = await otherOrganization(product, 'Audited Inc')
  await switchTo(page, workspace, other.id)
  await expect(page.getByText(banner('Audited Inc'), { exact: true })).toBeVisible()
  await page.goto(`/${other.workspace}/settings/organization`)
  const form = page.getByRole('form', { name: 'Organization' })
  await form.getByRole('combobox', { name: 'Industry' }).selectOption('Gaming')
  await form.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('Organization updated')).toBeVisible()
  await page.getByRole('button', { name: 'Stop Acting on behalf', exact: true }).click()
  await expect(page.getByText(banner('Audited Inc'), { exact: true })).toHaveCount(0)

  const administrator = await addPerson(database, 'Agnes', { organization: other.organization, role: 'ORG_ADMIN' })
  await signIn(page, administrator)
  await page.goto(`/${other.workspace}/settings/organization/audit-log`)
  await page.getByRole('combobox', { name: 'By' }).selectOption('By staff')
  const change = page.getByRole('table', { name: 'Audit log' }).getByText('Organizations: update')
  await expect(change).toBeVisible()
  await change.click()
  const dialog = page.getByRole('dialog', { name: 'Organizations: update' })
  await expect(dialog.getByText(/.+ on behalf of Audited Inc/)).toBeVisible()
  await expect(dialog.getByText(adminCredentials.email)).toBeVisible()
  await expect(dialog.getByText('gaming', { exact: true })).toHaveCount(1)
})

test('STF-33, STF-34, STF-36, OPEN-19: a domain is added to the workspace, which then shows the required DNS records and accepts no second domain', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Domains')
  await page.goto(`/${workspace}/settings/admin/custom-domain`)
  const form = page.getByRole('form', { name: 'Custom domain' })
  const name = form.getByRole('textbox', { name: 'Domain name' })
  const add = form.getByRole('button', { name: 'Add Domain', exact: true })
  await name.fill('http://a.com')
  await add.click()
  await expect(form.getByText('Invalid domain name')).toBeVisible()
  const domain = `e${newId().slice(-8)}.Example.com`
  await name.fill(domain)
  const sent = page.waitForRequest('**/customDomains')
  await add.click()
  const request = await sent
  expect([request.method(), new URL(request.url()).pathname]).toEqual(['POST', `/api/${workspace}/customDomains`])
  expect(request.postDataJSON()).toEqual({ domain_name: domain })
  await expect(page.getByRole('listitem', { name: 'TXT' })).toContainText(`_tributary.${domain.toLowerCase()}`)
  await expect(name).toBeDisabled()
  await expect(add).toBeDisabled()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove domain' }).click()
  await expect(name).toBeEnabled()
  await expect(name).toHaveValue('')
})
