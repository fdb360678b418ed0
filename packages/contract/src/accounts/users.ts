import { z } from 'zod'
import { anybody, everybody, oneself, oneselfOrStaff, staff } from '../api/access.ts'
import { empty, errors, line, maskQuery, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import {
  amount,
  email,
  firstName,
  imageBodyLimit,
  imageUpload,
  lastName,
  newPassword,
  oneTimeCode,
  organizationTitle,
} from './account-rules.ts'
import { organization, workspace } from './organizations.ts'

export const user = z.object({
  /** `users/{id}`. */
  name: z.string(),
  id: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  /** Path of the photo, such as `media/photos/a.webp`, or empty. */
  photo_url: z.string(),
  create_time: time,
  is_admin: z.boolean(),
})
export type User = z.infer<typeof user>

/** The response of every kind of login. Tokens that do not apply are empty strings. */
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
  email,
  password: z.string().min(1, 'Password is required').max(1024, 'At most 1024 characters'),
})

/** The purpose of a one-time code. */
export const otpActions = ['login', 'sign up'] as const

/** An address with the code that was mailed to it; `otp` is another name of `otp_token`. */
export const otpCredentials = z
  .object({ email, otp_token: oneTimeCode.optional(), otp: oneTimeCode.optional() })
  .transform(({ email, otp_token, otp }) => ({ email, otp_token: otp_token ?? otp }))
  .pipe(z.object({ email: z.string(), otp_token: z.string('Required') }))

/** The data that the third-party sign-in page returns, with the verifier, which only the browser had until now. */
export const oauthCallback = z.object({
  provider: line(50).min(1, 'Required'),
  code: z.string().min(1, 'Required').max(4000),
  state: z.string().min(1, 'Required').max(4000),
  code_verifier: z
    .string()
    .length(56, 'Must be 56 characters')
    .regex(/^[A-Za-z0-9._~-]+$/, 'Only letters, numbers and . _ ~ - are allowed'),
  redirect_uri: z.url().max(2000),
  /** The `iss` of the return address, when the provider sets it (RFC 9207). */
  iss: z.string().max(2000).optional(),
})

/** Fields of the possible ways to sign in. A payload uses one way, and can also have fields of another way. */
const signInFields = ['provider', 'mode', 'email', 'password', 'otp_token', 'otp']

const codeErrors = [
  errors.invalid,
  { code: 401, reason: 'INVALID_CODE', when: 'The code is wrong, used, expired, or was tried too many times.' },
  errors.tooMany,
] as const

const signUpDisabled = { code: 403, reason: 'SIGN_UP_DISABLED', when: 'Only invited people can sign up.' } as const

const providerErrors = [
  errors.invalid,
  { code: 412, reason: 'PROVIDER_NOT_CONFIGURED', when: 'Third-party sign-in is not configured.' },
  { code: 502, reason: 'PROVIDER_UNAVAILABLE', when: 'The sign-in provider returned an invalid response.' },
  { code: 503, reason: 'PROVIDER_UNAVAILABLE', when: 'The sign-in provider did not respond in time.' },
] as const

const callbackErrors = [
  ...providerErrors,
  { code: 401, reason: 'PROVIDER_REFUSED', when: 'The sign-in provider did not confirm the user.' },
  { code: 401, reason: 'NO_EMAIL', when: 'The sign-in provider returned no email address.' },
  { code: 401, reason: 'EMAIL_NOT_VERIFIED', when: 'The sign-in provider has not verified the email address.' },
  errors.tooMany,
] as const

export const users = {
  login: defineMethod({
    name: 'users.login',
    verb: 'POST',
    path: '/users:login',
    access: anybody,
    places: 'sign-in',
    summary: 'Starts a session with email and password.',
    request: credentials,
    alsoKnown: signInFields,
    response: loginResponse,
    errors: [
      errors.invalid,
      { code: 401, reason: 'INVALID_CREDENTIALS', when: 'The email or password is wrong.' },
      errors.tooMany,
    ],
  }),
  sendOtp: defineMethod({
    name: 'users.sendOtp',
    verb: 'POST',
    path: '/users:sendOtp',
    access: anybody,
    places: 'sign-in',
    summary: 'Emails a one-time code. The response is the same whether or not an account exists.',
    request: z.object({ email, action: z.enum(otpActions, 'Must be "login" or "sign up"') }),
    response: empty,
    errors: [errors.invalid, signUpDisabled, errors.tooMany],
  }),
  loginOtp: defineMethod({
    name: 'users.loginOtp',
    verb: 'POST',
    path: '/users:loginOtp',
    access: anybody,
    places: 'sign-in',
    summary: 'Starts a session with a one-time code.',
    request: otpCredentials,
    alsoKnown: signInFields,
    response: loginResponse,
    errors: codeErrors,
  }),
  signup: defineMethod({
    name: 'users.signup',
    verb: 'POST',
    path: '/users:signup',
    access: anybody,
    places: 'sign-in',
    summary: 'Creates an account for an email confirmed by a one-time code, and starts a session.',
    request: otpCredentials,
    alsoKnown: signInFields,
    response: loginResponse,
    errors: [...codeErrors, signUpDisabled],
  }),
  oauthRedirects: defineMethod({
    name: 'users.oauthRedirects',
    verb: 'GET',
    path: '/users:oauthRedirects',
    access: anybody,
    places: 'abroad',
    summary: 'Gets the URL of the third-party sign-in page.',
    query: z.object({
      provider: line(50).default('google'),
      mode: z.enum(['login', 'register']).default('login'),
      redirect_uri: z.url().max(2000),
      state: z.string().min(1, 'Required').max(4000),
      /** SHA-256 of the verifier as base64url (RFC 7636). */
      code_challenge: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'Must be a SHA-256 in base64url'),
    }),
    response: z.object({ google_redirect_url: z.string() }),
    errors: providerErrors,
  }),
  oauthLoginCallback: defineMethod({
    name: 'users.oauthLoginCallback',
    verb: 'POST',
    path: '/users:oauthLoginCallback',
    access: anybody,
    places: 'abroad',
    summary: 'Starts a session for a user confirmed by third-party sign-in.',
    request: oauthCallback,
    alsoKnown: signInFields,
    response: loginResponse,
    errors: [...callbackErrors, { code: 404, reason: 'NO_ACCOUNT', when: 'No account uses this sign-in.' }],
  }),
  oauthSignupCallback: defineMethod({
    name: 'users.oauthSignupCallback',
    verb: 'POST',
    path: '/users:oauthSignupCallback',
    access: anybody,
    places: 'abroad',
    summary: 'Like the login callback, but creates an account if there is none.',
    request: oauthCallback,
    alsoKnown: signInFields,
    response: loginResponse,
    errors: [...callbackErrors, signUpDisabled],
  }),
  logout: defineMethod({
    name: 'users.logout',
    verb: 'POST',
    path: '/users:logout',
    access: everybody,
    summary: 'Ends the current session.',
    request: empty,
    response: empty,
    errors: [],
  }),
  get: defineMethod({
    name: 'users.get',
    verb: 'GET',
    path: '/users/{user}',
    access: oneselfOrStaff,
    summary: 'Gets the current user, or any user for a platform admin.',
    response: user,
    errors: [errors.notFound],
  }),
  update: defineMethod({
    name: 'users.update',
    verb: 'PATCH',
    path: '/users/{user}',
    access: oneself,
    summary: 'Changes first and last name.',
    query: maskQuery,
    request: z.object({ first_name: firstName.optional(), last_name: lastName.optional() }),
    response: user,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  setPassword: defineMethod({
    name: 'users.setPassword',
    verb: 'POST',
    path: '/users/{user}:setPassword',
    access: oneself,
    places: 'sign-in',
    summary:
      'Sets the password with the one-time token of the login response that began the session, or with the current password. All other sessions of the user end.',
    request: z
      .object({
        name: line(300),
        otp_token: z.string().min(1, 'Required').max(200).optional(),
        current_password: z.string().min(1, 'Required').max(1024, 'At most 1024 characters').optional(),
        password: newPassword,
      })
      .refine(({ otp_token, current_password }) => otp_token !== undefined || current_password !== undefined, {
        path: ['otp_token'],
        message: 'Required',
      }),
    response: empty,
    errors: [
      errors.invalid,
      {
        code: 401,
        reason: 'INVALID_TOKEN',
        when: 'The one-time token is wrong, used, expired, or of another session.',
      },
      { code: 401, reason: 'INVALID_CREDENTIALS', when: 'The current password is wrong.' },
      errors.tooMany,
      errors.forbidden,
      errors.notFound,
    ],
  }),
  uploadPhoto: defineMethod({
    name: 'users.uploadPhoto',
    verb: 'POST',
    path: '/users/{user}:uploadPhoto',
    access: oneself,
    places: 'files',
    summary: 'Replaces the photo. The image is checked and re-encoded.',
    request: imageUpload,
    bodyLimit: imageBodyLimit,
    response: user,
    errors: [errors.invalid, errors.forbidden, errors.notFound, errors.tooMany],
  }),
  removePhoto: defineMethod({
    name: 'users.removePhoto',
    verb: 'POST',
    path: '/users/{user}:removePhoto',
    access: oneself,
    summary: 'Removes the photo.',
    request: empty,
    response: user,
    errors: [errors.forbidden, errors.notFound],
  }),
  onboard: defineMethod({
    name: 'users.onboard',
    verb: 'POST',
    path: '/users:onboard',
    access: staff,
    summary:
      'Creates an organization with a workspace and an onboarding link for its administrator. Platform admins only.',
    request: z.object({
      email,
      first_name: firstName,
      last_name: lastName,
      organization_title: organizationTitle,
      setup_amount: amount.default('0.00'),
      yearly_amount: amount.default('0.00'),
    }),
    response: z.object({
      user,
      organization,
      workspace,
      onboarding_token: z.string(),
      /** URL of the invoice for the set-up fee. Empty when there is no set-up fee or no payment provider. */
      invoice_url: z.string(),
    }),
    errors: [errors.invalid, errors.forbidden, errors.exists],
  }),
  startOnboarding: defineMethod({
    name: 'users.startOnboarding',
    verb: 'GET',
    path: '/users/{user}:startOnboarding',
    access: anybody,
    summary: 'Gets the user and organization of an onboarding link.',
    query: z.object({ onboarding_token: z.string().max(200).default('') }),
    response: z.object({ user, organization }),
    errors: [errors.notFound],
  }),
  completeOnboarding: defineMethod({
    name: 'users.completeOnboarding',
    verb: 'POST',
    path: '/users/{user}:completeOnboarding',
    access: anybody,
    places: 'sign-in',
    summary: "Sets the name and password of an onboarding link's user and starts a session.",
    request: z.object({
      onboarding_token: z.string().min(1, 'Required').max(200),
      first_name: firstName,
      last_name: lastName,
      password: newPassword,
      organization_auto_join: z.boolean(),
    }),
    response: loginResponse,
    errors: [errors.invalid, errors.notFound],
  }),
}

export const session = z.object({
  /** `users/{id}/sessions/{id}`. */
  name: z.string(),
  /** The browser's user agent at login. */
  user_agent: z.string(),
  ip: z.string(),
  create_time: time,
  last_used_time: time,
  /** Whether the call was made with this session. */
  current: z.boolean(),
})
export type Session = z.infer<typeof session>

export const sessions = {
  list: defineMethod({
    name: 'sessions.list',
    verb: 'GET',
    path: '/users/{user}/sessions',
    access: oneself,
    summary: "Lists the user's active sessions, most recently used first.",
    query: pageQuery,
    response: z.object({ sessions: z.array(session), next_page_token: nextPageToken }),
    errors: [errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'sessions.delete',
    verb: 'DELETE',
    path: '/users/{user}/sessions/{session}',
    access: oneself,
    summary: 'Ends one session immediately, including its realtime connections.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
  deleteOthers: defineMethod({
    name: 'sessions.deleteOthers',
    verb: 'POST',
    path: '/users/{user}/sessions:deleteOthers',
    access: oneself,
    summary: 'Ends every session of the user except the current one.',
    request: empty,
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
}
