import type { Page, Request } from '@playwright/test'
import { adminCredentials, createSource, createWorkspace, eventually } from '@tributary/test-kit'
import { addPerson, fillSignIn, otherPage, signIn, storedSession } from './people.ts'
import { expect, test } from './product-fixture.ts'
import { chooseSchema } from './schema-picker.ts'

/** Returns the list of the API calls that the page makes from now on. */
const callsOf = (page: Page): Request[] => {
  const calls: Request[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.startsWith('/api/')) calls.push(request)
  })
  return calls
}

const pathsOf = (calls: readonly Request[], verb = 'GET'): string[] =>
  calls.filter((call) => call.method() === verb).map((call) => new URL(call.url()).pathname.slice('/api'.length))

test('API-02, API-03, API-52: every call accepts JSON, and has the token of the session once there is one', async ({
  page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Headers')
  const { source } = await createSource(product.api, workspace, 'Shop')
  const calls = callsOf(page)
  await page.goto('/auth/login')
  await fillSignIn(page, adminCredentials)
  await page.waitForURL((url) => !url.pathname.startsWith('/auth'))
  const before = calls.filter((call) => /:login$|\/config$/.test(call.url()))
  expect(pathsOf(before, 'POST')).toEqual(['/users:login'])
  for (const call of before) expect(call.headers().authorization).toBeUndefined()

  calls.length = 0
  await page.goto(`/${source}`)
  await expect(page.getByRole('heading', { name: 'Shop', level: 1 })).toBeVisible()
  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Destinations' }).click()
  await expect(page.getByText('Add your first destination')).toBeVisible()
  const { accessToken } = await storedSession(page)
  expect(pathsOf(calls)).toEqual(expect.arrayContaining([`/${source}`, `/${workspace}/destinations`]))
  for (const call of calls.filter((each) => !each.url().endsWith('/api/config')))
    expect(call.headers(), call.url()).toMatchObject({
      accept: 'application/json',
      authorization: `Bearer ${accessToken}`,
    })
})

test('API-06, API-07: a failed product query is not retried automatically, and returning to the window starts no query', async ({
  chromium,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Asked once')
  await using own = await otherPage(chromium, product)
  const { page } = own
  await signIn(page, adminCredentials)
  await page.clock.install()
  let asked = 0
  const fails = (url: URL): boolean => url.pathname === `/api/${workspace}/sources`
  await page.route(fails, (route) => {
    asked++
    return route.fulfill({ status: 500, json: { code: 500, reason: 'INTERNAL', message: 'boom', metadata: {} } })
  })
  await page.goto(`/${workspace}/sources`)
  await expect(page.getByRole('alert').getByText('boom')).toBeVisible()
  // This time is longer than all pauses of the default back-off, but shorter than the time until the live channel
  // reconnects and reloads everything.
  await page.clock.runFor(20_000)
  expect(asked).toBe(1)

  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('Add your first source')).toBeVisible()
  await page.clock.runFor(20_000)
  const calls = callsOf(page)
  await page.evaluate(() => {
    for (const state of ['hidden', 'visible']) {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
      window.dispatchEvent(new Event(state === 'visible' ? 'focus' : 'blur'))
    }
  })
  await page.clock.runFor(1000)
  expect(pathsOf(calls).filter((path) => path.startsWith(`/${workspace}`) || path.startsWith('/users'))).toEqual([])
})

test('API-16: a changed profile is loaded again', async ({ page, product, database }) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Profile')
  const person = await addPerson(database, 'Petra', { organization, role: 'ORG_COLLABORATOR' })
  await signIn(page, person)
  await page.goto(`/${workspace}/settings/account`)
  await page.getByRole('textbox', { name: 'First name' }).fill('Paula')
  await page.getByRole('textbox', { name: 'Last name' }).fill('Pan')
  const calls = callsOf(page)
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('Profile updated')).toBeVisible()
  const user = `/users/${person.userId}`
  await eventually('the user is read again', () => pathsOf(calls).includes(user))
  const order = calls.map((call) => `${call.method()} ${new URL(call.url()).pathname.slice('/api'.length)}`)
  expect(order.indexOf(`PATCH ${user}`)).toBeLessThan(order.indexOf(`GET ${user}`))
})

test('SES-27: memberships are loaded if a session exists, and not without a session', async ({ page }) => {
  const calls = callsOf(page)
  const memberships = (): string[] => pathsOf(calls).filter((path) => /^\/users\/[^/]+\/memberships$/.test(path))
  await page.goto('/auth/login')
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
  expect(memberships()).toEqual([])
  await fillSignIn(page, adminCredentials)
  await page.waitForURL((url) => !url.pathname.startsWith('/auth'))
  const { currentUserResourceName } = await storedSession(page)
  for (const path of ['/', '/onboarding']) {
    calls.length = 0
    await page.goto(path)
    await eventually(path, () => memberships().length > 0)
    expect(new Set(memberships())).toEqual(new Set([`/${currentUserResourceName}/memberships`]))
  }
})

test('OBS-07, OPEN-45: feature flags are requested for user, organization, and workspace, and again for the next workspace', async ({
  signedIn: page,
  product,
}) => {
  const first = await createWorkspace(product.api, 'First flags')
  const second = await createWorkspace(product.api, 'Second flags')
  const contexts: Record<string, string>[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/ofrep/v1/evaluate/flags')) contexts.push(request.postDataJSON().context)
  })
  const { currentUserResourceName } = await storedSession(page)
  for (const { workspace, organization } of [first, second]) {
    await page.goto(`/${workspace}`)
    await eventually(workspace, () =>
      contexts.some(
        (context) =>
          context.user === currentUserResourceName &&
          context.organization === organization &&
          context.workspace === workspace,
      ),
    )
  }
})

test('a part of the product is visible only while its flag is on', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Switched off')
  const links = page.getByRole('navigation', { name: 'Workspace' })
  await page.goto(`/${workspace}/signals`)
  await expect(page.getByText('Create your first signal')).toBeVisible()
  await expect(links.getByRole('link', { name: 'Signals' })).toBeVisible()
  await page.route('**/ofrep/v1/evaluate/flags', (route) =>
    route.fulfill({ json: { flags: [{ key: 'signals', value: false, reason: 'STATIC', variant: 'off' }] } }),
  )
  await page.reload()
  await expect(page.getByRole('heading', { name: 'The requested page was not found.' })).toBeVisible()
  await expect(links.getByRole('link', { name: 'Sources' })).toBeVisible()
  await expect(links.getByRole('link', { name: 'Signals' })).toHaveCount(0)
})

test("OBS-01, OBS-05, OBS-06, SRC-36b: with an analytics key, user actions arrive in order as events of the key's source", async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Watched')
  const analytics = await createSource(product.api, workspace, 'Product analytics')
  const person = await addPerson(database, 'Wanda', { organization, role: 'ORG_ADMIN' })
  await page.route('**/api/config', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), analytics_write_key: analytics.key } })
  })
  await signIn(page, person)
  await page.goto(`/${workspace}/catalog-sources/http/new`)
  await chooseSchema(page)
  let keyAnswered = Number.POSITIVE_INFINITY
  await page.route('**/writekeys', async (route) => {
    const response = await route.fetch()
    keyAnswered = Date.now()
    await route.fulfill({ response })
  })
  const sent: { type: string; event?: string; timestamp: string; properties?: { path?: string; source?: string } }[] =
    []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/v1/batch') sent.push(...request.postDataJSON().batch)
  })
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText('Source Created')).toBeVisible()
  // The event comes after the follow-up call, and before the page of the source opens.
  const created = () => sent.findIndex(({ event }) => event === 'Source Created')
  const opened = () =>
    sent.findIndex(({ properties }) => properties?.path === `/${sent[created()]?.properties?.source}`)
  await expect.poll(() => created() >= 0 && opened() > created()).toBe(true)
  expect(Date.parse(sent[created()]?.timestamp ?? '')).toBeGreaterThanOrEqual(keyAnswered)
  await eventually('the events are stored', async () => {
    const { events } = await product.api.ok('GET', `/${analytics.source}/events?page_size=100`)
    const seen = (events as { type: string; title: string }[]).map(({ type, title }) => `${type} ${title}`).join('\n')
    return /^identify/m.test(seen) && /^page/m.test(seen) && /^track Source Created$/m.test(seen)
  })
})

test('ERR-20, OBS-09: with a report URL, a page error is reported with the user and without the query; a missing page is not', async ({
  page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Reported')
  const envelopes: string[] = []
  const { host } = new URL(product.url)
  await page.route('**/api/7/envelope/**', (route) => {
    envelopes.push(route.request().postData() ?? '')
    return route.fulfill({ json: {} })
  })
  await page.route('**/api/config', async (route) => {
    const response = await route.fetch()
    const reporting = { sentry_dsn: `http://publickey@${host}/7`, environment: 'production' }
    await route.fulfill({ response, json: { ...(await response.json()), ...reporting } })
  })
  await page.route(/\/assets\/sources-page-[^/]*\.js$/, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: "export const SourcesPage = () => { throw new Error('Not today') }",
    }),
  )
  await signIn(page, adminCredentials)
  const { currentUserResourceName } = await storedSession(page)
  await page.goto(`/${workspace}/destinations/01a1fcf3-e3e9-7406-b647-8d13c2f50dfe`)
  await expect(page.getByText('The page you are looking for does not exist.')).toBeVisible()
  // The transaction of the page load shows that the error reporter has started.
  await eventually('a trace is sent', () => envelopes.length > 0)
  await page.goto(`/${workspace}/sources?token=very-secret`)
  await expect(page.getByText('Ooops, something went wrong!')).toBeVisible()
  await eventually('the fault is reported', () => envelopes.some((text) => text.includes('Not today')))
  const report = envelopes.find((text) => text.includes('Not today')) ?? ''
  expect(report).toContain(currentUserResourceName)
  expect(envelopes.filter((text) => text.includes('"exception"'))).toHaveLength(1)
  expect(envelopes.join('\n')).not.toContain('very-secret')
})

test('OBS-11: without keys, nothing is loaded from or sent to third parties, and the console has no errors', async ({
  page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Inert')
  const problems: string[] = []
  const abroad: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url())
    if (origin !== new URL(product.url).origin || pathname.startsWith('/v1/') || pathname.includes('sentry'))
      abroad.push(request.url())
  })
  await signIn(page, adminCredentials)
  await page.goto(`/${workspace}`)
  await expect(page.getByRole('heading', { name: 'Home', level: 1 })).toBeVisible()
  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Sources' }).click()
  await expect(page.getByText('Add your first source')).toBeVisible()
  expect(problems).toEqual([])
  expect(abroad).toEqual([])
})
