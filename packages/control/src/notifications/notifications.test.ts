import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { notify } from '../../../api-kit/src/notifications/notify.ts'
import { type Caller, type Harness, startControl } from '../testing/control-harness.ts'

let harness: Harness
let organizationId: string
beforeAll(async () => {
  harness = await startControl()
  const owner = await harness.person()
  const made = await owner.ok(
    methods.organizations.create,
    {},
    { body: { title: 'Acme Inc', industry: 'gaming', workspace_title: 'Main' } },
  )
  organizationId = made.organization.name.split('/')[1] ?? ''
})
afterAll(() => harness[Symbol.asyncDispose]())

const notifyAll = async (whom: readonly Caller[], cause: string, title = 'Receiver is failing'): Promise<void> => {
  const announce = await harness.db.transaction().execute((tx) =>
    notify(
      tx,
      whom.map((each) => each.userId),
      {
        organizationId,
        kind: 'delivery_failing',
        title,
        body: 'Why.',
        link: '/workspaces/w',
        cause,
        now: harness.now(),
      },
    ),
  )
  announce((channel, event, data) => void harness.published.push({ channel, event, data }))
}
const inbox = (who: Caller) => who.ok(methods.notifications.list, { user: who.userId })

test('an inbox lists the newest first in pages and counts the unread', async () => {
  const person = await harness.person()
  for (const title of ['one', 'two', 'three']) {
    harness.advance(5)
    await notifyAll([person], newId(), title)
  }
  const page = (page_token: string) =>
    person.ok(methods.notifications.list, { user: person.userId }, { query: { page_size: 2, page_token } })
  const first = await page('')
  const second = await page(first.next_page_token)
  expect([...first.notifications, ...second.notifications].map(({ title }) => title)).toEqual(['three', 'two', 'one'])
  expect([first.unread_count, second.unread_count, second.next_page_token]).toEqual([3, 3, ''])
  expect(first.notifications[0]).toEqual({
    name: expect.stringMatching(new RegExp(`^users/${person.userId}/notifications/[0-9a-f-]{36}$`)),
    kind: 'delivery_failing',
    title: 'three',
    body: 'Why.',
    link: '/workspaces/w',
    create_time: expect.stringMatching(/Z$/),
    read_time: null,
  })
})

test('a read notification is no longer counted, and keeps the time when it was first read', async () => {
  const person = await harness.person()
  await notifyAll([person], newId())
  await notifyAll([person], newId())
  const [name] = (await inbox(person)).notifications.map((each) => each.name)
  const read = await person.call('POST', `/${name}:markRead`, {})
  expect(read).toMatchObject({ status: 200, body: { name, read_time: expect.stringMatching(/Z$/) } })
  expect((await person.call('POST', `/${name}:markRead`, {})).body).toEqual(read.body)
  expect((await inbox(person)).unread_count).toBe(1)
  expect((await person.call('POST', `/users/${person.userId}/notifications:markAllRead`, {})).status).toBe(200)
  const after = await inbox(person)
  expect(after.unread_count).toBe(0)
  expect(after.notifications.find((each) => each.name === name)).toEqual(read.body)
})

test('one cause makes one notification for each user, and an open inbox shows it immediately', async () => {
  const [a, b] = [await harness.person(), await harness.person()]
  const before = harness.published.length
  await notifyAll([a], 'destinations/1')
  await notifyAll([a, b], 'destinations/1')
  expect((await inbox(a)).notifications).toHaveLength(1)
  expect((await inbox(b)).notifications).toHaveLength(1)
  expect(harness.published.slice(before).map(({ channel }) => channel)).toEqual([
    `#server-to-user-${a.userId}`,
    `#server-to-user-${b.userId}`,
  ])
  expect(harness.published.at(-1)).toMatchObject({ event: 'notification', data: (await inbox(b)).notifications[0] })
})

test('only its user can read an inbox, and no token opens its channel, even of platform admins', async () => {
  const [person, other] = [await harness.person(), await harness.person({}, { platformAdmin: true })]
  await notifyAll([person], newId())
  const [{ name } = { name: '' }] = (await inbox(person)).notifications
  expect((await other.call('GET', `/users/${person.userId}/notifications`)).status).toBe(403)
  expect((await other.call('POST', `/users/${person.userId}/notifications:markAllRead`, {})).status).toBe(403)
  expect((await other.call('POST', `/${name}:markRead`, {})).status).toBe(403)
  expect(
    (await other.call('POST', `/users/${other.userId}/notifications/${name.split('/').at(-1)}:markRead`, {})).status,
  ).toBe(404)
  expect((await harness.call('', 'GET', `/users/${person.userId}/notifications`)).status).toBe(401)
  expect((await inbox(person)).unread_count).toBe(1)
  // The gateway sends it to its signed-in users; no token subscribes to it.
  for (const token of [person.token, other.token, ''])
    expect(await harness.channelAccess(token, `#server-to-user-${person.userId}`)).toBeUndefined()
})
