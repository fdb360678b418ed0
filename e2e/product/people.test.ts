import {
  adminCredentials,
  createApiClient,
  createSource,
  createWorkspace,
  eventually,
  type MailReceiver,
  type Product,
  startMailReceiver,
  startProduct,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../browser/people.ts'
import { listen, listenAsUser } from './live-channel.ts'

let product: Product
let mail: MailReceiver
let adminId: string
beforeAll(async () => {
  mail = await startMailReceiver()
  product = await startProduct({ env: { SMTP_URL: mail.url, TRIBUTARY_MAIL_FROM: 'Acme Data <data@acme.example>' } })
  await product.api.login(adminCredentials)
  const { user } = (await product.api.ok('POST', '/users:login', adminCredentials)) as { user: { id: string } }
  adminId = user.id
})
afterAll(async () => {
  await product?.[Symbol.asyncDispose]()
  await mail?.close()
})

/** Signs up a new user with the mailed code. */
const signUp = async (email: string) => {
  const api = createApiClient(product.url)
  await api.ok('POST', '/users:sendOtp', { email, action: 'sign up' })
  const { code } = await mail.waitFor(email, { subject: 'Verify' })
  const body = await api.ok('POST', '/users:signup', { email, otp_token: code })
  api.token = String(body.access_token)
  return { api, userId: (body.user as { id: string }).id }
}

test('an invited user joins by the mailed link, the administrator is notified live, and removal ends everything immediately', async () => {
  const { organization, workspace } = await createWorkspace(product.api, 'Acme Inc')
  const { sourceId } = await createSource(product.api, workspace)
  const { courier_token } = await product.api.ok('POST', '/users:login', adminCredentials)
  const refused = await listenAsUser(product, String(product.api.token), { userId: adminId, courierToken: 'forged' })
  expect(refused.status).toBe(403)
  const courierToken = String(courier_token)
  const inbox = await listenAsUser(product, String(product.api.token), { userId: adminId, courierToken })
  const email = 'grace@example.com'
  await product.api.ok('POST', `/${organization}/invitations:batchCreate`, { emails: [email], role: 1 })
  const { link, subject } = await mail.waitFor(email, { subject: 'Acme Inc' })
  expect(subject).toContain('invites you')
  const address = new URL(link)
  expect([address.origin, address.pathname]).toEqual([
    product.url,
    expect.stringMatching(/^\/invitations\/[0-9a-f-]{36}$/),
  ])

  const { api, userId } = await signUp(email)
  expect((await api.call('GET', `/${workspace}`)).status).toBe(404)
  await api.ok('POST', `${address.pathname}:accept`, { token: address.searchParams.get('token') })
  expect((await api.call('GET', `/${workspace}`)).status).toBe(200)
  await eventually('the administrator hears of it', () => inbox.heard.length > 0)
  expect(inbox.heard).toMatchObject([
    { event: 'notification', data: { kind: 'invitation_accepted', title: `${email} joined Acme Inc` } },
  ])
  inbox.close()
  expect((await listen(product, String(api.token), `#server-to-user-${adminId}`)).status).toBe(403)

  const live = await listen(product, String(api.token), `private-sources-${sourceId}`)
  expect(live.status).toBe(200)
  const { memberships } = (await product.api.ok('GET', `/${organization}/memberships`)) as {
    memberships: { name: string; user: string }[]
  }
  const { name } = memberships.find(({ user }) => user === `users/${userId}`) ?? { name: '' }
  await product.api.ok('DELETE', `/${name}`)
  expect((await api.call('GET', `/${workspace}`)).status).toBe(404)
  await eventually('the listener is cut', () => live.closed())
  expect((await listen(product, String(api.token), `private-sources-${sourceId}`)).status).toBe(403)
})

test('a logo is served under /media in the requested size, to every client and permanently, until it is removed', async () => {
  const { organization } = await createWorkspace(product.api, 'Pictured')
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
    'base64',
  )
  // The image is larger than the bodies that other calls allow.
  const content = Buffer.concat([png, Buffer.alloc(1_900_000)]).toString('base64')
  const { extra } = (await product.api.ok('POST', `/${organization}:uploadLogo`, { content })) as {
    extra: { logo: string }
  }
  const reply = await fetch(`${product.url}/${extra.logo}?max-w=48&max-h=48`)
  expect([reply.status, reply.headers.get('content-type'), reply.headers.get('cache-control')]).toEqual([
    200,
    'image/webp',
    'public, max-age=31536000, immutable',
  ])
  expect(Buffer.from(await reply.arrayBuffer()).toString('latin1', 8, 12)).toBe('WEBP')
  await product.api.ok('POST', `/${organization}:removeLogo`, {})
  expect((await fetch(`${product.url}/${extra.logo}`)).status).toBe(404)
  expect((await fetch(`${product.url}/media/%2e%2e%2fsecret.key`)).status).toBe(404)
})

test('a session that is ended elsewhere is refused and gets no more live events immediately; the session that ended it continues', async () => {
  const { workspace } = await createWorkspace(product.api, 'Sessions')
  const { sourceId } = await createSource(product.api, workspace)
  const channel = `private-sources-${sourceId}`
  const other = createApiClient(product.url)
  await other.login(adminCredentials)
  const listener = await listen(product, String(other.token), channel)
  expect([listener.status, listener.closed()]).toEqual([200, false])

  const { sessions } = (await product.api.ok('GET', `/users/${adminId}/sessions`)) as {
    sessions: { name: string; current: boolean }[]
  }
  expect(sessions.filter(({ current }) => current)).toHaveLength(1)
  for (const { name, current } of sessions) if (!current) await product.api.ok('DELETE', `/${name}`)

  expect((await other.call('GET', '/workspaces')).status).toBe(401)
  await eventually('the listener is cut', () => listener.closed())
  expect((await listen(product, String(other.token), channel)).status).toBe(401)
  const own = await listen(product, String(product.api.token), channel)
  expect(own.status).toBe(200)
  own.close()
})

test('a code is mailed without waiting for the next poll and then deleted from the database; permanently refused recipients are not retried', async () => {
  const askToSignUp = (email: string) => product.api.ok('POST', '/users:sendOtp', { email, action: 'sign up' })
  const before = mail.mails.length
  const email = 'ada@example.com'
  const asked = Date.now()
  await askToSignUp(email)
  const received = await mail.waitFor(email)
  // Without a notification, the product would check only every 10 s.
  expect(Date.now() - asked).toBeLessThan(9000)
  expect(received).toMatchObject({
    from: { address: 'data@acme.example', name: 'Acme Data' },
    recipients: [email],
    subject: 'Verify your email to sign up',
    link: `${product.url}/auth/register?email=ada%40example.com&otp=${received.code}`,
    messageId: expect.stringMatching(/^<[0-9a-f-]{36}@acme\.example>$/),
  })
  expect(received.html).toContain(received.code)
  const body = await product.api.ok('POST', '/users:signup', { email, otp_token: received.code })
  expect(body).toMatchObject({ access_token: expect.stringMatching(/^trb_/), user: { email } })
  await using database = await openDatabase(product)
  await eventually('the text is removed', async () => {
    const [row] = await database.db.selectFrom('mails').selectAll().where('recipient', '=', email).execute()
    return row?.sent_time instanceof Date && row.body_text === '' && row.body_html === ''
  })
  expect(product.output()).not.toContain(received.code)

  mail.refuse(550)
  await askToSignUp('nobody@example.com')
  const row = await eventually('it is given up', async () => {
    const [found] = await database.db
      .selectFrom('mails')
      .selectAll()
      .where('recipient', '=', 'nobody@example.com')
      .execute()
    return found !== undefined && found.last_error !== '' && found
  })
  expect(row).toMatchObject({ attempts: 1, sent_time: null, body_text: '', body_html: '' })
  expect(row.expire_time.getTime()).toBeLessThanOrEqual(Date.now())
  mail.refuse(undefined)
  await askToSignUp('somebody@example.com')
  await mail.waitFor('somebody@example.com')
  expect(mail.mails.slice(before).map(({ recipients }) => recipients[0])).toEqual([email, 'somebody@example.com'])
})
