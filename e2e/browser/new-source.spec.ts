import type { Page } from '@playwright/test'
import { createSource, createWorkspace } from '@tributary/test-kit'
import { type ApiCall, callsTo, onCall, recordCalls, refuse } from './api-calls.ts'
import { expect, test } from './product-fixture.ts'
import { chooseSchema } from './schema-picker.ts'

const newSource = (workspace: string, app = 'http'): string => `/${workspace}/catalog-sources/${app}/new`
const create = (page: Page) => page.getByRole('button', { name: 'Create' })
const picker = (page: Page) => page.getByRole('combobox', { name: 'Schema' })
const gate = () => Promise.withResolvers<void>()

test('FORM-05, SRC-09, SRC-10, SRC-11, SRC-26: the title has a label, a hint, and a required mark; lists in a description have bullets', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Titles')
  const calls = recordCalls(page)
  // The response is faked, because no entry of the catalog has a list in its description.
  await onCall(page, '/catalogSources/http', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), description: 'It has\n\n- one point' } })
  })
  await page.goto(newSource(workspace))
  const point = page.getByRole('listitem').filter({ hasText: 'one point' })
  expect(await point.evaluate((element) => getComputedStyle(element).listStyleType)).toBe('disc')
  const title = page.getByRole('textbox', { name: 'Title' })
  await expect(title).toBeFocused()
  await expect(title).toHaveAttribute('placeholder', 'Enter your source name')
  await expect(title).toHaveAccessibleDescription('Give your source a name')
  await expect(page.locator('label', { hasText: /^Title\*$/ })).toBeVisible()
  await chooseSchema(page)
  await title.fill('   ')
  await create(page).click()
  await expect(title).toHaveAccessibleDescription(/Required/)
  expect(calls.filter(({ verb }) => verb === 'POST')).toEqual([])
})

test('SRC-15, SRC-17, SRC-18, SRC-19, SRC-20: an app without its own schema asks for a template, starting with the blank one', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Templates')
  await page.goto(newSource(workspace))
  await expect(page.locator('label', { hasText: /^Schema\*$/ })).toBeVisible()
  await expect(picker(page)).toHaveText('Blank schema')
  await page.getByRole('button', { name: 'Clear Schema' }).click()
  await expect(picker(page)).toHaveText('Select a schema template')
  await expect(picker(page)).toHaveAccessibleDescription(
    'Choose a schema template to start with or create from scratch.',
  )
  await picker(page).click()
  const group = page.getByRole('group', { name: 'From templates' })
  const { templates } = await product.api.ok('GET', `/${workspace}/sourceSchemaTemplates`)
  const titles = (templates as { title: string }[]).map(({ title }) => title)
  expect(titles[0]).toBe('Blank schema')
  expect(titles.length).toBeGreaterThan(3)
  await expect(group.getByRole('option')).toHaveCount(titles.length)
  for (const [index, title] of titles.entries()) await expect(group.getByRole('option').nth(index)).toContainText(title)
})

test('SRC-21, SRC-22, SRC-23, SRC-24: existing sources are offered with icons in a scrolling list, if there are any', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Copies')
  await page.goto(newSource(workspace))
  await picker(page).click()
  const list = page.getByRole('listbox')
  await expect(list.getByRole('option').first()).toBeVisible()
  await expect(page.getByText('From existing sources')).toHaveCount(0)

  await createSource(product.api, workspace, 'Web shop', 'javascript')
  await page.goto(newSource(workspace))
  await picker(page).click()
  const existing = page.getByRole('group', { name: 'From existing sources' })
  await expect(existing.getByRole('option')).toHaveText([/Web shop/])
  const logo = existing.getByRole('option').locator('img')
  await expect(logo).toHaveAttribute('src', /^\/media\/connectors\/sources\/javascript-/)
  const box = await logo.boundingBox()
  expect(Math.max(box?.width ?? 99, box?.height ?? 99)).toBeLessThanOrEqual(32)
  const templates = page.getByRole('group', { name: 'From templates' }).getByRole('option')
  await expect(templates.locator('svg').first()).toBeVisible()
  expect(await templates.locator('svg').count()).toBeGreaterThanOrEqual(await templates.count())
  const measures = await list.evaluate((element) => {
    const style = getComputedStyle(element)
    const popup = element.closest('.w-96')
    return {
      maxHeight: style.maxHeight,
      overflow: style.overflowY,
      scrolls: element.scrollHeight > element.clientHeight,
      width: popup === null ? '' : getComputedStyle(popup).width,
    }
  })
  expect(measures).toEqual({ maxHeight: '288px', overflow: 'auto', scrolls: true, width: '384px' })
})

test('SRC-28, SRC-29, SRC-30, SRC-31: while the lists load, a placeholder is shown; if both fail, one panel retries both', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Lists')
  const open = gate()
  await onCall(page, '/sourceSchemaTemplates', async (route) => {
    await open.promise
    await refuse(400, 'BROKEN', 'No templates today')(route)
  })
  await onCall(page, '/sources', refuse(400, 'BROKEN', 'No sources today'))
  await page.goto(newSource(workspace))
  await expect(page.getByRole('main').locator('[aria-busy]').first()).toBeVisible()
  await expect(create(page)).toHaveCount(0)
  open.resolve()
  await expect(page.getByRole('heading', { name: 'Failed to load the sources' })).toBeVisible()
  await expect(page.getByText('No templates today')).toContainText('No sources today')
  await page.unrouteAll()
  const calls = recordCalls(page)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(create(page)).toBeVisible()
  expect(callsTo(calls, '/sourceSchemaTemplates')).toHaveLength(1)
  expect(callsTo(calls, '/sources')).toHaveLength(1)
})

test('SRC-16, SRC-32, SRC-34: an app with its own schema asks for no schema and sends none', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Predefined')
  const calls = recordCalls(page)
  await page.goto(newSource(workspace, 'stripe'))
  await expect(create(page)).toBeVisible()
  await expect(page.getByText('Schema', { exact: true })).toHaveCount(0)
  await create(page).click()
  await expect(page.getByText('Source Created')).toBeVisible()
  expect(callsTo(calls, '/sourceSchemaTemplates')).toEqual([])
  const [sent] = callsTo(calls, '/sources').filter(({ verb }) => verb === 'POST')
  expect(sent?.body).toEqual({ title: 'Stripe', app: { name: 'catalogSources/stripe' } })
})

test('SRC-33: without a schema, the form is not sent', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'No schema')
  await page.goto(newSource(workspace))
  const calls = recordCalls(page)
  await page.getByRole('button', { name: 'Clear Schema' }).click()
  await create(page).click()
  await expect(page.getByText('Schema template is required')).toBeVisible()
  expect(calls.filter(({ verb }) => verb === 'POST')).toEqual([])
  await chooseSchema(page)
  await expect(page.getByText('Schema template is required')).toHaveCount(0)
})

test('SRC-27, SRC-35, SRC-36a, SRC-43, SRC-39: a source is created with its template, listed immediately, given a key, and opened', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Created')
  await page.goto(`/${workspace}/sources`)
  await expect(page.getByText('Add your first source')).toBeVisible()
  await page.getByRole('link', { name: 'Add source' }).click()
  await page.getByRole('link', { name: /^HTTP API/ }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Till')
  const { templates } = await product.api.ok('GET', `/${workspace}/sourceSchemaTemplates`)
  const template = (templates as { name: string; title: string }[])[1]
  await chooseSchema(page, template?.title)
  await expect(picker(page)).toContainText(template?.title ?? '')

  const calls = recordCalls(page)
  const open = gate()
  await onCall(page, '/sources', async (route) => {
    if (route.request().method() === 'POST') await open.promise
    await route.fallback()
  })
  const keyAsked = gate()
  const keyAnswered = gate()
  await onCall(page, '/writekeys', async (route) => {
    keyAsked.resolve()
    await keyAnswered.promise
    await route.fallback()
  })
  await create(page).click()
  const button = page.getByRole('form', { name: 'New source' }).getByRole('button').last()
  await expect(button.getByRole('status')).toBeVisible()
  await expect(button).toBeDisabled()
  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Sources' }).click()
  await expect(page.getByRole('row', { name: /Till/ })).toContainText('Creating')
  await page.goBack()
  open.resolve()
  await keyAsked.promise
  await expect(page).toHaveURL(/\/new$/)
  keyAnswered.resolve()
  await expect(page.getByText('Source Created')).toBeVisible()
  const [made] = (await product.api.ok('GET', `/${workspace}/sources`)).sources as { name: string }[]
  await expect(page).toHaveURL(`/${made?.name}`)
  await expect(page.getByRole('tab', { name: 'Set up' })).toHaveAttribute('aria-selected', 'true')
  const writes = calls.filter(({ verb, path }) => verb === 'POST' && path.startsWith('/workspaces'))
  expect(writes.map(({ path, body }) => ({ path, body }))).toEqual([
    {
      path: `/${workspace}/sources`,
      body: {
        title: 'Till',
        app: { name: 'catalogSources/http' },
        schema: { initial_template: { name: template?.name } },
      },
    },
    { path: `/${workspace}/writekeys`, body: { source: made?.name } },
  ])
  const { schema } = await product.api.ok('GET', `/${made?.name}`)
  expect(Object.keys(JSON.parse((schema as { schema: string }).schema).events).length).toBeGreaterThan(2)
})

test('SRC-38, SRC-40, SRC-41, SRC-42: after its creation, the new source opens, and lists, entry, and workspaces are loaded again', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Read again')
  const { source: other } = await createSource(product.api, workspace, 'Old shop')
  await page.goto(newSource(workspace))
  await chooseSchema(page, 'Old shop')
  const calls = recordCalls(page)
  await create(page).click()
  await expect(page.getByRole('heading', { name: 'HTTP API 1', level: 1 })).toBeVisible()
  const { sources } = await product.api.ok('GET', `/${workspace}/sources`)
  const made = (sources as { name: string; title: string }[]).find(({ title }) => title === 'HTTP API 1')
  expect(new URL(page.url()).pathname).toBe(`/${made?.name}`)
  const created = calls.findIndex(({ verb, path }) => verb === 'POST' && path.endsWith('/writekeys'))
  const later = (test: (call: ApiCall) => boolean): boolean => calls.slice(created).some((call) => test(call))
  await expect
    .poll(() => later(({ verb, path }) => verb === 'GET' && path.startsWith(`/${workspace}/sources?`)))
    .toBe(true)
  await expect.poll(() => later(({ path }) => path === `/${workspace}/catalogSources/http`)).toBe(true)
  await expect.poll(() => later(({ path }) => path.startsWith('/workspaces?user='))).toBe(true)
  expect(callsTo(calls, '/sources').find(({ verb }) => verb === 'POST')?.body).toMatchObject({
    schema: { initial_template: { name: other } },
  })
})

test('SRC-44: a refused new source leaves the list, and its form shows the reason', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Refused')
  await createSource(product.api, workspace, 'Old shop')
  await page.goto(`/${workspace}/sources`)
  await expect(page.getByRole('row', { name: /Old shop/ })).toBeVisible()
  await page.getByRole('link', { name: 'Add source' }).click()
  await page.getByRole('link', { name: /^HTTP API/ }).click()
  await chooseSchema(page)
  await onCall(page, '/sources', (route) =>
    route.request().method() === 'POST' ? refuse(400, 'LIMIT', 'No more sources')(route) : route.fallback(),
  )
  await create(page).click()
  await expect(page.getByRole('form').getByRole('alert')).toHaveText('No more sources')
  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Sources' }).click()
  await expect(page.getByRole('row', { name: /Old shop/ })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Sources' }).getByRole('row')).toHaveCount(2)
})

test('if only creating the key fails, the source stays, and a key can be created on its page', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Keyless')
  await page.goto(newSource(workspace))
  await chooseSchema(page)
  await onCall(page, '/writekeys', (route) =>
    route.request().method() === 'POST' ? refuse(400, 'BROKEN', 'No key')(route) : route.fallback(),
  )
  await create(page).click()
  await expect(page.getByText('Source Created')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('tab', { name: 'Set up' }).click()
  await expect(page.getByText('No key yet. Create one to send events to this source.')).toBeVisible()
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create write key' })
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Production till')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await expect(page.getByText('Write Key Created')).toBeVisible()
  await expect(page.getByText('Production till')).toBeVisible()
})

test('a source that is added for a destination is connected to it', async ({ signedIn: page, product, receiver }) => {
  const { workspace } = await createWorkspace(product.api, 'Added')
  const { name: destination } = await product.api.ok('POST', `/${workspace}/destinations`, {
    title: 'Own service',
    app: { name: 'catalogDestinations/webhook' },
    settings: { url: receiver.url },
  })
  await page.goto(`/${String(destination)}#connections`)
  await page.getByRole('link', { name: 'Add a source' }).click()
  await page.getByRole('link', { name: /^HTTP API/ }).click()
  await expect(page.getByText('Its events will be delivered to Own service.')).toBeVisible()
  await create(page).click()
  await expect(page.getByText('Destination Connected')).toBeVisible()
  await page.getByRole('tab', { name: 'Connections' }).click()
  await expect(page.getByRole('link', { name: 'Own service' })).toBeVisible()
})
