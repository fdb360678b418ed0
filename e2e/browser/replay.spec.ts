import { createSource, createWebhook, createWorkspace, type Product, startWebhookReceiver } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'
import { sendTracks } from './tracking.ts'

/** Resolves when `events` events of a workspace are stored. */
const stored = (product: Product, workspace: string, events: number) =>
  expect
    .poll(async () => (await product.api.ok('GET', `/${workspace}/events?page_size=200`)).events, { timeout: 60_000 })
    .toHaveLength(events)

test('a replay is counted before it is confirmed, goes to one destination even without a connection, and shows its outcome', async ({
  signedIn: page,
  product,
}) => {
  await using first = await startWebhookReceiver()
  await using second = await startWebhookReceiver()
  const { workspace } = await createWorkspace(product.api, 'Replayed')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const { source: other } = await createSource(product.api, workspace, 'Other')
  await createWebhook(product.api, workspace, source, { url: first.url }, 'Live feed')
  const destination = await createWebhook(product.api, workspace, other, { url: second.url }, 'New warehouse')
  const events = ['Order Completed', 'Cart Viewed', 'Order Completed'].map((event, n) => ({
    event,
    messageId: `replayed-${n}`,
  }))
  expect(await sendTracks(product.url, key, events)).toBe(200)
  await stored(product, workspace, 3)
  await page.goto(`/${destination}`)
  await page.getByRole('tab', { name: 'Replay' }).click()
  await expect(page.getByRole('heading', { name: 'No replays yet' })).toBeVisible()
  await page.getByRole('button', { name: 'New replay' }).click()
  const form = page.getByRole('dialog', { name: 'New replay' })
  await form.getByLabel('Events per second').fill('0')
  await form.getByRole('button', { name: 'Count events' }).click()
  await expect(form.getByText('From 1 to 5000')).toBeVisible()
  await form.getByLabel('Events per second').fill('500')
  await form.getByRole('button', { name: 'Count events' }).click()
  await expect(form.getByRole('status')).toContainText('3 events')
  await expect(form.getByRole('button', { name: 'Replay 3 events' })).toBeVisible()
  // After a change of the form, the events are counted again.
  await form.getByRole('button', { name: 'Add condition' }).click()
  await expect(form.getByRole('button', { name: /^Replay/ })).toHaveCount(0)
  await form.getByRole('button', { name: 'Count events' }).click()
  await expect(form.getByText('Choose a field')).toBeVisible()
  await form.getByLabel('Field of condition 1').fill('event')
  await form.getByLabel('Value of condition 1').fill('Order Completed')
  await form.getByRole('button', { name: 'Count events' }).click()
  await expect(form.getByRole('status')).toContainText('2 events')
  await form.getByRole('button', { name: 'Replay 2 events' }).click()
  const replay = page.getByRole('listitem', { name: 'History, done' })
  await expect(replay).toContainText('2 of 2 sent')
  await expect(replay).toContainText('event is “Order Completed”')
  await expect(replay.getByRole('definition').first()).toHaveText('2', { timeout: 60_000 })
  expect(Object.fromEntries(second.messageIds())).toEqual({ 'replayed-0': 1, 'replayed-2': 1 })
  // The other destination received the events when they arrived, and did not receive them again.
  expect([...first.messageIds().values()]).toEqual([1, 1, 1])
})

test('a running replay is paused, resumed, and canceled, and only one can be open at a time', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Slow replay')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Slow partner')
  const events = Array.from({ length: 40 }, (_, n) => ({ event: 'Order Completed', messageId: `slow-${n}` }))
  expect(await sendTracks(product.url, key, events)).toBe(200)
  await stored(product, workspace, 40)
  await product.api.ok('POST', `/${destination}/replays`, {
    kind: 'history',
    start_time: new Date(Date.now() - 3_600_000).toISOString(),
    end_time: new Date().toISOString(),
    events_per_second: 1,
  })
  await page.goto(`/${destination}#replay`)
  const replay = page.getByRole('list', { name: 'Replays' }).getByRole('listitem')
  await expect(page.getByRole('button', { name: 'New replay' })).toBeDisabled()
  await replay.getByRole('button', { name: 'Pause' }).click()
  await expect(replay).toHaveAccessibleName('History, paused')
  await replay.getByRole('button', { name: 'Resume' }).click()
  await expect(replay).toHaveAccessibleName('History, running')
  await replay.getByRole('button', { name: 'Cancel' }).click()
  const question = page.getByRole('dialog', { name: 'Cancel this replay?' })
  await question.getByRole('button', { name: 'Keep replay' }).click()
  await expect(replay).toHaveAccessibleName('History, running')
  await replay.getByRole('button', { name: 'Cancel' }).click()
  await question.getByRole('button', { name: 'Cancel replay' }).click()
  await expect(replay).toHaveAccessibleName('History, canceled')
  await expect(replay.getByRole('button')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'New replay' })).toBeEnabled()
})

test('dead letters of one event name are counted and replayed from a link, and the others stay in Failures', async ({
  signedIn: page,
  product,
}) => {
  await using peer = await startWebhookReceiver()
  peer.behave({ status: 404, body: 'no such hook' })
  const { workspace } = await createWorkspace(product.api, 'Dead replay')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: peer.url }, 'Mended')
  const events = [
    { event: 'Order Completed', messageId: 'dead-1' },
    { event: 'Cart Viewed', messageId: 'dead-2' },
    { event: 'Order Completed', messageId: 'dead-3' },
  ]
  expect(await sendTracks(product.url, key, events)).toBe(200)
  await expect
    .poll(async () => (await product.api.ok('GET', `/${destination}/deliveries`)).dead, { timeout: 60_000 })
    .toMatchObject({ event_count: 3 })
  await page.goto(`/${destination}?replay=dead#replay`)
  const form = page.getByRole('dialog', { name: 'New replay' })
  await expect(form.getByRole('radio', { name: /Dead letters/ })).toBeChecked()
  await form.getByRole('button', { name: 'Count events' }).click()
  await expect(form.getByRole('status')).toContainText('3 dead letters')
  // One event is retried meanwhile. It was counted but no longer exists, and no other event is sent instead.
  const [parked] = (await product.api.ok('GET', `/${destination}/parkedDeliveries`)).parked_deliveries as {
    name: string
  }[]
  await product.api.ok('POST', `/${destination}:retry`, { parked_delivery: parked?.name })
  await form.getByRole('button', { name: 'Replay 3 events' }).click()
  await expect(form.getByText('There are now 2 events to send, not 3. Count them again')).toBeVisible()
  await expect
    .poll(async () => (await product.api.ok('GET', `/${destination}/deliveries`)).dead, { timeout: 60_000 })
    .toMatchObject({ event_count: 3 })
  peer.behave({ status: 200 })
  await form.getByLabel('Event name').fill('Order Completed')
  await form.getByRole('button', { name: 'Count events' }).click()
  await expect(form.getByRole('status')).toContainText('2 dead letters')
  await form.getByRole('button', { name: 'Add condition' }).click()
  await form.getByLabel('Field of condition 1').fill('messageId')
  await form.getByLabel('Value of condition 1').fill('dead-1')
  await form.getByRole('button', { name: 'Count events' }).click()
  await expect(form.getByRole('status')).toContainText('1 dead letter')
  await form.getByRole('button', { name: 'Replay 1 event' }).click()
  const replay = page.getByRole('listitem', { name: 'Dead letters, done' })
  await expect(replay).toContainText('1 of 1 sent')
  await expect(replay).toContainText('event “Order Completed” · messageId is “dead-1”')
  await expect(page).toHaveURL(/destinations\/[\w-]+#replay$/)
  await expect.poll(() => Object.fromEntries(peer.messageIds())).toEqual({ 'dead-1': 1 })
  await page.getByRole('tab', { name: 'Failures' }).click()
  await expect(page.getByText('2 dead letters')).toBeVisible()
})
