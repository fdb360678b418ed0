import { newId } from '@tributary/kernel'
import { createWorkspace } from '@tributary/test-kit'
import { addPerson, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'

test('the bell shows the unread count and opens the list, in which one or all are marked as read [NAV-32]', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Inbox')
  const person = await addPerson(database, 'Ines', { organization, role: 'ORG_ADMIN' })
  await signIn(page, person)
  await page.goto(`/${workspace}`)
  await page.getByRole('button', { name: 'Notifications', exact: true }).click()
  const inbox = page.getByRole('dialog', { name: 'Notifications' })
  await expect(inbox.getByText("You're all caught up")).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(inbox).toHaveCount(0)

  for (const [title, link] of [
    ['Ann joined', `/${workspace}/settings/account`],
    ['Ben joined', ''],
    ['Deliveries to Hook fail', `/${workspace}/destinations`],
  ] as const)
    await database.db
      .insertInto('notifications')
      .values({ id: newId(), user_id: person.userId, kind: 'invitation_accepted', title, body: 'What happened', link })
      .execute()
  await page.reload()
  await page.getByRole('button', { name: 'Notifications, 3 unread' }).click()
  await expect(inbox.getByRole('listitem')).toContainText(['Deliveries to Hook fail', 'Ben joined', 'Ann joined'])
  await inbox.getByRole('button', { name: 'Mark as read: Ben joined' }).click()
  await expect(page.getByRole('button', { name: 'Notifications, 2 unread' })).toBeVisible()
  await inbox.getByRole('link', { name: /Deliveries to Hook fail/ }).click()
  await expect(page).toHaveURL(new RegExp(`/${workspace}/destinations$`))
  // The bell is in every frame, also on narrow pages.
  const bell = page.getByRole('button', { name: 'Notifications, 1 unread' })
  for (const path of ['/', '/onboarding', `/${workspace}/settings/account`]) {
    await page.goto(path)
    await expect(bell).toBeVisible()
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(bell).toBeVisible()
  await bell.click()
  await inbox.getByRole('button', { name: 'Mark all as read' }).click()
  await expect(page.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible()
  const rows = await database.db
    .selectFrom('notifications')
    .select('read_time')
    .where('user_id', '=', person.userId)
    .execute()
  expect(rows.filter(({ read_time }) => read_time === null)).toEqual([])
})

test('a long address in a notification stays beside its button', async ({ page, product, database }) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Narrow inbox')
  const person = await addPerson(database, 'Lena', { organization, role: 'ORG_ADMIN' })
  const title = `${'longmailboxname'.repeat(4)}@example.com joined`
  await database.db
    .insertInto('notifications')
    .values({
      id: newId(),
      user_id: person.userId,
      kind: 'invitation_accepted',
      title,
      body: '',
      link: `/${workspace}`,
    })
    .execute()
  await signIn(page, person)
  await page.goto(`/${workspace}`)
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  const inbox = page.getByRole('dialog', { name: 'Notifications' })
  const button = await inbox.getByRole('button', { name: `Mark as read: ${title}` }).boundingBox()
  const right = await inbox.getByText(title).evaluate((element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    return range.getBoundingClientRect().right
  })
  expect(right).toBeLessThanOrEqual(button?.x ?? 0)
})

test('a notification that arrives while the page is open is shown without a reload', async ({
  page,
  product,
  database,
}) => {
  const { organization } = await createWorkspace(product.api, 'Live inbox')
  await signIn(page, await addPerson(database, 'Iris', { organization, role: 'ORG_ADMIN' }))
  const joined = page.waitForResponse('**/pusher/user-auth')
  await page.goto('/')
  await joined
  await expect(page.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible()
  const { name } = (await product.api.ok('POST', `/${organization}/invitationlinks`, {
    role: 'ORG_COLLABORATOR',
  })) as { name: string }
  const guest = await addPerson(database, 'Noel')
  const { access_token } = await product.api.ok('POST', '/users:login', {
    email: guest.email,
    password: guest.password,
  })
  await page.request.post(`/api/${name}:accept`, {
    headers: { authorization: `Bearer ${String(access_token)}` },
    data: { user: `users/${guest.userId}` },
  })
  // Without the live channel, the inbox is only read every 30 seconds.
  await expect(page.getByRole('button', { name: 'Notifications, 1 unread' })).toBeVisible({ timeout: 60_000 })
})
