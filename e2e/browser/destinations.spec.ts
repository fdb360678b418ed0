import type { Page } from '@playwright/test'
import { createSource, createWebhook, createWorkspace, type Product } from '@tributary/test-kit'
import { type ApiCall, callsTo, onCall, recordCalls, refuse } from './api-calls.ts'
import { colourOf } from './colour.ts'
import { expect, test } from './product-fixture.ts'

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Delete destination' })

/** Creates a workspace with a source and a destination that is connected to the source. */
const furnish = async (product: Product, title: string, url: string) => {
  const { workspace } = await createWorkspace(product.api, title)
  const { source } = await createSource(product.api, workspace, 'Shop')
  return { workspace, source, destination: await createWebhook(product.api, workspace, source, { url }, 'Old hook') }
}

/** Opens the settings of a destination from the list, so that the list is cached. */
const openSettings = async (page: Page, workspace: string): Promise<void> => {
  await page.goto(`/${workspace}/destinations`)
  await page.getByRole('link', { name: 'Old hook' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await expect(page.getByRole('button', { name: 'Delete destination' })).toBeVisible()
}

test('DST-01, DST-04, DST-09, DST-10, DST-11: a destination is created with its form, and its page opens', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Made')
  const entry = (await product.api.ok('GET', `/${workspace}/catalogDestinations/webhook`)) as { docs_url: string }
  await page.goto(`/${workspace}/destinations`)
  await page.getByRole('link', { name: 'Add destination' }).click()
  await page.getByRole('searchbox', { name: 'Search destinations' }).fill('webhook')
  await page.getByRole('link', { name: /^Webhook/ }).click()
  await expect(page).toHaveURL(`/${workspace}/catalog-destinations/webhook/new`)
  await page.getByRole('textbox', { name: 'Title' }).fill('Own service')
  await expect(page.getByRole('main').getByRole('link', { name: /^Documentation/ })).toHaveAttribute(
    'href',
    entry.docs_url,
  )
  await page.getByRole('textbox', { name: 'URL' }).fill(receiver.url)
  const calls = recordCalls(page)
  const answer = page.waitForResponse((response) => response.request().method() === 'POST')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const { name } = (await (await answer).json()) as { name: string }
  await expect(page.getByText('Destination Created')).toBeVisible()
  await expect(page).toHaveURL(`/${name}`)
  expect(callsTo(calls, '/destinations').filter(({ verb }) => verb === 'POST')).toMatchObject([
    {
      path: `/${workspace}/destinations`,
      body: { title: 'Own service', app: { name: 'catalogDestinations/webhook' } },
    },
  ])
  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Destinations' }).click()
  await expect(page.getByRole('row', { name: /Own service/ })).toBeVisible()
})

test('DST-12, DST-13, DST-14, FORM-09, FORM-10: an empty title is refused at its field; saving sends only the title and shows a confirmation', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { destination } = await furnish(product, 'Renamed', receiver.url)
  await page.goto(`/${destination}#settings`)
  const general = page.getByRole('form', { name: 'General' })
  const title = general.getByRole('textbox', { name: 'Title' })
  const asterisk = general.locator('label', { hasText: /^Title\*$/ }).getByText('*')
  expect(await asterisk.evaluate((element) => element === element.parentElement?.lastElementChild)).toBe(true)
  const [red = 0, green = 0, blue = 0] = await colourOf(asterisk, 'color')
  expect(red).toBeGreaterThan(2 * Math.max(green, blue))
  await expect(page.locator('label', { hasText: /^Consent categories$/ })).toBeVisible()
  const calls = recordCalls(page)
  await title.fill('')
  await general.getByRole('button', { name: 'Save Changes', exact: true }).click()
  await expect(title).toHaveAccessibleDescription('Required')
  const error = general.getByText('Required', { exact: true })
  await expect(error.locator('xpath=ancestor-or-self::p').locator('svg')).toBeVisible()
  expect((await error.boundingBox())?.y ?? 0).toBeGreaterThan((await title.boundingBox())?.y ?? 0)
  await title.fill('New hook')
  await general.getByRole('button', { name: 'Save Changes', exact: true }).click()
  await expect(page.getByText('Destination Updated', { exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'New hook', level: 1 })).toBeVisible()
  expect(calls.filter(({ verb }) => verb === 'PATCH')).toMatchObject([
    { path: `/${destination}?update_mask=title`, body: { title: 'New hook' } },
  ])
})

test('DST-15, DST-16: a destination is deleted only after the confirmation is accepted', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { destination } = await furnish(product, 'Kept', receiver.url)
  await page.goto(`/${destination}#settings`)
  await expect(page.getByText(/prevents any future synchronization/)).toBeVisible()
  const calls = recordCalls(page)
  await page.getByRole('button', { name: 'Delete destination' }).click()
  await expect(
    dialogOf(page).getByText(
      'Are you sure you want to delete the Old hook destination? No data will be synchronized to it in future.',
      { exact: true },
    ),
  ).toBeVisible()
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(dialogOf(page)).toHaveCount(0)
  expect(calls.filter(({ verb }) => verb === 'DELETE')).toEqual([])
  expect((await product.api.ok('GET', `/${destination}`)).title).toBe('Old hook')
})

const reads = (calls: readonly ApiCall[], path: string): number =>
  calls.filter(({ verb, path: called }) => verb === 'GET' && called.startsWith(path)).length

test('DST-17, DST-18, DST-19, DST-21a, DST-22: a deleted destination leaves the list immediately, its page closes, and list and workspaces are loaded again', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace, destination } = await furnish(product, 'Deleted', receiver.url)
  await product.api.ok('POST', `/${workspace}/destinations`, {
    title: 'Other hook',
    app: { name: 'catalogDestinations/webhook' },
    settings: { url: receiver.url },
  })
  await openSettings(page, workspace)
  const open = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  await onCall(page, `/${destination}`, async (route) => {
    if (route.request().method() === 'DELETE') {
      asked.resolve()
      await open.promise
    }
    await route.fallback()
  })
  // While the deletion is running, the list shows the content of the cache.
  await onCall(page, `/${workspace}/destinations`, async (route) => {
    await open.promise
    await route.fallback()
  })
  await page.getByRole('button', { name: 'Delete destination' }).click()
  await dialogOf(page).getByRole('button', { name: 'Delete destination' }).click()
  await asked.promise
  await page.evaluate(() => window.history.go(-1))
  await expect(page.getByRole('link', { name: 'Other hook' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Old hook' })).toHaveCount(0)
  const calls = recordCalls(page)
  // After the response to the deletion, the page reads the lists again.
  const answered = page.waitForResponse((response) => response.request().method() === 'DELETE')
  open.resolve()
  await answered
  await expect(page.getByText('Destination Deleted', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(`/${workspace}/destinations`)
  await expect.poll(() => reads(calls, `/${workspace}/destinations`)).toBeGreaterThan(0)
  await expect.poll(() => reads(calls, '/workspaces?user=')).toBeGreaterThan(0)
  await expect(page.getByRole('link', { name: 'Old hook' })).toHaveCount(0)
})

test('a destination leaves the list during its deletion, and returns if the deletion is refused (DST-20)', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace, source, destination } = await furnish(product, 'Put back at once', receiver.url)
  await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Other hook')
  await page.goto(`/${workspace}/destinations`)
  await page.getByRole('link', { name: 'Old hook' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  const refusal = Promise.withResolvers<void>()
  await onCall(page, `/${destination}`, async (route) => {
    if (route.request().method() !== 'DELETE') return await route.fallback()
    await refusal.promise
    await refuse(400, 'IN_USE', 'It is still used')(route)
  })
  // From here on no list can be read, so the page itself must restore the entry.
  await page.route(
    (url) => url.pathname === `/api/${workspace}/destinations`,
    () => undefined,
  )
  await page.getByRole('button', { name: 'Delete destination' }).click()
  await dialogOf(page).getByRole('button', { name: 'Delete destination' }).click()
  // The dialog covers the page, so the link to the list is followed with a dispatched event.
  await page.locator(`nav a[href="/${workspace}/destinations"]`).first().dispatchEvent('click')
  await expect(page.getByRole('link', { name: 'Other hook' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Old hook' })).toHaveCount(0)
  refusal.resolve()
  await expect(page.getByRole('link', { name: 'Old hook' })).toBeVisible()
})

test('DST-21b: if its deletion is refused, a destination returns to the list with the reason, and the list is loaded again', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace, destination } = await furnish(product, 'Put back', receiver.url)
  await openSettings(page, workspace)
  await onCall(page, `/${destination}`, (route) =>
    route.request().method() === 'DELETE' ? refuse(400, 'IN_USE', 'It is still used')(route) : route.fallback(),
  )
  const calls = recordCalls(page)
  await page.getByRole('button', { name: 'Delete destination' }).click()
  await dialogOf(page).getByRole('button', { name: 'Delete destination' }).click()
  await expect(dialogOf(page).getByRole('alert')).toHaveText('It is still used')
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Destinations' }).click()
  await expect(page.getByRole('link', { name: 'Old hook' })).toBeVisible()
  // The list was read moments ago, so only the refusal can cause another read.
  await expect.poll(() => reads(calls, `/${workspace}/destinations?`)).toBe(1)
  expect(callsTo(calls, `/${destination}`).filter(({ verb }) => verb === 'DELETE')).toHaveLength(1)
})

test('a setting is not saved if empty, is saved separately, shows why saving failed, and is loaded again [DST-24, DST-25, DST-26, DST-27, MAP-10b]', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace, destination } = await furnish(product, 'Set anew', receiver.url)
  await page.goto(`/${destination}#settings`)
  const settings = page.getByRole('region', { name: 'Settings' })
  const url = settings.getByRole('textbox', { name: 'URL' })
  await expect(url).toHaveValue(receiver.url)
  const early = recordCalls(page)
  await url.fill('')
  await settings.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(url).toHaveAttribute('aria-invalid', 'true')
  await expect(url).toHaveAccessibleDescription(/Required/)
  expect(callsTo(early, ':updateSetting')).toEqual([])
  await onCall(page, `/${destination}/app:updateSetting`, refuse(400, 'VALIDATION', 'no', { value: 'bad' }))
  await url.fill('https://example.com/other')
  await settings.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(url).toHaveAccessibleDescription(/bad/i)
  await page.unrouteAll()
  await onCall(page, `/${destination}/app:updateSetting`, refuse(400, 'VALIDATION', 'no'))
  await settings.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(settings.getByText('Failed to update the url.', { exact: true })).toBeVisible()
  await page.unrouteAll()
  const calls = recordCalls(page)
  await settings.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Setting Updated')).toBeVisible()
  expect(callsTo(calls, ':updateSetting')).toMatchObject([
    {
      verb: 'POST',
      path: `/${destination}/app:updateSetting`,
      body: { name: 'url', value: 'https://example.com/other' },
    },
  ])
  await expect.poll(() => calls.some(({ verb, path }) => verb === 'GET' && path === `/${destination}`)).toBe(true)
  await expect.poll(() => reads(calls, `/${workspace}/sources?`)).toBeGreaterThan(0)

  // If a secret is sent to the address, a new address can only be saved together with the secret, both in the form and
  // by the server.
  const update = (body: object) => product.api.ok('POST', `/${destination}/app:updateSetting`, body)
  await update({ name: 'signing_secret', value: 'first-secret' })
  await page.reload()
  await url.fill(receiver.url)
  const again = settings.getByRole('group', { name: 'Enter secrets again' })
  const secret = again.getByLabel('Signing secret for the new address')
  await expect(secret).toHaveValue('')
  const later = recordCalls(page)
  await settings.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(secret).toHaveAccessibleDescription(/Required/)
  expect(callsTo(later, ':updateSetting')).toEqual([])
  await expect(update({ name: 'url', value: receiver.url })).rejects.toThrow(/400/)
  await secret.fill('second-secret')
  await settings.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(again).toHaveCount(0)
  await page.reload()
  await expect(url).toHaveValue(receiver.url)
})

test('DST-23: a setting has a label and a description, and starts with its default', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Options')
  const { settings } = (await product.api.ok('GET', `/${workspace}/catalogDestinations/webhook`)) as {
    settings: { name: string; display_name: string; default: string; type: string }[]
  }
  await page.goto(`/${workspace}/catalog-destinations/webhook/new`)
  const method = settings.find(({ name }) => name === 'method')
  await expect(page.getByRole('combobox', { name: method?.display_name ?? '' })).toHaveValue(method?.default ?? '')
  await expect(page.getByRole('textbox', { name: 'URL' })).toHaveAccessibleDescription(/\w{3}/)
})

test('the form for a new destination shows its objects, delivery methods, and record identifiers', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Received')
  await page.goto(`/${workspace}/catalog-destinations/postgresql/new`)
  const received = page.getByRole('region', { name: 'Receives' }).getByRole('listitem')
  await expect(received).toContainText([
    /^Events\s*Insert Only.*Identified by: Message ID$/,
    /^Users\s*Create or update.*Identified by: User ID$/,
    /^Rows of a table\s*Create or update.*Identified by: Upsert key column$/,
    /^Custom statement\s*Your SQL runs/,
  ])
})

test("FORM-15, FORM-16, FORM-17: a destination's connection is tested, and consent categories are added with Tab and Enter and removed with Backspace", async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { destination } = await furnish(product, 'Tested', receiver.url)
  await page.goto(`/${destination}#settings`)
  await page.getByRole('button', { name: 'Test connection' }).click()
  await expect(page.getByText(/\(\d+ ms\)/)).toBeVisible()
  const categories = page.getByRole('textbox', { name: 'Consent categories' })
  const calls = recordCalls(page)
  await categories.fill('Marketing')
  await categories.press('Enter')
  await categories.fill('Statistics')
  await categories.press('Tab')
  await expect(categories).toBeFocused()
  await expect(page.getByRole('button', { name: 'Remove Statistics' })).toBeVisible()
  expect(calls.filter(({ verb }) => verb === 'PATCH')).toEqual([])
  await categories.fill('x')
  await categories.press('Backspace')
  await expect(page.getByRole('button', { name: 'Remove Statistics' })).toBeVisible()
  await categories.press('Backspace')
  await expect(page.getByRole('button', { name: 'Remove Statistics' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Save consent' }).click()
  await expect(page.getByText('Destination Updated', { exact: true })).toBeVisible()
  expect(calls.filter(({ verb }) => verb === 'PATCH')).toMatchObject([
    { path: `/${destination}?update_mask=consent_categories`, body: { consent_categories: ['Marketing'] } },
  ])
  await page.reload()
  await expect(page.getByRole('button', { name: 'Remove Marketing' })).toBeVisible()
})
