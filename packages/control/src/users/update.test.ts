import { methods } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, startControl } from '../testing/control-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await startControl()
})
afterAll(() => harness[Symbol.asyncDispose]())

test('API-13, API-14: a user is read with exactly the fields of the contract', async () => {
  const person = await harness.person()
  const reply = await person.call('GET', `/users/${person.userId}`)
  expect(reply).toMatchObject({ status: 200 })
  expect(reply.body).toEqual({
    name: `users/${person.userId}`,
    id: person.userId,
    email: person.email,
    first_name: '',
    last_name: '',
    photo_url: '',
    create_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    is_admin: false,
  })
})

test('API-15: the names that the mask lists are changed, trimmed, and recorded', async () => {
  const person = await harness.person()
  const path = `/users/${person.userId}?update_mask=first_name,last_name`
  const reply = await person.call('PATCH', path, { first_name: ' Ada ', last_name: 'Lovelace' })
  expect(reply).toMatchObject({ status: 200, body: { first_name: 'Ada', last_name: 'Lovelace', email: person.email } })
  expect(await person.ok(methods.users.get, { user: person.userId })).toEqual(reply.body)
  expect((await harness.audits()).at(-1)).toMatchObject({
    action: 'users.update',
    actor_id: person.userId,
    detail: { fields: ['first_name', 'last_name'] },
  })
  const one = { first_name: 'Grace', last_name: 'ignored' }
  expect(await person.call('PATCH', `/users/${person.userId}?update_mask=first_name`, one)).toMatchObject({
    body: { first_name: 'Grace', last_name: 'Lovelace' },
  })
  expect(await person.call('PATCH', `/users/${person.userId}`, {})).toMatchObject({ body: { first_name: 'Grace' } })
})

test('updating a user changes neither the address nor the rights', async () => {
  const person = await harness.person()
  const body = { first_name: 'Ada', email: 'new@example.com', is_admin: true }
  await person.call('PATCH', `/users/${person.userId}`, body)
  await person.call('PATCH', `/users/${person.userId}?update_mask=first_name,is_admin,email`, body)
  expect(await person.ok(methods.users.get, { user: person.userId })).toMatchObject({
    email: person.email,
    is_admin: false,
  })
})

test('only users themselves change their names: 404 for others, 403 for a platform admin, 401 without a session', async () => {
  const [person, outsider] = [await harness.person(), await harness.person()]
  const admin = await harness.person({}, { platformAdmin: true })
  const path = `/users/${person.userId}`
  const body = { first_name: 'Eve' }
  expect((await outsider.call('PATCH', path, body)).status).toBe(404)
  expect((await admin.call('PATCH', path, body)).status).toBe(403)
  expect((await harness.call('', 'PATCH', path, body)).status).toBe(401)
  expect(await person.ok(methods.users.get, { user: person.userId })).toMatchObject({ first_name: '' })
})

test.each([
  [{ first_name: '  ' }, { first_name: 'First Name is required' }],
  [{ first_name: 'a'.repeat(16) }, { first_name: 'First Name is too long' }],
  [{ last_name: '' }, { last_name: 'Last Name is required' }],
  [{ last_name: 'a'.repeat(16) }, { last_name: 'Last Name is too long' }],
])('updating a user rejects %j', async (body, metadata) => {
  const person = await harness.person()
  expect(await person.call('PATCH', `/users/${person.userId}`, body)).toMatchObject({ status: 400, body: { metadata } })
})
