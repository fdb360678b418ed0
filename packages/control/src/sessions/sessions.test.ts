import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, type Harness, idIn, startControl, testPassword } from '../testing/control-harness.ts'
import { sessionLimits, sessionsPerUser } from './sessions.ts'

let harness: Harness
beforeAll(async () => {
  harness = await startControl()
})
afterAll(() => harness[Symbol.asyncDispose]())

/** Signs the person in once more, as another browser. */
const signInAgain = async (person: Caller, userAgent: string): Promise<string> => {
  const reply = await harness.app.inject({
    method: 'POST',
    url: '/api/users:login',
    headers: { 'user-agent': userAgent },
    payload: { email: person.email, password: testPassword },
    remoteAddress: '10.9.0.7',
  })
  return String(reply.json().access_token)
}
const list = async (person: Caller) => (await person.ok(methods.sessions.list, { user: person.userId })).sessions
const works = async (token: string): Promise<boolean> =>
  (await harness.call(token, 'GET', '/workspaces')).status === 200

test('sessions are listed with browser and address, the last used first and the current one marked', async () => {
  const person = await harness.person()
  await signInAgain(person, 'Second browser')
  const sessions = await list(person)
  expect(sessions).toMatchObject([
    { user_agent: 'Second browser', ip: '10.9.0.7', current: false },
    { user_agent: 'lightMyRequest', ip: '127.0.0.1', current: true },
  ])
  for (const session of sessions)
    expect(session.name).toMatch(new RegExp(`^users/${person.userId}/sessions/[0-9a-f-]{36}$`))
  harness.advance(120_000)
  await list(person)
  expect((await list(person))[0]).toMatchObject({ current: true })
})

test('a list of sessions continues where its page ended, and contains no expired session', async () => {
  const person = await harness.person()
  await signInAgain(person, 'b')
  await signInAgain(person, 'c')
  const page = (page_token: string) =>
    person.ok(methods.sessions.list, { user: person.userId }, { query: { page_size: 2, page_token } })
  const first = await page('')
  const second = await page(first.next_page_token)
  expect([...first.sessions, ...second.sessions].map((session) => session.user_agent)).toEqual([
    'c',
    'b',
    'lightMyRequest',
  ])
  expect(second.next_page_token).toBe('')
  harness.advance(sessionLimits.idleMs + 1)
  const again = await signInAgain(person, 'd')
  const reply = await harness.call(again, 'GET', `/users/${person.userId}/sessions`)
  expect(reply.body.sessions).toMatchObject([{ user_agent: 'd', current: true }])
})

test('an ended session is refused immediately, its live connections are closed, and the audit log records the end', async () => {
  const person = await harness.person()
  const other = await signInAgain(person, 'Stolen')
  expect(await works(other)).toBe(true)
  const [stolen] = (await list(person)).filter((session) => session.user_agent === 'Stolen')
  const before = harness.accessChanges.length
  await person.ok(methods.sessions.delete, { user: person.userId, session: idIn(stolen?.name ?? '') })
  expect(await works(other)).toBe(false)
  expect(await works(person.token)).toBe(true)
  expect(harness.accessChanges.slice(before)).toEqual([person.userId])
  expect((await harness.audits()).at(-1)).toMatchObject({ action: 'sessions.delete', resource: stolen?.name })
})

test('ending all other sessions keeps the current session, and those of other people', async () => {
  const [person, bystander] = [await harness.person(), await harness.person()]
  const others = [await signInAgain(person, 'b'), await signInAgain(person, 'c')]
  for (const token of others) expect(await works(token)).toBe(true)
  await person.ok(methods.sessions.deleteOthers, { user: person.userId }, { body: {} })
  expect(await Promise.all([...others, person.token, bystander.token].map(works))).toEqual([false, false, true, true])
  expect(harness.accessChanges.at(-1)).toBe(person.userId)
})

test("logging out also closes the session's live connections", async () => {
  const person = await harness.person()
  await person.ok(methods.users.logout, {})
  expect(harness.accessChanges.at(-1)).toBe(person.userId)
})

test("no user reads or ends another person's sessions, not even a platform admin", async () => {
  const [person, other] = [await harness.person(), await harness.person({}, { platformAdmin: true })]
  const [own] = await list(person)
  for (const [verb, path, status] of [
    ['GET', `/users/${person.userId}/sessions`, 403],
    ['DELETE', `/${own?.name}`, 403],
    ['DELETE', `/users/${other.userId}/sessions/${idIn(own?.name ?? '')}`, 404],
    ['DELETE', `/users/${other.userId}/sessions/${newId()}`, 404],
    ['DELETE', `/users/${other.userId}/sessions/x`, 404],
    ['POST', `/users/${person.userId}/sessions:deleteOthers`, 403],
  ] as const)
    expect([path, (await other.call(verb, path, verb === 'POST' ? {} : undefined)).status]).toEqual([path, status])
  expect(await works(person.token)).toBe(true)
  expect((await harness.call('', 'GET', `/users/${person.userId}/sessions`)).status).toBe(401)
})

test('the configuration of the web application is read without a session', async () => {
  expect(await harness.call('', 'GET', '/config')).toMatchObject({
    status: 200,
    body: { sign_up_enabled: true, oauth: null, links: { support_email: 'support@tributary.example' } },
  })
})

test('a user has a limited number of sessions: the least recently used one ends first', async () => {
  const person = await harness.person()
  await sql`
    insert into sessions (id, user_id, token_hash, create_time, last_used_time, expire_time)
    select gen_random_uuid(), ${person.userId}, sha256(convert_to(${person.userId} || n, 'UTF8')),
      ${new Date(harness.now())}, ${new Date(harness.now() + 1000)}, ${new Date(harness.now() + 3_600_000)}
    from generate_series(1, ${sessionsPerUser - 1}) n`.execute(harness.db)
  expect(await works(person.token)).toBe(true)
  harness.advance(2000)
  const token = await signInAgain(person, 'One more')
  harness.advance(2000)
  expect(await works(person.token)).toBe(false)
  expect(await works(token)).toBe(true)
  const { count } = await harness.db
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('user_id', '=', person.userId)
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(sessionsPerUser)
})
