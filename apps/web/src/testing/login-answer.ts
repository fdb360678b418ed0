import type { LoginResponse } from '@tributary/contract'

/** The server's response to a login, without an organization. */
export const loginAnswer: LoginResponse = {
  access_token: 'a',
  set_password_otp_token: 'p',
  courier_token: 'c',
  intercom_token: 'i',
  user: {
    name: 'users/u1',
    id: 'u1',
    email: 'a@b.co',
    first_name: '',
    last_name: '',
    photo_url: '',
    create_time: '2026-01-01T00:00:00Z',
    is_admin: false,
  },
}
