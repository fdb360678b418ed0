import { describe, expect, test } from 'vitest'
import {
  ApiError,
  errorScreen,
  faultText,
  formFailure,
  isModuleLoadFailure,
  isSessionExpired,
  upgradeText,
} from './errors.ts'

const failed = (status: number, body: ConstructorParameters<typeof ApiError>[1] = {}): ApiError =>
  new ApiError(status, body, 'fallback')

describe('a session is over', () => {
  test.each([
    [failed(401, { reason: 'TOKEN_EXPIRED', message: 'log in' }), true],
    [failed(401, { message: 'JWT token has expired' }), true],
    [failed(401, { message: 'oops: Invalid auth userInfo' }), true],
    [failed(401, { message: 'invalid auth user info' }), true],
    [failed(401, { message: 'bad password' }), false],
    [failed(403, { message: 'token expired' }), false],
    [new Error('token expired'), false],
  ])('SES-13, SES-14, SES-16: %o ends the session: %s', (error, over) => {
    expect(isSessionExpired(error)).toBe(over)
  })
})

describe('the screen of a failed query', () => {
  test.each([
    [failed(403, { message: 'x' }), 'forbidden', 'You are not authorized to view this content', 'Retry'],
    [failed(404, { message: 'x' }), 'not-found', 'The page you are looking for does not exist.', 'Refresh'],
    [
      failed(412, { message: 'x' }),
      'warehouse',
      "We couldn't establish a connection to your data warehouse; access is either currently in progress or has been revoked.",
      'Retry',
    ],
    [failed(422, { message: 'x' }), 'other', 'x', 'Retry'],
    [new Error(''), 'other', 'unknown error', 'Retry'],
    [undefined, 'other', 'unknown error', 'Retry'],
  ])('%o', (error, kind, message, action) => {
    expect(errorScreen(error)).toMatchObject({ kind, message, action })
  })

  test.each(['workspace not found', 'Workspace not found'])('%j names the workspace', (message) => {
    expect(errorScreen(failed(404, { message }))).toMatchObject({
      title: 'The requested Workspace was not found.',
      action: 'Refresh',
    })
    expect(errorScreen(new Error(message)).kind).toBe('workspace-not-found')
  })

  test('404 has its title', () => {
    expect(errorScreen(failed(404)).title).toBe('The requested resource was not found.')
  })
})

describe('a refused form', () => {
  test('an entry for settings is a field error with code 402', () => {
    expect(formFailure(failed(400, { metadata: { settings: 'x', title: 'y' } }))).toEqual({
      fields: [{ name: 'settings', message: 'X', code: 402 }],
    })
  })
  test('other entries belong to the fields of their names', () => {
    const { fields } = formFailure(failed(400, { code: 400, metadata: { email: 'taken', title: '' } }))
    expect(fields).toEqual([
      { name: 'email', message: 'Taken', code: 400 },
      { name: 'title', message: 'Error', code: 400 },
    ])
  })
  test('without entries the message counts with its code and reason', () => {
    expect(formFailure(failed(400, { message: 'm', code: 9, reason: 'R', metadata: {} })).form).toEqual({
      message: 'm',
      code: 9,
      reason: 'R',
    })
  })
  test('the limit of the plan is put into words', () => {
    expect(
      formFailure(failed(402, { message: 'upgrade required', code: 402, reason: 'UPGRADE_REQUIRED', metadata: {} }))
        .form?.message,
    ).toBe(upgradeText)
  })
  test.each([
    [failed(400, { error: 'e' }), 'e'] as const,
    [failed(400, { message: 'm' }), 'm'] as const,
    [new Error('own'), 'own'] as const,
  ])('without metadata %o shows its text with code 0', (error, message) => {
    expect(formFailure(error).form).toEqual({ message, code: 0, reason: '' })
  })
})

test('the notification of a fault has the server message, else the own one of the error', () => {
  expect(faultText(failed(500, { message: 'boom' }))).toBe('boom')
  expect(faultText(failed(500))).toBe('fallback')
})

test.each([
  ['Failed to fetch dynamically imported module: /assets/x.js', true],
  ['Failed to load module script', true],
  ['x is undefined', false],
])('%j is a module that could not be loaded: %s', (message, is) => {
  expect(isModuleLoadFailure(new Error(message))).toBe(is)
})
