import { createSource, createWebhook, createWorkspace, eventually, startWebhookReceiver } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'
import { sendTracks, untilAttempted } from './tracking.ts'

test('failures are grouped by cause, with request and response; once the cause is fixed, one retry delivers the group', async ({
  signedIn: page,
  product,
}) => {
  await using peer = await startWebhookReceiver()
  peer.behave({ status: 404, body: 'no such hook' })
  const { workspace } = await createWorkspace(product.api, 'Held')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: peer.url }, 'Mended later')
  const events = ['held-1', 'held-2', 'held-3'].map((messageId) => ({ event: 'Order Completed', messageId }))
  expect(await sendTracks(product.url, key, events)).toBe(200)
  await untilAttempted(product.api, destination, { count: 3 })
  await page.goto(`/${destination}#failures`)
  const row = page.getByRole('table', { name: 'Failures' }).getByRole('row', { name: /no such hook/ })
  await expect(row).toContainText('Dead letter')
  await expect(row.getByRole('cell').nth(3)).toHaveText('3')
  await row.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'no such hook' })).toBeFocused()
  await expect(page.getByLabel('Request', { exact: true })).toContainText('Order Completed')
  await expect(page.getByLabel('Response', { exact: true })).toContainText('no such hook')
  const affected = page.getByRole('region', { name: 'Affected events' })
  await expect(affected.getByRole('link', { name: 'Order Completed' })).toHaveCount(3)
  for (const id of ['held-1', 'held-2', 'held-3']) await expect(affected.getByText(id)).toBeVisible()
  await expect(page.getByRole('tab', { name: /^Failures/ })).toHaveText(/3/)

  await affected.getByRole('link', { name: 'Order Completed' }).first().click()
  await expect(page.getByRole('heading', { name: 'Order Completed', level: 1 })).toBeVisible()
  await page.getByRole('link', { name: 'Mended later' }).click()
  await expect(page).toHaveURL(/#deliveries$/)
  await page.goBack()
  await page.goBack()
  peer.behave({ status: 200 })
  await page.getByRole('button', { name: 'Retry all' }).click()
  await expect(page.getByText('3 events are due now.')).toBeVisible()
  await expect(page.getByText('No failures')).toBeVisible()
  expect([...peer.messageIds().values()]).toEqual([1, 1, 1])

  await untilAttempted(product.api, destination, { status: 'delivered', count: 3 })
  await page.getByRole('tab', { name: 'Overview' }).click()
  const steps = page.getByRole('list', { name: 'Events', exact: true }).getByRole('listitem')
  await expect(steps).toContainText(['Received3', 'Filtered0', 'Pending0', 'Failed0', 'Delivered3'])
  const rates = page.getByRole('region', { name: 'Rates' })
  await expect(rates).toContainText('Success rate100%')
  await expect(rates).toContainText('First-try rate0%')
  await page.getByRole('combobox', { name: 'Date range' }).selectOption('Last 24 hours')
  await expect(page).toHaveURL(/range=1day/)
  await page.getByRole('button', { name: 'Show table' }).click()
  await expect(page.getByRole('table', { name: 'Events by hour' }).getByRole('row').last()).toContainText('3')
  await page.getByRole('link', { name: 'Delivered' }).click()
  await expect(page.getByRole('combobox', { name: 'Status' })).toHaveValue('delivered')
  await expect(page.getByRole('table', { name: 'Deliveries' }).getByRole('row')).toHaveCount(4)
})

test('a single delivery of a group can be retried, and dead letters are discarded after a confirmation', async ({
  signedIn: page,
  product,
}) => {
  await using peer = await startWebhookReceiver()
  peer.behave({ status: 422, body: 'no' })
  const { workspace } = await createWorkspace(product.api, 'Discarded')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: peer.url }, 'Picky')
  for (const messageId of ['one', 'two'])
    expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId }])).toBe(200)
  await page.goto(`/${destination}#failures`)
  const row = page.getByRole('table', { name: 'Failures' }).getByRole('row', { name: /^no / })
  await expect(row.getByRole('cell').nth(3)).toHaveText('2')
  await row.click()
  const affected = page.getByRole('region', { name: 'Affected events' })
  await expect(affected.getByRole('button', { name: 'Retry' })).toHaveCount(2)
  peer.behave({ status: 200 })
  await affected.getByRole('button', { name: 'Retry' }).first().click()
  await expect(page.getByText('1 event is due now.')).toBeVisible()
  await expect(affected.getByRole('button', { name: 'Retry' })).toHaveCount(1)
  await expect.poll(() => peer.messageIds().size).toBe(1)

  await page.getByRole('button', { name: 'Discard' }).click()
  const question = page.getByRole('dialog', { name: 'Discard dead letters' })
  await expect(question).toContainText('1 event can no longer be retried from here.')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(question).toHaveCount(0)
  await page.getByRole('button', { name: 'Discard' }).click()
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect(page.getByText('No failures')).toBeVisible()
  await page.getByRole('link', { name: 'See deliveries' }).click()
  await expect(page.getByText('Discarded. HTTP 422')).toBeVisible()
})

test('filtered events are counted by reason, listed as filtered, and shown on the page of the event', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Filtered')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Orders only')
  const { connections } = (await product.api.ok('GET', `/${workspace}/connections`)) as {
    connections: { name: string }[]
  }
  const conditions = [{ id: 'only', field: 'event', operator: 'equals', value: 'Order Completed' }]
  await product.api.ok('PATCH', `/${connections[0]?.name}?update_mask=filter`, { filter: { match: 'all', conditions } })
  const events = [
    { event: 'Order Completed', messageId: 'let-through' },
    { event: 'Product Viewed', messageId: 'left-out' },
  ]
  expect(await sendTracks(product.url, key, events)).toBe(200)
  await expect.poll(() => receiver.messageIds().get('let-through')).toBe(1)
  await page.goto(`/${destination}`)
  const steps = page.getByRole('list', { name: 'Events', exact: true }).getByRole('listitem')
  await expect(steps).toContainText(['Received2', 'Filtered1', 'Pending0', 'Failed0', 'Delivered1'])
  await expect(page.getByRole('list', { name: 'Why events were filtered' }).getByRole('listitem')).toContainText([
    'Filter of the connection',
  ])
  await page.getByRole('link', { name: 'Filtered' }).click()
  const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row', { name: /Product Viewed/ })
  await expect(row).toContainText('Filter of the connection')
  await row.click()
  const dialog = page.getByRole('dialog', { name: 'Product Viewed' })
  await expect(dialog.getByText('Not sent. This event was filtered for this destination.')).toBeVisible()
  await dialog.getByRole('link', { name: 'See event' }).click()
  await expect(page.getByRole('heading', { name: 'Product Viewed', level: 1 })).toBeVisible()
  await expect(page.getByText('Filter of the connection')).toBeVisible()
  expect(receiver.messageIds().has('left-out')).toBe(false)
})

test('a paused destination holds its events, shows this, and offers no retry until it is resumed', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Paused')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Partner feed')
  await product.api.ok('PATCH', `/${destination}?update_mask=enabled`, { enabled: false })
  expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId: 'paused-1' }])).toBe(200)
  await page.goto(`/${destination}`)
  await expect(page.getByText(/This destination is paused/)).toBeVisible()
  await page.getByRole('link', { name: 'See failures' }).click()
  await page
    .getByRole('table', { name: 'Failures' })
    .getByRole('row', { name: /Not attempted yet/ })
    .click()
  await expect(page.getByText('Held while this destination is paused.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Not attempted yet' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Retry/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByText(/This destination is paused/)).toHaveCount(0)
  await untilAttempted(product.api, destination)
  await page.getByRole('tab', { name: 'Deliveries' }).click()
  await expect(page.getByRole('table', { name: 'Deliveries' })).toContainText('Delivered')
  expect(receiver.messageIds().get('paused-1')).toBe(1)
})

test('a repeated message ID is counted as a duplicate, and a rejected event shows what to fix', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Left out')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${source}#refused`)
  const leftOut = page.getByRole('region', { name: 'Duplicates' })
  await expect(leftOut.getByText(/No duplicates/)).toBeVisible()
  for (const _ of [1, 2])
    expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId: 'twice' }])).toBe(200)
  // The page reads the number again every ten seconds.
  await eventually('counted', async () => {
    const { dropped_events } = await product.api.ok('GET', `/${source}/droppedEvents`)
    return (dropped_events as object[]).length > 0
  })
  await page.reload()
  await expect(leftOut.getByRole('row', { name: /Duplicate messageId/ })).toContainText('1')
  const sent = await fetch(`${product.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ batch: [{ type: 'track', userId: 'u', messageId: 'nameless' }] }),
  })
  expect(sent.status).toBe(200)
  await page.getByRole('tab', { name: 'Live events' }).click()
  await page.getByRole('row', { name: /Rejected/ }).click()
  await expect(page.getByRole('dialog').getByText('A track event needs its name in event.')).toBeVisible()
})

test('the help menu opens the documentation of the API in a new tab', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Help')
  await page.goto(`/${workspace}`)
  await page.getByRole('button', { name: 'Help' }).click()
  const opened = page.waitForEvent('popup')
  await page.getByRole('menuitem', { name: /API documentation/ }).click()
  await expect((await opened).getByRole('heading', { name: /Tributary/ }).first()).toBeVisible()
})

test('while a workspace gets 429 because of its backlog, the page of the source shows this and what to do', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Imported at once')
  const { source, key } = await createSource(product.api, workspace, 'Import')
  const properties = { filler: 'x'.repeat(30_000) }
  // Sends several times the limit at once, long before any of the events is stored.
  const statuses = await Promise.all(
    Array.from({ length: 8 }, (_, call) => {
      const events = Array.from({ length: 20 }, (__, index) => ({
        event: 'Imported',
        messageId: `import-${call}-${index}`,
        properties,
      }))
      return sendTracks(product.url, key, events)
    }),
  )
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  await eventually('counted', async () => {
    const { refused_requests } = await product.api.ok('GET', `/${source}/refusedRequests`)
    return (refused_requests as object[]).length > 0
  })
  await page.goto(`/${source}`)
  const notice = page.getByRole('region', { name: 'Events are being refused' })
  await expect(notice).toContainText('new requests get status 429')
  await notice.getByRole('link', { name: 'Refused requests' }).click()
  await expect(page.getByRole('table', { name: 'Refused requests' })).toContainText('429')
})
