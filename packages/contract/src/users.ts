import { z } from 'zod'
import { empty, errors, line, time } from './fields.ts'
import { defineMethod } from './method.ts'
import { organization } from './organizations.ts'

export const user = z.object({
  /** `users/{id}`. */
  name: z.string(),
  id: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  photo_url: z.string(),
  create_time: time,
  is_admin: z.boolean(),
})
export type User = z.infer<typeof user>

/** What every kind of login answers. Tokens that do not apply are empty strings. */
export const loginResponse = z.object({
  access_token: z.string(),
  set_password_otp_token: z.string(),
  courier_token: z.string(),
  intercom_token: z.string(),
  user,
  organization: organization.optional(),
})
export type LoginResponse = z.infer<typeof loginResponse>

export const credentials = z.object({
  email: line(320).pipe(z.email('Invalid email')),
  password: z.string().min(1, 'Password is required').max(1024, 'At most 1024 characters'),
})

export const users = {
  login: defineMethod({
    name: 'users.login',
    verb: 'POST',
    path: '/users:login',
    summary: 'Starts a session with e-mail address and password.',
    public: true,
    request: credentials,
    response: loginResponse,
    errors: [
      errors.invalid,
      { code: 401, reason: 'INVALID_CREDENTIALS', when: 'Address and password do not belong together.' },
      errors.tooMany,
    ],
  }),
  logout: defineMethod({
    name: 'users.logout',
    verb: 'POST',
    path: '/users:logout',
    summary: 'Ends the session whose token is sent.',
    request: empty,
    response: empty,
    errors: [],
  }),
  get: defineMethod({
    name: 'users.get',
    verb: 'GET',
    path: '/users/{user}',
    summary: 'Reads a user: oneself, or any user for a platform admin.',
    response: user,
    errors: [errors.notFound],
  }),
}
