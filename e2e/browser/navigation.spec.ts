import type { Page } from '@playwright/test'
import { adminCredentials, createWorkspace } from '@tributary/test-kit'
import { openWithRoles } from './api-calls.ts'
import { changeAddress } from './change-address.ts'
import { addPerson, signIn, storedSession } from './people.ts'
import { expect, test } from './product-fixture.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Workspace' })

test('NAV-02: every protected address sends a visitor without a session to the login page', async ({
  page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Protected')
  for (const path of [
    '/',
    '/onboarding',
    '/payment/success',
    '/s/sources',
    '/app-oauth-callback',
    '/destination-oauth-callback',
    `/${workspace}`,
    `/${workspace}/settings/account`,
    `/${workspace}/connections`,
  ]) {
    if (path === '/') await page.goto(path)
    else await changeAddress(page, path)
    await expect(page).toHaveURL(/\/auth\/login$/)
  }
})

test('NAV-03, NAV-04: an unknown URL shows a message, with or without a session, and its button leads home', async ({
  page,
}) => {
  await page.goto('/nope')
  await expect(heading(page, 'The requested page was not found.')).toBeVisible()
  await expect(page).toHaveURL(/\/nope$/)
  await signIn(page, adminCredentials)
  await page.goto('/nope/at/all/')
  await expect(heading(page, 'The requested page was not found.')).toBeVisible()
  await page.getByRole('link', { name: 'Go to Home', exact: true }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/')
})

test('NAV-18a, NAV-18b, NAV-29, NAV-30: the links of the sidebar lead to existing pages, each with its title and description', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Areas')
  await page.goto(`/${workspace}`)
  await expect(sidebar(page).getByRole('link')).toHaveText([
    'Home',
    'Sources',
    'Destinations',
    'Connections',
    'Events',
    'Profiles',
    'Audiences',
    'Syncs',
    'Signals',
  ])
  expect(
    await sidebar(page)
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
  ).toEqual(
    ['', '/sources', '/destinations', '/connections', '/events', '/profiles', '/audiences', '/syncs', '/signals'].map(
      (path) => `/${workspace}${path}`,
    ),
  )
  for (const [name, title, description] of [
    ['Sources', 'Sources', 'Where your events come from.'],
    ['Destinations', 'Destinations', 'Where your events are delivered.'],
    ['Connections', 'Connections', 'See which sources feed which destinations.'],
    ['Events', 'Events', 'Every event your sources sent, and its outcome.'],
    ['Profiles', 'Profiles', 'What is known of each user across events.'],
    ['Audiences', 'Audiences', 'Sets of profiles by what they did and what is known of them.'],
    ['Syncs', 'Syncs', 'Rows of your databases, brought to destinations.'],
  ] as const) {
    await sidebar(page).getByRole('link', { name, exact: true }).click()
    await expect(heading(page, title)).toBeVisible()
    await expect(page.getByText(description)).toBeVisible()
    await expect(page).toHaveTitle(`${title} | Tributary`)
  }
  await page.goto(`/${workspace}/catalog-sources/http/new`)
  await expect(heading(page, 'New source')).toBeVisible()
  await expect(page.getByText('Create a new source for HTTP API to start collecting data.')).toBeVisible()
  await page.goBack()
  await sidebar(page).getByRole('link', { name: 'Home', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/${workspace}$`))
})

test('NAV-01: navigating between pages does not load a new document', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'One document')
  await page.goto(`/${workspace}`)
  await page.evaluate(() => Reflect.set(window, 'sameDocument', true))
  await sidebar(page).getByRole('link', { name: 'Sources' }).click()
  await page.getByRole('link', { name: 'Add source' }).click()
  await expect(heading(page, 'Add a source')).toBeVisible()
  await page.getByRole('button', { name: 'User menu' }).click()
  await page.getByRole('menuitem', { name: 'My account' }).click()
  await page.getByRole('link', { name: 'Back' }).click()
  await expect(sidebar(page)).toBeVisible()
  expect(await page.evaluate(() => Reflect.get(window, 'sameDocument'))).toBe(true)
})

test('NAV-06, NAV-07, NAV-08, NAV-10, NAV-11: home, sources, destinations, syncs, and both catalogs open by URL, with or without a trailing slash', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'By address')
  for (const [path, title] of [
    ['', 'Home'],
    ['/sources', 'Sources'],
    ['/destinations', 'Destinations'],
    ['/syncs', 'Syncs'],
    ['/syncs/new', 'New sync'],
    ['/catalog-sources', 'Add a source'],
    ['/catalog-destinations', 'Add a destination'],
  ] as const)
    for (const slash of ['', '/']) {
      if (slash === '') await page.goto(`/${workspace}${path}`)
      else await changeAddress(page, `/${workspace}${path}${slash}`)
      await expect(heading(page, title)).toBeVisible()
    }
})

test('every area opens for unknown addresses below it (NAV-06, NAV-07, NAV-08, NAV-09, NAV-13)', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Further areas')
  for (const [area, title] of [
    ['signals', 'Signals'],
    ['connections', 'Connections'],
    ['sources', 'Sources'],
    ['destinations', 'Destinations'],
    ['syncs', 'Syncs'],
    ['catalog-sources', 'Add a source'],
    ['catalog-destinations', 'Add a destination'],
    ['catalog-data-sources', 'Add a data source'],
    ['profiles', 'Profiles'],
    ['audiences', 'Audiences'],
  ] as const)
    for (const rest of ['', '/', '/below/it/and/more']) {
      if (rest === '') await page.goto(`/${workspace}/${area}`)
      else await changeAddress(page, `/${workspace}/${area}${rest}`)
      await expect(heading(page, title)).toBeVisible()
    }
})

test('NAV-12: the organization URLs below a workspace lead to its settings, and other ones to the overview', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Redirects')
  await page.goto(`/${workspace}`)
  for (const [path, target] of [
    ['organizations/members', '/settings/organization/members'],
    ['organizations/billing', '/settings/organization/billing'],
    ['organizations', '/settings/organization'],
    ['organizations/anything/else', ''],
  ] as const) {
    await changeAddress(page, `/${workspace}/${path}`)
    await expect(page).toHaveURL(new RegExp(`/${workspace}${target}$`))
    await expect(page.getByText('The requested page was not found.')).toHaveCount(0)
  }
})

test('NAV-14: any other path of a workspace shows the overview', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Unknown paths')
  await page.goto(`/${workspace}/xyz`)
  await expect(heading(page, 'Home')).toBeVisible()
  await expect(sidebar(page)).toBeVisible()
})

test('NAV-15, NAV-16: the return pages of third-party connections say that none is pending or why it was refused, and link back', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Return pages')
  await page.goto(`/${workspace}`)
  await expect(sidebar(page)).toBeVisible()
  for (const [path, area, name] of [
    ['app-oauth-callback', 'sources', 'Back to sources'],
    ['destination-oauth-callback', 'destinations', 'Back to destinations'],
  ] as const) {
    await page.goto(`/${path}?code=c1&state=s1`)
    await expect(heading(page, 'No connection is waiting for this approval')).toBeVisible()
    await page.getByRole('link', { name }).click()
    await expect(page).toHaveURL(new RegExp(`/${workspace}/${area}$`))
  }
  await page.goto('/destination-oauth-callback?error=access_denied&error_description=The+user+said+no')
  await expect(heading(page, 'Access was not granted')).toBeVisible()
  await expect(page.getByText('The provider answered: The user said no. Nothing changed.')).toBeVisible()
})

test('BIL-44, NAV-17, OPEN-05: short links lead to the page in the last used workspace, and unknown ones to the workspace selection', async ({
  signedIn: page,
  product,
}) => {
  await createWorkspace(product.api, 'Not the last')
  const { workspace } = await createWorkspace(product.api, 'Used last')
  await page.goto(`/${workspace}`)
  await expect(sidebar(page)).toBeVisible()
  for (const [name, target] of [
    ['sources', `/${workspace}/sources`],
    ['syncs', `/${workspace}/syncs`],
    ['signals', `/${workspace}/signals`],
    ['billing', `/${workspace}/settings/organization/billing`],
    ['members/', `/${workspace}/settings/organization/members`],
    ['account', `/${workspace}/settings/account`],
    ['anything', '/'],
  ] as const) {
    await changeAddress(page, `/s/${name}`)
    await expect.poll(() => new URL(page.url()).pathname).toBe(target)
  }
  for (const result of ['Payment confirmed', 'Payment canceled']) {
    await page.goto(result === 'Payment confirmed' ? '/payment/success' : '/payment/cancel')
    await expect(page.getByRole('heading', { name: result })).toBeVisible()
    await page.getByRole('link', { name: 'Back to billing' }).click()
    await expect(page).toHaveURL(new RegExp(`/${workspace}/settings/organization/billing$`))
  }
  await page.goto('/payment/other')
  await expect(page).toHaveURL(new RegExp(`/${workspace}/settings/organization/billing$`))
})

test('NAV-19, NAV-20, NAV-21: the open sidebar is 14rem wide, collapses to icons, and stays as chosen over a reload', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Width')
  await page.goto(`/${workspace}`)
  const bar = page.getByRole('complementary', { name: 'Sidebar' })
  await expect(bar).toHaveCSS('width', '224px')
  await expect(sidebar(page).getByText('Sources')).toBeVisible()
  await page.getByRole('button', { name: 'Collapse sidebar' }).click()
  await expect(sidebar(page).getByText('Sources')).toHaveCount(0)
  await expect(bar).not.toHaveCSS('width', '224px')
  await page.reload()
  await expect(page.getByRole('button', { name: 'Expand sidebar' })).toBeVisible()
  await expect(sidebar(page).getByText('Sources')).toHaveCount(0)
  await page.getByRole('button', { name: 'Expand sidebar' }).click()
  await expect(sidebar(page).getByText('Sources')).toBeVisible()
})

test('NAV-22: help links to the documentation in a new tab and, without a support chat, to a mail to support', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Help')
  const { links } = (await product.api.ok('GET', '/config')) as {
    links: { documentation: string; support_email: string }
  }
  await page.goto(`/${workspace}`)
  await page.getByRole('button', { name: 'Help', exact: true }).click()
  const documentation = page.getByRole('menuitem', { name: /^Documentation/ })
  await expect(documentation).toHaveAttribute('href', links.documentation)
  await expect(documentation).toHaveAttribute('target', '_blank')
  await expect(documentation).toHaveAttribute('rel', /noreferrer|noopener/)
  await expect(page.getByRole('menuitem', { name: /^Support/ })).toHaveAttribute(
    'href',
    `mailto:${links.support_email}`,
  )
})

test('NAV-23: with a support chat configured, Support starts the chat for the user and shows it', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Chat')
  const config = await product.api.ok('GET', '/config')
  // The page's policy allows the chat only if the server is started with it. These responses simulate that.
  await page.route('**/api/config', (route) => route.fulfill({ json: { ...config, messaging_app_id: 'app1' } }))
  await page.route(`**/${workspace}`, async (route) => {
    const response = await route.fetch()
    const headers = response.headers()
    delete headers['content-security-policy']
    await route.fulfill({ response, headers })
  })
  await page.route('https://widget.intercom.io/widget/app1', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: 'window.told = []; window.Intercom = (...call) => window.told.push(call)',
    }),
  )
  await page.goto(`/${workspace}`)
  await page.getByRole('button', { name: 'Help', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Support' }).click()
  await expect
    .poll(() => page.evaluate(() => Reflect.get(window, 'told')))
    .toMatchObject([
      ['boot', { app_id: 'app1', vertical_padding: 32, horizontal_padding: 32, email: adminCredentials.email }],
      ['show'],
    ])
})

test('NAV-24, NAV-25, NAV-26: the user menu links to the account, and only for administrators to the organization', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'User menu')
  for (const [role, allowed] of [
    ['ORG_ADMIN', true],
    ['ORG_COLLABORATOR', false],
    ['ORG_GUEST', false],
  ] as const) {
    await signIn(page, await addPerson(database, 'Uma', { organization, role }))
    await openWithRoles(page, `/${workspace}`)
    await page.getByRole('button', { name: 'User menu' }).click()
    await expect(page.getByRole('menuitem', { name: 'My account' })).toBeVisible()
    const entry = page.getByRole('menuitem', { name: 'Organization settings' })
    await expect(entry).toHaveCount(allowed ? 1 : 0)
    if (allowed) {
      await entry.click()
      await expect(page).toHaveURL(new RegExp(`/${workspace}/settings/organization$`))
      await page.getByRole('link', { name: 'Back', exact: true }).click()
      await page.getByRole('button', { name: 'User menu' }).click()
    }
    await page.getByRole('menuitem', { name: 'My account' }).click()
    await expect(page).toHaveURL(new RegExp(`/${workspace}/settings/account$`))
  }
})

test('NAV-27: signing out goes through the logout page and leaves no session', async ({ page, product, database }) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Signing out')
  await signIn(page, await addPerson(database, 'Otis', { organization, role: 'ORG_ADMIN' }))
  await page.goto(`/${workspace}`)
  const visited: string[] = []
  page.on('framenavigated', (frame) => visited.push(new URL(frame.url()).pathname))
  await page.getByRole('button', { name: 'User menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/auth/login')
  expect(visited).toContain('/auth/logout')
  const session = await storedSession(page)
  expect(session?.accessToken ?? null).toBeNull()
  expect(session?.currentUserResourceName ?? null).toBeNull()
})

test('NAV-28: an address longer than 24 characters is cut in the menu, and shown in full on hover', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Long names')
  const person = await addPerson(database, 'Bartholomew', { organization, role: 'ORG_GUEST' })
  expect(person.email.length).toBeGreaterThan(24)
  await signIn(page, person)
  await page.goto(`/${workspace}`)
  await page.getByRole('button', { name: 'User menu' }).click()
  const shown = page
    .getByRole('menu')
    .or(page.locator('[data-open]'))
    .getByText(`${person.email.slice(0, 24)}...`)
  await expect(shown.first()).toHaveAttribute('title', person.email)
  await expect(page.getByText('Bartholomew', { exact: true }).first()).toBeVisible()
})

test('NAV-31: a notice appears in the toast area', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Notices')
  await page.goto(`/${workspace}/settings/organization`)
  await page.getByRole('button', { name: /^Copy workspace/i }).click()
  await expect(page.getByRole('region', { name: /Notifications/ }).getByRole('listitem')).toHaveCount(1)
})

test('on a narrow screen, the sidebar covers the page, and a link closes it', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Narrow')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/${workspace}/settings/account`)
  await expect(page.getByRole('complementary', { name: 'Sidebar' })).toBeHidden()
  await page.getByRole('button', { name: 'Open navigation' }).click()
  await page.getByRole('dialog', { name: 'Navigation' }).getByRole('link', { name: 'Change password' }).click()
  await expect(page).toHaveURL(/change-password$/)
  await expect(page.getByRole('dialog', { name: 'Navigation' })).toHaveCount(0)
})
