import type { Locator, Page } from '@playwright/test'
import { createSource, createWorkspace, type Product, type TestSource } from '@tributary/test-kit'
import { colourOf } from './colour.ts'
import { expect, test } from './product-fixture.ts'
import { sendTracks, type Track } from './tracking.ts'

const area = (page: Page): Locator => page.getByRole('region', { name: 'Event list' })
const rows = (page: Page): Locator =>
  page.getByRole('table', { name: 'Live events' }).getByRole('rowgroup').last().getByRole('row')
const newEvents = (page: Page): Locator => page.getByRole('button', { name: /new events?$/ })
/** Scrolls, and waits until the page has heard of it. */
const scrollTo = (page: Page, top: number): Promise<void> =>
  area(page).evaluate(
    (element, y) =>
      new Promise<void>((resolve) => {
        element.addEventListener('scroll', () => resolve(), { once: true })
        element.scrollTo({ top: y })
      }),
    top,
  )

/** `count` events with their number in name and message id. */
const numbered = (name: string, count: number): Track[] =>
  Array.from({ length: count }, (_, index) => ({ event: `${name} ${index + 1}`, messageId: `${name}-${index + 1}` }))

type Live = TestSource & { send: (tracks: readonly Track[]) => Promise<void> }

/** A new source on its page, joined to the live channel. */
const openLive = async (page: Page, product: Product): Promise<Live> => {
  const { workspace } = await createWorkspace(product.api, 'Live events')
  const made = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${made.source}`)
  await expect(page.getByRole('button', { name: 'Connection: Live' })).toBeVisible()
  return {
    ...made,
    send: async (tracks) => expect(await sendTracks(product.url, made.key, tracks)).toBe(200),
  }
}

test('the table has type, name, environment and time in an area of 320 px that scrolls, and says when it waits', async ({
  signedIn: page,
  product,
}) => {
  await openLive(page, product)
  await expect(page.getByRole('columnheader')).toHaveText([/Event type/i, 'Name', 'Environment', 'Received'])
  await expect(area(page)).toHaveCSS('height', '320px')
  await expect(area(page)).toHaveCSS('overflow-y', 'auto')
  await expect(page.getByText('No events received yet. Waiting for data...', { exact: true })).toBeVisible()
})

test('a row has its type, its name cut after 24 characters, Test or Prod, and stands above older ones, after a reload too', async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openLive(page, product)
  await send([{ event: 'Exactly 24 characters xx', messageId: 'whole' }])
  await expect(rows(page)).toHaveCount(1)
  await send([{ event: 'Exactly 24 characters xxy', messageId: 'cut', test: true }])
  await expect(rows(page)).toHaveCount(2)
  await send([
    { event: 'Same moment A', messageId: 'a' },
    { event: 'Same moment B', messageId: 'b' },
  ])
  await expect(rows(page)).toHaveCount(4)
  const old = [/^track.*Exactly 24 characters xx\.\.\..*Test.*\d/, /^track.*Exactly 24 characters xx(?!\.).*Prod.*\d/]
  await expect(rows(page)).toHaveText([/Same moment/, /Same moment/, ...old])
  await expect(rows(page).nth(2).getByTitle('Exactly 24 characters xxy')).toBeVisible()
  const live = await rows(page).allTextContents()
  await expect
    .poll(async () => ((await product.api.ok('GET', `${new URL(page.url()).pathname}/events`)).events as []).length)
    .toBe(4)
  await page.reload()
  await expect(rows(page)).toHaveText(live)
})

test('the newest 50 are kept, each message id once', async ({ signedIn: page, product }) => {
  const { send } = await openLive(page, product)
  for (const [index, name] of ['First', 'Second', 'Third'].entries()) {
    await send(numbered(name, 20))
    await expect(rows(page)).toHaveCount(Math.min(50, 20 * (index + 1)))
  }
  await expect(rows(page).filter({ hasText: 'Third' })).toHaveCount(20)
  await expect(rows(page).filter({ hasText: 'First' })).toHaveCount(10)
  await send([...numbered('Third', 20), { event: 'Last', messageId: 'last' }])
  await expect(rows(page).first()).toContainText('Last')
  await expect(rows(page).filter({ hasText: 'Third' })).toHaveCount(20)
  await expect(rows(page)).toHaveCount(50)
})

test('scrolled away, the rows stay and a green button counts what is new; it leads to the top and takes it in', async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openLive(page, product)
  await send(numbered('Old', 30))
  await expect(rows(page)).toHaveCount(30)
  await expect(newEvents(page)).toHaveCount(0)

  await scrollTo(page, 400)
  await send(numbered('New', 3))
  await expect(newEvents(page)).toHaveText('3 new events')
  const [red = 255, green = 0, blue = 255] = await colourOf(newEvents(page), 'backgroundColor')
  expect(green).toBeGreaterThan(Math.max(red, blue))
  await expect(rows(page)).toHaveCount(30)
  await expect(rows(page).filter({ hasText: 'New' })).toHaveCount(0)
  await newEvents(page).click()
  await expect(newEvents(page)).toHaveCount(0)
  await expect(rows(page)).toHaveCount(33)
  expect(await area(page).evaluate(({ scrollTop }) => scrollTop)).toBe(0)

  await scrollTo(page, 400)
  await send(numbered('Single', 1))
  await expect(newEvents(page)).toHaveText('1 new event')
  await send(numbered('Flood', 150))
  await expect(newEvents(page)).toHaveText('+99 new events')
  await newEvents(page).click()
  await expect(newEvents(page)).toHaveCount(0)
  await expect(rows(page).first()).toContainText('Flood')
  await expect(rows(page)).toHaveCount(50)
})

test('scrolling back to the top takes in what is new, and at the top no button shows', async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openLive(page, product)
  await send(numbered('Old', 30))
  await expect(rows(page)).toHaveCount(30)
  await scrollTo(page, 400)
  await send(numbered('New', 2))
  await expect(newEvents(page)).toHaveText('2 new events')
  await scrollTo(page, 0)
  await expect(rows(page)).toHaveCount(32)
  await expect(newEvents(page)).toHaveCount(0)
  await send(numbered('Newest', 1))
  await expect(rows(page).first()).toContainText('Newest 1')
  await expect(newEvents(page)).toHaveCount(0)
})

test('paused, nothing is taken in until it is resumed; cleared, only what comes later shows', async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openLive(page, product)
  await expect(page.getByRole('button', { name: 'Clear' })).toBeDisabled()
  await send(numbered('Before', 1))
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Pause' }).click()
  await send(numbered('Meanwhile', 2))
  await expect(page.getByRole('button', { name: 'Resume' })).toContainText('2 new events')
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(rows(page)).toHaveCount(3)
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect(rows(page)).toHaveCount(0)
  await expect(page.getByText('No events received yet. Waiting for data...')).toBeVisible()
  await send(numbered('After', 1))
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText(['After 1'])
})

test('the dialog shows the event as it was received, read-only, with name, type and time', async ({
  signedIn: page,
  product,
}) => {
  const { key } = await openLive(page, product)
  const response = await fetch(`${product.url}/v1/track`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: '{"userId":"u","messageId":"exact","event":"A name of more than 24 characters","properties":{"big":12345678901234567890,"none":null,"a.b":[]}}',
  })
  expect(response.status).toBe(200)
  await rows(page).first().click()
  const dialog = page.getByRole('dialog', { name: 'A name of more than 24 characters' })
  await expect(dialog.getByText('track event', { exact: true })).toBeVisible()
  await expect(dialog.getByText(/^Received at .*\d/)).toBeVisible()
  const payload = dialog.getByLabel('exact', { exact: true })
  await expect(payload).toContainText('    "big": 12345678901234567890,\n    "none": null,\n    "a.b": []\n')
  await expect(dialog.getByRole('textbox')).toHaveCount(0)
  await expect(dialog.locator('[contenteditable]')).toHaveCount(0)
  await dialog.getByRole('tab', { name: 'Deliveries' }).click()
  await expect(dialog.getByText(/No attempt is recorded yet/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(dialog).toHaveCount(0)
})

test('a rejected event is marked in its row and gives its reason in the dialog', async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openLive(page, product)
  await send([{ event: '', messageId: 'nameless' }])
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText(['Rejected'])
  await rows(page).first().click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('A track event needs the name of what happened in event.')).toBeVisible()
  await dialog.getByRole('tab', { name: 'Deliveries' }).click()
  await expect(dialog.getByText('A rejected event is kept, and delivered nowhere.')).toBeVisible()
})

test('Enter and Space open a row, Escape closes the dialog and gives the row its focus back', async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openLive(page, product)
  await send(numbered('Order', 2))
  await expect(rows(page)).toHaveCount(2)
  await area(page).focus()
  await page.keyboard.press('Tab')
  for (const key of ['Enter', 'Space']) {
    await expect(rows(page).first()).toBeFocused()
    await page.keyboard.press(key)
    const dialog = page.getByRole('dialog', { name: /Order/ })
    await expect(dialog).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  }
  await expect(rows(page).first()).toBeFocused()
})

test('an event that came just before the channel was joined appears, although neither the channel nor the first read has it', async ({
  signedIn: page,
  product,
}) => {
  const asked = Promise.withResolvers<void>()
  const sent = Promise.withResolvers<void>()
  await page.routeWebSocket(/\/app\//, (socket) => {
    const server = socket.connectToServer()
    socket.onMessage(async (message) => {
      asked.resolve()
      await sent.promise
      server.send(message)
    })
  })
  const { workspace } = await createWorkspace(product.api, 'Late join')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${source}`)
  await expect(page.getByText('No events received yet. Waiting for data...')).toBeVisible()
  await asked.promise
  expect(await sendTracks(product.url, key, numbered('Before', 1))).toBe(200)
  sent.resolve()
  await expect(rows(page)).toHaveCount(1)
  await expect(page.getByRole('button', { name: 'Connection: Live' })).toBeVisible()
})

test('without the live connection the list is read again and again, so that events still appear', async ({
  signedIn: page,
  product,
}) => {
  await page.routeWebSocket(/\/app\//, (socket) => socket.close())
  const { workspace } = await createWorkspace(product.api, 'Not live')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${source}`)
  await expect(page.getByText('No events received yet. Waiting for data...')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Connection: Live' })).toHaveCount(0)
  expect(await sendTracks(product.url, key, numbered('Read', 1))).toBe(200)
  await expect(rows(page)).toHaveCount(1)
  await expect(page.getByRole('button', { name: 'Connection: Live' })).toHaveCount(0)
})

test('the inbox and the live table share one connection', async ({ signedIn: page, product }) => {
  const { send } = await openLive(page, product)
  let sockets = 0
  page.on('websocket', () => sockets++)
  await page.reload()
  await send(numbered('Shared', 1))
  await expect(rows(page)).toHaveCount(1)
  expect(sockets).toBe(1)
})
