import type { User } from '@tributary/contract'
import { expect, test } from 'vitest'
import { messengerOptions } from './messenger.ts'

const user: User = {
  name: 'users/u1',
  id: 'u1',
  email: 'ann@example.com',
  first_name: 'Ann',
  last_name: 'Lee',
  photo_url: '',
  create_time: '2026-01-01T00:00:00Z',
  is_admin: false,
}

test('NAV-33: the messaging widget is 32 pixels from both edges', () => {
  const options = messengerOptions({ appId: 'a1', userHash: null, user: undefined })
  expect(options).toMatchObject({ app_id: 'a1', vertical_padding: 32, horizontal_padding: 32 })
  expect(options).not.toHaveProperty('user_hash')
})

test("the widget receives the user's identity and its proof", () => {
  expect(messengerOptions({ appId: 'a1', userHash: 'proof', user })).toMatchObject({
    user_id: 'u1',
    email: 'ann@example.com',
    name: 'Ann Lee',
    user_hash: 'proof',
  })
})
