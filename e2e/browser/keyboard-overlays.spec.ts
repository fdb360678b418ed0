import type { Locator, Page } from '@playwright/test'
import { createSource, createWebhook, createWorkspace, type Product, type WebhookReceiver } from '@tributary/test-kit'
import { addPerson, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'
import { sendTracks } from './tracking.ts'

type Places = { workspace: string; source: string; destination: string }
/** An overlay to test. `free` means that the page beside the overlay can be used, so Tab can leave the overlay. */
type Case = { what: string; path: (places: Places) => string; opener: (page: Page) => Locator; free?: true }

const button = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name, exact: typeof name === 'string' }).first()
const rowOf = (table: string) => (page: Page) =>
  page.getByRole('table', { name: table }).getByRole('rowgroup').last().locator('[tabindex="0"]').first()
const settings =
  (page: string) =>
  ({ workspace }: Places) =>
    `/${workspace}/settings/${page}`
const members = settings('organization/members')
const home = ({ workspace }: Places): string => `/${workspace}`

const menus: Case[] = [
  { what: 'the workspace switcher', path: home, opener: button(/^Workspace /) },
  { what: 'the Help menu', path: home, opener: button('Help') },
  { what: 'the user menu', path: home, opener: button('User menu') },
]

const dialogs: Case[] = [
  { what: 'the inbox', path: home, opener: button(/^Notifications/), free: true },
  { what: 'inviting, from the sidebar', path: home, opener: button('Invite') },
  {
    what: 'a further workspace, from General',
    path: settings('organization'),
    opener: button(/Create workspace/),
  },
  { what: 'removing a member', path: members, opener: button(/^Remove /) },
  { what: 'leaving, from Members', path: members, opener: button('Leave') },
  {
    what: 'revoking an invitation',
    path: members,
    opener: (page) => page.getByRole('button', { name: /Revoke/ }).first(),
  },
  {
    what: 'revoking an invitation link',
    path: members,
    opener: (page) => page.getByRole('button', { name: /Revoke/ }).last(),
  },
  { what: 'leaving, from Account', path: settings('account'), opener: button('Leave organization') },
  { what: 'ending the other sessions', path: settings('account'), opener: button('Sign out everywhere else') },
  { what: 'a new connection', path: ({ workspace }) => `/${workspace}/connections`, opener: button('Connect') },
  {
    what: 'ending a connection',
    path: ({ source }) => `/${source}#connections`,
    opener: button('Disconnect'),
  },
  { what: 'an event', path: ({ source }) => `/${source}`, opener: rowOf('Live events'), free: true },
  {
    what: 'a refused request',
    path: ({ source }) => `/${source}#refused`,
    opener: rowOf('Refused requests'),
  },
  { what: 'revoking a write key', path: ({ source }) => `/${source}#setup`, opener: button('Revoke') },
  { what: 'deleting a source', path: ({ source }) => `/${source}#settings`, opener: button('Delete source') },
  {
    what: 'the choice of what to connect',
    path: ({ destination }) => `/${destination}#connections`,
    opener: button(/^Connect /),
    free: true,
  },
  { what: 'a delivery', path: ({ destination }) => `/${destination}#deliveries`, opener: rowOf('Deliveries') },
  {
    what: 'deleting a destination',
    path: ({ destination }) => `/${destination}#settings`,
    opener: button('Delete destination'),
  },
]

/** Creates a workspace in which each of these overlays can be opened. */
const furnish = async (
  product: Product,
  receiver: WebhookReceiver,
  add: (member: { organization: string; role: 'ORG_ADMIN' }) => Promise<unknown>,
): Promise<Places> => {
  const { workspace, organization } = await createWorkspace(product.api, 'By keyboard')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  await createSource(product.api, workspace, 'Unconnected')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Receiver')
  await add({ organization, role: 'ORG_ADMIN' })
  await product.api.ok('POST', `/${organization}/invitations:batchCreate`, { emails: ['k@example.com'], role: 1 })
  await product.api.ok('POST', `/${organization}/invitationlinks`, { role: 2 })
  expect(await sendTracks(product.url, key, [{ event: 'Opened', messageId: 'keyboard-1' }])).toBe(200)
  const refused = await fetch(`${product.url}/v1/track`, { method: 'POST', headers: { 'x-write-key': key }, body: '{' })
  expect(refused.status).toBe(400)
  return { workspace, source, destination }
}

/** Opens the page where a case starts, unless the page is already open, and closes open overlays. */
const visit = async (page: Page, path: string): Promise<void> => {
  if (page.url() !== new URL(path, page.url()).href) await page.goto(path)
}

/** Moves the focus to a control, which must also be reachable with Tab, and presses Enter. */
const press = async (opener: Locator): Promise<void> => {
  await expect(opener).toBeVisible()
  // Some controls wait for a response before they can be used.
  await expect(opener).toBeEnabled()
  expect(await opener.evaluate((element: HTMLElement) => element.tabIndex)).toBe(0)
  await opener.focus()
  await opener.press('Enter')
}

test('every menu opens with Enter, is navigated with arrows, closes with Escape, and returns the focus', async ({
  page,
  product,
  database,
  receiver,
}) => {
  const places = await furnish(product, receiver, async (member) =>
    signIn(page, await addPerson(database, 'Kim', member)),
  )
  for (const { what, path, opener } of menus)
    await test.step(what, async () => {
      await visit(page, path(places))
      await press(opener(page))
      const menu = page.getByRole('menu')
      await expect(menu).toBeVisible()
      await page.keyboard.press('ArrowDown')
      await expect(menu.locator(':focus')).toHaveCount(1)
      await page.keyboard.press('Escape')
      await expect(menu).toHaveCount(0)
      await expect(opener(page)).toBeFocused()
    })
})

test('every dialog opens with Enter, keeps the focus inside, closes with Escape, and returns the focus', async ({
  signedIn: page,
  product,
  database,
  receiver,
}) => {
  const places = await furnish(product, receiver, (member) => addPerson(database, 'Kai', member))
  for (const { what, path, opener, free } of dialogs)
    await test.step(what, async () => {
      await visit(page, path(places))
      await press(opener(page))
      const dialog = page.getByRole('dialog')
      await expect(dialog).toBeVisible()
      await expect(dialog).toHaveAccessibleName(/.+/)
      for (let presses = 0; presses < 4 && free !== true; presses++) {
        await page.keyboard.press('Tab')
        await expect(page.locator('[role=dialog] :focus, [role=dialog]:focus')).toHaveCount(1)
      }
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
      await expect(opener(page)).toBeFocused()
    })
})
