import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionLimits } from './sessions/sessions.ts'
import { type Harness, idIn, startControl } from './testing/control-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await startControl()
})
afterAll(() => harness[Symbol.asyncDispose]())

const day = 24 * 60 * 60_000

test("ended sessions are removed and their users' listeners disconnected; other sessions are left alone", async () => {
  const [idle, busy] = [await harness.person(), await harness.person()]
  harness.advance(sessionLimits.idleMs / 2)
  expect((await busy.call('GET', `/users/${busy.userId}`)).status).toBe(200)
  await harness.clearExpired()
  expect(harness.accessChanges).toEqual([])
  harness.advance(sessionLimits.idleMs / 2 + 1)
  await harness.clearExpired()
  expect(harness.accessChanges).toEqual([idle.userId])
  expect((await idle.call('GET', `/users/${idle.userId}`)).status).toBe(401)
  expect((await busy.call('GET', `/users/${busy.userId}`)).status).toBe(200)
})

test('expired codes, mails, mail texts, and notices are removed, and not before they expire', async () => {
  const person = await harness.person()
  const made = await person.ok(
    methods.organizations.create,
    {},
    { body: { title: 'Acme', industry: 'other', workspace_title: 'Main' } },
  )
  await harness.codeFor(person.email, 'login')
  await harness.db
    .insertInto('notifications')
    .values({
      id: newId(),
      user_id: person.userId,
      organization_id: idIn(made.organization.name),
      kind: 'delivery_failing',
      title: 'A notice',
      create_time: new Date(harness.now()),
    })
    .execute()
  const left = async (): Promise<number[]> => {
    await harness.clearExpired()
    const mails = await harness.mailsTo(person.email)
    const texts = mails.filter(({ body_text, body_html }) => body_text !== '' || body_html !== '')
    const codes = await harness.db.selectFrom('one_time_codes').select('id').execute()
    const notices = await harness.db.selectFrom('notifications').select('id').execute()
    return [codes.length, mails.length, texts.length, notices.length]
  }
  expect(await left()).toEqual([1, 1, 1, 1])
  harness.advance(10 * 60_000)
  expect(await left()).toEqual([0, 1, 0, 1])
  harness.advance(30 * day)
  expect(await left()).toEqual([0, 0, 0, 1])
  harness.advance(60 * day)
  expect(await left()).toEqual([0, 0, 0, 0])
})
