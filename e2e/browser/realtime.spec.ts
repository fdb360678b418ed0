import type { Page, WebSocket } from '@playwright/test'
import { createSource, createWorkspace } from '@tributary/test-kit'
import { addPerson, otherPage, signIn, storedSession } from './people.ts'
import { expect, test } from './product-fixture.ts'
import { sendTracks } from './tracking.ts'

type Message = { event: string; channel?: string; data: unknown }

/** Returns the messages that the page's live connections have received so far. */
const receivedBy = (page: Page): Message[] => {
  const received: Message[] = []
  page.on('websocket', (socket: WebSocket) =>
    socket.on('framereceived', ({ payload }) => {
      const { event, channel, data }: Message = JSON.parse(String(payload))
      received.push({ event, ...(channel && { channel }), data: typeof data === 'string' ? JSON.parse(data) : data })
    }),
  )
  return received
}

const socketIdOf = (received: readonly Message[]): unknown =>
  received.find(({ event }) => event === 'pusher:connection_established')?.data

test("RT-01, RT-02: a source's page has its channel authorized by POST /pusher/auth, and the channel brings a sent event into the table", async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Realtime')
  const { source, sourceId, key } = await createSource(product.api, workspace, 'Shop')
  const received = receivedBy(page)
  const asked = page.waitForRequest('**/pusher/auth')
  await page.goto(`/${source}`)
  await expect(page.getByRole('button', { name: 'Connection: Live' })).toBeVisible()
  const request = await asked
  const channel = `private-sources-${sourceId}`
  const fields = Object.fromEntries(new URLSearchParams(request.postData() ?? ''))
  const { accessToken } = await storedSession(page)
  expect([request.method(), new URL(request.url()).origin]).toEqual(['POST', product.url])
  expect(request.headers().authorization).toBe(`Bearer ${accessToken}`)
  expect(fields.channel_name).toBe(channel)
  expect(socketIdOf(received)).toMatchObject({ socket_id: fields.socket_id })

  // The pipeline is notified of the new viewer a moment after the page joins the channel. Until then, the page reads
  // new events itself.
  const brought = () => received.filter((each) => each.channel === channel && each.event === 'events')
  await expect(async () => {
    expect(await sendTracks(product.url, key, [{ event: 'Page Opened', messageId: crypto.randomUUID() }])).toBe(200)
    await expect.poll(() => brought().length, { timeout: 1000 }).toBeGreaterThan(0)
  }).toPass()
  // From here on, only the channel can bring new events.
  await page.route('**/api/**', (route) => route.abort())
  expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId: 'live-1' }])).toBe(200)
  const rows = page.getByRole('table', { name: 'Live events' }).getByRole('rowgroup').last().getByRole('row')
  await expect(rows.filter({ hasText: 'Order Completed' })).toHaveText(/track.*Order Completed/)
  expect(brought().flatMap(({ data }) => (data as { events: unknown[] }).events)).toContainEqual(
    expect.objectContaining({ messageId: 'live-1', title: 'Order Completed' }),
  )
})

test('RT-03: the connection is signed in as the user by POST /pusher/user-auth', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Signing in')
  const person = await addPerson(database, 'Rosa', { organization, role: 'ORG_GUEST' })
  const received = receivedBy(page)
  await signIn(page, person)
  const asked = page.waitForRequest('**/pusher/user-auth')
  await page.goto(`/${workspace}`)
  const request = await asked
  const { accessToken } = await storedSession(page)
  expect([request.method(), new URL(request.url()).origin]).toEqual(['POST', product.url])
  expect(request.headers().authorization).toBe(`Bearer ${accessToken}`)
  await expect.poll(() => received.map(({ event }) => event)).toContain('pusher:signin_success')
  const granted = received.find(({ event }) => event === 'pusher:signin_success')?.data
  expect(JSON.parse((granted as { user_data: string } | undefined)?.user_data ?? '{}').id).toBe(person.userId)
  expect(socketIdOf(received)).toMatchObject({
    socket_id: new URLSearchParams(request.postData() ?? '').get('socket_id'),
  })
})

test("a changed role is shown on the member's open page", async ({ page, product, database }) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Role change')
  const person = await addPerson(database, 'Rolf', { organization, role: 'ORG_GUEST' })
  await signIn(page, person)
  const received = receivedBy(page)
  await page.goto(`/${workspace}/sources`)
  await expect(page.getByText('Add your first source')).toBeVisible()
  await expect.poll(() => received.map(({ event }) => event)).toContain('pusher:signin_success')
  const add = page.getByRole('link', { name: 'Add source' })
  await expect(add).toHaveCount(0)
  await page.evaluate(() => Object.assign(window, { sameVisit: true }))

  const { memberships } = (await product.api.ok('GET', `/${organization}/memberships`)) as {
    memberships: { name: string; user: string }[]
  }
  const { name } = memberships.find(({ user }) => user === `users/${person.userId}`) ?? { name: '' }
  await product.api.ok('PATCH', `/${name}`, { role: 'ORG_COLLABORATOR' })
  await expect(add).toBeVisible()
  await product.api.ok('PATCH', `/${name}`, { role: 'ORG_GUEST' })
  await expect(add).toHaveCount(0)
  expect(await page.evaluate(() => 'sameVisit' in window)).toBe(true)
})

test('a session that is ended elsewhere ends on its open page immediately', async ({
  page,
  product,
  database,
  chromium,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Ended elsewhere')
  const person = await addPerson(database, 'Ruth', { organization, role: 'ORG_ADMIN' })
  await using other = await otherPage(chromium, product)
  const received = receivedBy(other.page)
  await signIn(page, person)
  await signIn(other.page, person)
  await other.page.goto(`/${workspace}`)
  await expect.poll(() => received.map(({ event }) => event)).toContain('pusher:signin_success')
  const session = await storedSession(page)
  const answer = await page.request.post(`/api/${session.currentUserResourceName}/sessions:deleteOthers`, {
    headers: { authorization: `Bearer ${session.accessToken}` },
    data: {},
  })
  expect(answer.status()).toBe(200)
  await other.page.waitForURL('**/auth/login')
})
