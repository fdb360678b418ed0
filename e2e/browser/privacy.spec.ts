import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import {
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { openWithRoles } from './api-calls.ts'
import { addPerson, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'

const rows = (page: Page, name: string): Locator => page.getByRole('table', { name }).getByRole('row')
const tab = (page: Page, name: string): Locator => page.getByRole('tab', { name })

const send = async (product: Product, key: string, ...batch: object[]): Promise<void> => {
  const response = await fetch(`${product.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ batch }),
  })
  expect(response.status).toBe(200)
}

const known = (product: Product, workspace: string, search: string): Promise<unknown> =>
  eventually(
    `a profile has ${search}`,
    async () =>
      ((await product.api.ok('GET', `/${workspace}/profiles?search=${search}`)).profiles as unknown[]).length === 1,
  )

const eventsOf = async (product: Product, workspace: string): Promise<{ user_id: string }[]> =>
  (await product.api.ok('GET', `/${workspace}/events`)).events as { user_id: string }[]

test('a user is exported and deleted on the profile page: profiles and events are empty, the webhook was notified, and the request shows this', async ({
  signedIn: page,
  product,
}) => {
  await using receiver = await startWebhookReceiver()
  const { workspace } = await createWorkspace(product.api, 'Forgetting')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Archive')
  const visit = { type: 'track', event: 'Opened', anonymousId: 'browser-1' }
  await send(product, key, visit, {
    type: 'identify',
    userId: 'user-ada',
    anonymousId: 'browser-1',
    traits: { name: 'Ada' },
  })
  await send(product, key, { type: 'track', event: 'Opened', userId: 'user-grace' })
  for (const search of ['Ada', 'user-grace']) await known(product, workspace, search)
  await eventually('all events are stored', async () => (await eventsOf(product, workspace)).length === 3)
  await page.goto(`/${workspace}/profiles?search=Ada`)
  await page.getByRole('link', { name: 'Ada' }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  const exported = JSON.parse(await readFile(await file.path(), 'utf8'))
  expect(exported).toMatchObject({ profile: { title: 'Ada' }, events: [{ title: 'identify' }, { title: 'Opened' }] })
  await page.getByRole('button', { name: 'Delete user' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete user' })
  await expect(dialog).toContainText("This can't be undone")
  await dialog.getByRole('checkbox', { name: /Also suppress/ }).check()
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(rows(page, 'Profiles')).toHaveCount(2)
  await expect(rows(page, 'Profiles').getByRole('link')).toHaveText(['user-grace'])
  expect((await eventsOf(product, workspace)).map(({ user_id }) => user_id)).toEqual(['user-grace'])

  await page.goto(`/${workspace}/settings/privacy`)
  const request = page.getByRole('list', { name: 'Privacy requests' }).getByRole('listitem').first()
  await expect(request).toContainText('Delete and suppress')
  await expect(request).toContainText('1 identifier · 1 profile')
  for (const place of ['Profiles', 'Events', 'Deliveries'])
    await expect(request.getByText(`${place} removed`)).toBeVisible({ timeout: 60_000 })
  await expect(request.getByText('Logs expire')).toBeVisible()
  await expect(request.getByRole('link', { name: 'Archive done' })).toBeVisible({ timeout: 60_000 })
  // A connection test has an empty body, and is ignored.
  const bodies = receiver.calls.flatMap(({ body }) => (body === '' ? [] : [JSON.parse(body)]))
  expect(bodies.filter(({ operation }) => operation === 'delete')).toMatchObject([
    { object: 'users', key: 'user-ada', payload: { userIds: ['user-ada'], anonymousIds: ['browser-1'] } },
  ])

  await send(product, key, { ...visit, userId: 'user-ada' })
  await tab(page, 'Suppressed').click()
  await page.getByRole('searchbox', { name: 'Search identifier' }).fill('user-ada')
  const one = page.getByRole('list', { name: 'Suppressed identifiers' }).getByRole('listitem')
  await expect(one).toHaveCount(1)
  await one.getByRole('button', { name: 'Lift' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Lift suppression' }).click()
  await expect(page.getByText('Not suppressed')).toBeVisible()
})

test('a list of users is deleted after a confirmation that names what cannot be undone', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Lists')
  await page.goto(`/${workspace}/settings/privacy`)
  await expect(page.getByText('No privacy requests yet')).toBeVisible()
  await page.getByRole('button', { name: 'New request' }).first().click()
  const form = page.getByRole('dialog', { name: 'New privacy request' })
  await form.getByRole('button', { name: 'Continue' }).click()
  await expect(form.getByText('Enter at least one identifier')).toBeVisible()
  await form
    .getByLabel('Choose a file with identifiers')
    .setInputFiles({ name: 'users.csv', mimeType: 'text/csv', buffer: Buffer.from('"u-1"\nu-2\n\nu-1\n') })
  await form.getByRole('button', { name: 'Continue' }).click()
  const question = page.getByRole('dialog', { name: 'Delete users' })
  await expect(question).toContainText('these 2 identifiers')
  await question.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByText('2 identifiers · no profile')).toBeVisible()
})

test('collaborators cannot delete users', async ({ page, product, database }) => {
  const { organization, workspace } = await createWorkspace(product.api, 'Roles')
  const { key } = await createSource(product.api, workspace, 'Shop')
  await send(product, key, { type: 'track', event: 'Opened', userId: 'user-ada' })
  await known(product, workspace, 'user-ada')
  await signIn(page, await addPerson(database, 'Colleague', { organization, role: 'ORG_COLLABORATOR' }))
  await openWithRoles(page, `/${workspace}/profiles`)
  await page.getByRole('link', { name: 'user-ada' }).click()
  await expect(tab(page, 'Traits')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Delete user' })).toHaveCount(0)
})
