import { createSource, createWorkspace } from '@tributary/test-kit'
import { colourOf } from './colour.ts'
import { area, expectListed, newEvents, numbered, openLive, rows, scrollTo, showEveryRow } from './live-page.ts'
import { expect, test } from './product-fixture.ts'
import { sendTracks } from './tracking.ts'

test('EVT-01, EVT-04, EVT-05: the live table shows type, name, environment, and time in a scrolling area of 320 px, and says while it waits', async ({
  signedIn: page,
  product,
}) => {
  await openLive(page, product)
  await expect(page.getByRole('columnheader')).toHaveText([/Event type/i, 'Name', 'Environment', 'Received', 'User'])
  await expect(area(page)).toHaveCSS('height', '320px')
  await expect(area(page)).toHaveCSS('overflow-y', 'auto')
  await expect(page.getByText('No events received yet. Waiting for data...', { exact: true })).toBeVisible()
})

test('EVT-03: a row shows its type, its name cut after 24 characters, and Test or Prod, above older rows, also after a reload', async ({
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

test('the live table keeps the newest 50 events, each message ID once', async ({ signedIn: page, product }) => {
  const { send } = await openLive(page, product)
  await showEveryRow(page)
  for (const [index, name] of ['First', 'Second', 'Third'].entries()) {
    await send(numbered(name, 20))
    await expectListed(page, Math.min(50, 20 * (index + 1)))
  }
  await expect(rows(page).filter({ hasText: 'Third' })).toHaveCount(20)
  await expect(rows(page).filter({ hasText: 'First' })).toHaveCount(10)
  await send([...numbered('Third', 20), { event: 'Last', messageId: 'last' }])
  await expect(rows(page).first()).toContainText('Last')
  await expect(rows(page).filter({ hasText: 'Third' })).toHaveCount(20)
  await expectListed(page, 50)
})

test('EVT-06, EVT-08, EVT-33: while scrolled down, the rows stay and a green button counts new events; the button scrolls up and adds them', async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openLive(page, product)
  await send(numbered('Old', 30))
  await expectListed(page, 30)
  await expect(newEvents(page)).toHaveCount(0)

  await scrollTo(page, 400)
  await send(numbered('New', 3))
  await expect(newEvents(page)).toHaveText('3 new events')
  const [red = 255, green = 0, blue = 255] = await colourOf(newEvents(page), 'backgroundColor')
  expect(green).toBeGreaterThan(Math.max(red, blue))
  await expectListed(page, 30)
  await expect(rows(page).filter({ hasText: /New \d/ })).toHaveCount(0)
  await newEvents(page).click()
  await expect(newEvents(page)).toHaveCount(0)
  await expectListed(page, 33)
  expect(await area(page).evaluate(({ scrollTop }) => scrollTop)).toBe(0)

  await scrollTo(page, 400)
  await send(numbered('Single', 1))
  await expect(newEvents(page)).toHaveText('1 new event')
  await send(numbered('Flood', 150))
  await expect(newEvents(page)).toHaveText('+99 new events')
  await newEvents(page).click()
  await expect(newEvents(page)).toHaveCount(0)
  await expect(rows(page).first()).toContainText('Flood')
  await expectListed(page, 50)
})

test('EVT-09: scrolling back to the top adds new events, and at the top no button is shown', async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openLive(page, product)
  await send(numbered('Old', 30))
  await expectListed(page, 30)
  await scrollTo(page, 400)
  await send(numbered('New', 2))
  await expect(newEvents(page)).toHaveText('2 new events')
  await scrollTo(page, 0)
  await expectListed(page, 32)
  await expect(newEvents(page)).toHaveCount(0)
  await send(numbered('Newest', 1))
  await expect(rows(page).first()).toContainText('Newest 1')
  await expect(newEvents(page)).toHaveCount(0)
})

test('a paused table adds no events until it is resumed; a cleared table shows only later events', async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openLive(page, product)
  await expect(page.getByRole('button', { name: 'Clear list' })).toBeDisabled()
  await send(numbered('Before', 1))
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Pause' }).click()
  await send(numbered('Meanwhile', 2))
  await expect(page.getByRole('button', { name: 'Resume' })).toContainText('2 new events')
  await expect(page.getByRole('button', { name: 'Connection: Paused' })).toBeVisible()
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(rows(page)).toHaveCount(3)
  await page.getByRole('button', { name: 'Clear list' }).click()
  await expect(rows(page)).toHaveCount(0)
  await expect(page.getByText('No events received yet. Waiting for data...')).toBeVisible()
  await send(numbered('After', 1))
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText(['After 1'])
})

test('EVT-11, EVT-12, EVT-13, EVT-14, EVT-15: a row opens a dialog with name, type in lowercase, and time, which Close closes', async ({
  signedIn: page,
  product,
}) => {
  const { key } = await openLive(page, product)
  const response = await fetch(`${product.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ batch: [{ type: 'TRACK', userId: 'u', event: 'A name of more than 24 characters' }] }),
  })
  expect(response.status).toBe(200)
  await rows(page).first().click()
  const dialog = page.getByRole('dialog', { name: 'A name of more than 24 characters' })
  await expect(dialog.getByText('track event', { exact: true })).toBeVisible()
  await expect(dialog.getByText(/^Received at .*\d/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(dialog).toHaveCount(0)
})

test('EVT-16, EVT-17: the dialog has the tabs Payload, Compatibility, and Deliveries; the payload is the exact event, indented and read-only', async ({
  signedIn: page,
  product,
}) => {
  const { key } = await openLive(page, product)
  const response = await fetch(`${product.url}/v1/track`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: '{"userId":"u","messageId":"exact","event":"Payload","properties":{"big":12345678901234567890,"none":null,"a.b":[]}}',
  })
  expect(response.status).toBe(200)
  await rows(page).first().click()
  const dialog = page.getByRole('dialog', { name: 'Payload' })
  await expect(dialog.getByRole('tab')).toHaveText(['Payload', 'Compatibility', 'Deliveries'])
  const payload = dialog.getByLabel('exact', { exact: true })
  await expect(payload).toContainText('    "big": 12345678901234567890,\n    "none": null,\n    "a.b": []\n')
  await expect(dialog.getByRole('textbox')).toHaveCount(0)
  await expect(dialog.locator('[contenteditable]')).toHaveCount(0)
  await dialog.getByRole('tab', { name: 'Deliveries' }).click()
  await expect(dialog.getByText(/No attempts yet/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(dialog).toHaveCount(0)
})

test('a rejected event is marked in its row, and its dialog shows the reason', async ({ signedIn: page, product }) => {
  const { send } = await openLive(page, product)
  await send([{ event: '', messageId: 'nameless' }])
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText(['Rejected'])
  await rows(page).first().click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('A track event needs its name in event.')).toBeVisible()
  await dialog.getByRole('tab', { name: 'Deliveries' }).click()
  await expect(dialog.getByText('Rejected events are stored but not delivered.')).toBeVisible()
})

test('Enter and Space open a row, and Escape closes the dialog and returns the focus to the row', async ({
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

  // The keys are pressed before the address of the first event is shown.
  const dialog = page.getByRole('dialog', { name: /Order/ })
  await rows(page).first().click()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('dialog', { name: 'Order 1' })).toBeVisible()
  // The panel of the event is part of the page, so the palette opens above the panel.
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
})

test('an event just before the channel was joined appears, although neither the channel nor the first read has it', async ({
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

test('without the live connection, the list is read repeatedly, so that events still appear', async ({
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

test('an open event has its own URL: Back closes it, a link opens it, and Close returns to the source', async ({
  signedIn: page,
  product,
}) => {
  const { send, source } = await openLive(page, product)
  await send(numbered('Linked', 2))
  await expect(rows(page)).toHaveCount(2)
  const dialog = page.getByRole('dialog', { name: 'Linked 1' })
  await rows(page).filter({ hasText: 'Linked 1' }).click()
  await expect(dialog).toBeVisible()
  const link = page.url()
  expect(link).toMatch(/\?event=[^&]+$/)
  await page.goBack()
  await expect(dialog).toHaveCount(0)
  expect(new URL(page.url()).search).toBe('')

  await page.goto(link)
  await expect(dialog.getByText('track event', { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page).toHaveURL(`${product.url}/${source}`)

  await page.goto(`/${source}?event=0-99999-0`)
  await expect(page.getByRole('dialog').getByText('The requested resource was not found.')).toBeVisible()
})

test('filters apply to shown and to new events, and without a match the table says so', async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openLive(page, product)
  await send([...numbered('Order', 28), { event: 'Refund', messageId: 'refund', test: true }])
  await expectListed(page, 29)
  const search = page.getByRole('searchbox', { name: 'Search by name' })
  await search.fill('refu')
  await expect(rows(page)).toHaveText([/Refund/])
  await page.getByRole('combobox', { name: 'Environment' }).selectOption('Prod')
  await expect(rows(page)).toHaveCount(0)
  await expect(page.getByText('No events match your filters.')).toBeVisible()
  await page.getByRole('button', { name: 'Show all events' }).click()
  await expectListed(page, 29)
  await expect(search).toHaveValue('')

  await page.getByRole('combobox', { name: 'Event type' }).selectOption('page')
  await expect(rows(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await search.fill('order')
  await expectListed(page, 28)
  await scrollTo(page, 400)
  await send([...numbered('Other', 5), ...numbered('Order again', 2)])
  await expect(newEvents(page)).toHaveText('2 new events')
  await newEvents(page).click()
  await expectListed(page, 30)

  await expect(page).toHaveURL(/\?search=order$/)
  await page.getByRole('button', { name: 'Clear list' }).click()
  await expectListed(page, 0)
  await page.reload()
  await expect(search).toHaveValue('order')
  await expectListed(page, 30)
  await page.getByRole('button', { name: 'View' }).click()
  await page.getByRole('button', { name: 'Clear list and filters' }).click()
  await expect(search).toHaveValue('')
  await expectListed(page, 0)
  expect(new URL(page.url()).search).toBe('')
})

test('at 390 px, every filter is within the page and works', async ({ signedIn: page, product }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const { send } = await openLive(page, product)
  await send([{ event: 'A', messageId: 'a', test: true }, ...numbered('B', 1)])
  await expect(rows(page)).toHaveCount(2)
  const filters = page.getByRole('search', { name: 'Filter events' })
  const controls = await filters.getByRole('combobox').or(filters.getByRole('searchbox')).all()
  expect(controls).toHaveLength(4)
  for (const control of controls) {
    const box = await control.boundingBox()
    expect(box?.x).toBeGreaterThan(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(390)
  }
  await page.getByRole('combobox', { name: 'Environment' }).selectOption('Test')
  await expect(rows(page)).toHaveText([/A.*Test/])
})

test('an expanded table fills the window, also after a reload, and has 320 px when collapsed; density and property are kept, too', async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openLive(page, product)
  await send(numbered('Order', 30))
  await expectListed(page, 30)
  const heightOf = async (): Promise<number> => (await area(page).boundingBox())?.height ?? 0
  await page.setViewportSize({ width: 1440, height: 1200 })
  await page.getByRole('button', { name: 'Expand' }).click()
  await expect.poll(heightOf).toBeGreaterThan(700)
  await page.getByRole('button', { name: 'View' }).click()
  await page.getByText('Compact', { exact: true }).click()
  await page.getByRole('combobox', { name: 'Property column' }).fill('position')
  await expect(page.getByRole('columnheader', { includeHidden: true })).toHaveCount(6)
  await page.keyboard.press('Escape')
  await page.reload()
  await expect.poll(heightOf).toBeGreaterThan(700)
  const end = await area(page).evaluate((element) => window.innerHeight - element.getBoundingClientRect().bottom)
  expect(end).toBeGreaterThan(0)
  expect(end).toBeLessThan(50)
  await expect(page.getByRole('columnheader')).toHaveCount(6)
  expect((await rows(page).first().boundingBox())?.height).toBeLessThan(32)
  await page.getByRole('button', { name: 'Collapse', exact: true }).click()
  await expect(area(page)).toHaveCSS('height', '320px')
})

test('EVT-11: the open event is beside its usable list; arrows go to the next and previous event, and its row is highlighted', async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openLive(page, product)
  await send(numbered('Order', 30))
  await expectListed(page, 30)
  await page.setViewportSize({ width: 1440, height: 900 })
  await rows(page).first().click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeFocused()
  const [list, panel] = [await area(page).boundingBox(), await dialog.boundingBox()]
  expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThanOrEqual(panel?.x ?? 0)
  const marked = page.locator('tr[aria-current="true"]')
  const title = dialog.getByRole('heading', { level: 2 })
  await expect(marked).toContainText((await title.textContent()) ?? 'nothing')
  await dialog.getByRole('tab', { name: 'Compatibility' }).click()
  await dialog.getByRole('button', { name: 'Next event' }).focus()
  for (let step = 0; step < 14; step++) await page.keyboard.press(step % 2 === 0 ? 'ArrowDown' : 'j')
  await expect(dialog.getByText('15 of 30')).toBeVisible()
  await page.keyboard.press('ArrowUp')
  await expect(dialog.getByText('14 of 30')).toBeVisible()
  await expect(marked).toContainText((await title.textContent()) ?? 'nothing')
  await expect(marked).toBeInViewport()
  await expect(dialog.getByRole('tab', { name: 'Compatibility' })).toHaveAttribute('aria-selected', 'true')
  // The list still works, and one step back in the history leads to a page without an event.
  await rows(page)
    .filter({ hasNot: page.locator('[aria-current]') })
    .last()
    .click()
  await expect(marked).toBeFocused()
  await page.goBack()
  await expect(dialog).toHaveCount(0)
  expect(new URL(page.url()).search).toBe('')
})

test('no event is missing after a burst that is larger than a message of the live channel', async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openLive(page, product)
  await send(numbered('A burst with names as long as names of events are in practice', 48))
  await expectListed(page, 48)
  await expect(page.getByText(/skipped in this list/)).toHaveCount(0)
})
