import type { Page } from '@playwright/test'
import { createSource, createWorkspace } from '@tributary/test-kit'
import { callsTo, onCall, recordCalls, refuse } from './api-calls.ts'
import { expect, test } from './product-fixture.ts'
import { sendTracks } from './tracking.ts'

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Delete source' })

test('SRC-45, SRC-46, SRC-47: saving a title sends only the title, and shows a confirmation', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Renamed')
  const { source } = await createSource(product.api, workspace, 'Old name')
  await page.goto(`/${source}#settings`)
  const general = page.getByRole('form', { name: 'General' })
  await general.getByRole('textbox', { name: 'Title' }).fill('')
  const calls = recordCalls(page)
  await general.getByRole('button', { name: 'Save Changes' }).click()
  await expect(general.getByText('Required')).toBeVisible()
  await general.getByRole('textbox', { name: 'Title' }).fill('New name')
  await general.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('Source Title Updated')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'New name', level: 1 })).toBeVisible()
  expect(calls.filter(({ verb }) => verb === 'PATCH')).toMatchObject([
    { path: `/${source}?update_mask=title`, body: { title: 'New name' } },
  ])
})

test('SRC-48, SRC-49, SRC-50: a source is deleted only after the confirmation is accepted', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Kept')
  const { source } = await createSource(product.api, workspace, 'Web shop')
  await page.goto(`/${source}#settings`)
  const calls = recordCalls(page)
  await page.getByRole('button', { name: 'Delete source' }).click()
  await expect(
    dialogOf(page).getByText(
      'Are you sure you want to delete the Web shop source along with all its associated syncs?',
      {
        exact: true,
      },
    ),
  ).toBeVisible()
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(dialogOf(page)).toHaveCount(0)
  expect(calls.filter(({ verb }) => verb === 'DELETE')).toEqual([])
  expect((await product.api.ok('GET', `/${source}`)).title).toBe('Web shop')
})

test('SRC-51, SRC-52, SRC-53, SRC-54: a deleted source leaves the list immediately, its page closes, and a confirmation is shown', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Deleted')
  const { source, key } = await createSource(product.api, workspace, 'Web shop')
  await createSource(product.api, workspace, 'Other shop')
  await page.goto(`/${workspace}/sources`)
  await page.getByRole('link', { name: 'Web shop' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  const open = Promise.withResolvers<void>()
  await onCall(page, `/${source}`, async (route) => {
    if (route.request().method() === 'DELETE') await open.promise
    await route.fallback()
  })
  const calls = recordCalls(page)
  await page.getByRole('button', { name: 'Delete source' }).click()
  await dialogOf(page).getByRole('button', { name: 'Delete source' }).click()
  await page.evaluate(() => window.history.back())
  await expect(page.getByRole('link', { name: 'Other shop' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Web shop' })).toHaveCount(0)
  open.resolve()
  await expect(page.getByText('Source Deleted')).toBeVisible()
  await expect(page).toHaveURL(`/${workspace}/sources`)
  expect(callsTo(calls, `/${source}`).filter(({ verb }) => verb === 'DELETE')).toHaveLength(1)
  expect(await sendTracks(product.url, key, [{ event: 'Gone', messageId: 'gone' }])).toBe(401)
})

test('a source leaves the list during its deletion, and returns if the deletion is refused (SRC-55)', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Put back at once')
  const { source } = await createSource(product.api, workspace, 'Web shop')
  await createSource(product.api, workspace, 'Other shop')
  await page.goto(`/${workspace}/sources`)
  await page.getByRole('link', { name: 'Web shop' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  const refusal = Promise.withResolvers<void>()
  await onCall(page, `/${source}`, async (route) => {
    if (route.request().method() !== 'DELETE') return await route.fallback()
    await refusal.promise
    await refuse(400, 'IN_USE', 'A sync still runs')(route)
  })
  // From here on no list can be read, so the page itself must restore the entry.
  await page.route(
    (url) => url.pathname === `/api/${workspace}/sources`,
    () => undefined,
  )
  await page.getByRole('button', { name: 'Delete source' }).click()
  await dialogOf(page).getByRole('button', { name: 'Delete source' }).click()
  // The dialog covers the page, so the link to the list is followed with a dispatched event.
  await page.locator(`nav a[href="/${workspace}/sources"]`).first().dispatchEvent('click')
  await expect(page.getByRole('link', { name: 'Other shop' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Web shop' })).toHaveCount(0)
  refusal.resolve()
  await expect(page.getByRole('link', { name: 'Web shop' })).toBeVisible()
})

test('a refused deletion of a source shows the reason', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Put back')
  const { source } = await createSource(product.api, workspace, 'Web shop')
  await page.goto(`/${workspace}/sources`)
  await page.getByRole('link', { name: 'Web shop' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await onCall(page, `/${source}`, (route) =>
    route.request().method() === 'DELETE' ? refuse(400, 'IN_USE', 'A sync still runs')(route) : route.fallback(),
  )
  await page.getByRole('button', { name: 'Delete source' }).click()
  await dialogOf(page).getByRole('button', { name: 'Delete source' }).click()
  await expect(dialogOf(page).getByRole('alert')).toHaveText('A sync still runs')
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Sources' }).click()
  await expect(page.getByRole('link', { name: 'Web shop' })).toBeVisible()
})

test('a rotated key is refused, and the new one is accepted', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Rotated')
  const { source, key } = await createSource(product.api, workspace, 'Web shop')
  await page.goto(`/${source}#setup`)
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('dialog', { name: 'Rotate write key' }).getByRole('button', { name: 'Rotate key' }).click()
  await expect(page.getByText('Write Key Rotated')).toBeVisible()
  await page.getByRole('button', { name: 'Copy key' }).click()
  const next = await page.evaluate(() => navigator.clipboard.readText())
  expect(next).not.toBe(key)
  await expect.poll(() => sendTracks(product.url, key, [{ event: 'Old', messageId: 'old' }])).toBe(401)
  expect(await sendTracks(product.url, next, [{ event: 'New', messageId: 'new' }])).toBe(200)
})
