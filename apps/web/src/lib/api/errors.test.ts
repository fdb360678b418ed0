import { describe, expect, test } from 'vitest'
import { ApiError, errorScreen, formFailure, isModuleLoadFailure, isSessionExpired, readErrorBody } from './errors.ts'

const failed = (status: number, body: ConstructorParameters<typeof ApiError>[1] = {}): ApiError =>
  new ApiError(status, body, 'fallback')

describe('the end of a session', () => {
  test.each([
    [failed(401, { reason: 'TOKEN_EXPIRED', message: 'log in' }), true],
    [failed(401, { message: 'JWT token has expired' }), true],
    [failed(401, { message: 'oops: Invalid auth userInfo' }), true],
    [failed(401, { message: 'invalid auth user info' }), true],
    [failed(401, { message: 'The session expired' }), true],
    [failed(401, { reason: 'UNAUTHORIZED', message: 'Your login EXPIRED. Sign in again' }), true],
    [failed(401, { message: 'expired' }), true],
    [failed(401, { message: 'bad password' }), false],
    [failed(401, { message: 'It expires tomorrow' }), false],
    [failed(401, { reason: 'INVALID_CODE', message: 'The code has expired' }), false],
    [failed(401, { reason: 'INVALID_TOKEN', message: 'The token has expired' }), false],
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
  ])('ERR-03, ERR-04, ERR-05, ERR-07: the failed query %o has its title and action', (error, kind, message, action) => {
    expect(errorScreen(error)).toMatchObject({ kind, message, action })
  })

  test.each([failed(422), failed(500), new Error(''), undefined])(
    'ERR-06: without a message, the text is "unknown error": %o',
    (error) => {
      expect(errorScreen(error)).toMatchObject({ kind: 'other', message: 'unknown error', action: 'Retry' })
    },
  )

  test("a call without any response shows the error's own text", () => {
    expect(errorScreen(failed(0)).message).toBe('fallback')
  })

  test.each(['workspace not found', 'Workspace not found', 'WORKSPACE NOT FOUND'])(
    'with the message %j, the screen names the workspace (ERR-09)',
    (message) => {
      expect(errorScreen(failed(404, { message }))).toMatchObject({
        kind: 'workspace-not-found',
        title: 'The requested Workspace was not found.',
        action: 'Refresh',
      })
      expect(errorScreen(new Error(message)).kind).toBe('workspace-not-found')
    },
  )

  test('a query that fails with the status 404 has its own title', () => {
    expect(errorScreen(failed(404)).title).toBe('The requested resource was not found.')
  })
})

describe('a refused form', () => {
  test('ERR-21: an entry for settings is a field error with code 402 and hides the other entries', () => {
    expect(formFailure(failed(400, { metadata: { settings: 'x', title: 'y' } }))).toEqual({
      fields: [{ name: 'settings', message: 'X', code: 402 }],
    })
  })
  test('ERR-22: other entries belong to the fields with their names', () => {
    const { fields } = formFailure(failed(400, { code: 400, metadata: { email: 'taken', title: 'bad', industry: '' } }))
    expect(fields).toEqual([
      { name: 'email', message: 'Taken', code: 400 },
      { name: 'title', message: 'Bad', code: 400 },
      { name: 'industry', message: 'Error', code: 400 },
    ])
  })
  test.each([{ metadata: {} }, {}])(
    'ERR-23: without entries (%o), the form shows the message with its code and reason',
    (rest) => {
      expect(formFailure(failed(400, { message: 'm', code: 9, reason: 'r', ...rest }))).toEqual({
        fields: [],
        form: { message: 'm', code: 9, reason: 'r' },
      })
    },
  )
  test('the retry time and the ID of an error do not count as fields', () => {
    const body = { message: 'Too many', code: 429, reason: 'RATE', metadata: { retry_after: '30', error_id: 'e1' } }
    expect(formFailure(failed(429, body))).toEqual({
      fields: [],
      form: { message: 'Too many', code: 429, reason: 'RATE' },
    })
  })
  test.each(['upgrade required', ' Upgrade Required\n'])(
    'ERR-24: %j is recognized as the limit of the plan, and is replaced by a readable text',
    (message) => {
      expect(
        formFailure(failed(402, { message, code: 402, reason: 'UPGRADE_REQUIRED', metadata: {} })).form?.message,
      ).toBe("You've reached the maximum number of resources allowed on your current plan. Upgrade to a larger plan.")
    },
  )
  test('ERR-24: a longer message that contains the words stays unchanged', () => {
    expect(formFailure(failed(402, { message: 'No upgrade required' })).form?.message).toBe('No upgrade required')
  })
  test.each([
    [failed(400, readErrorBody({ error: 'e' })), 'e'] as const,
    [failed(400, readErrorBody({ message: 'm' })), 'm'] as const,
    [new Error('own'), 'own'] as const,
  ])('ERR-25: without metadata, %o shows its text with code 0', (error, message) => {
    expect(formFailure(error).form).toEqual({ message, code: 0, reason: '' })
  })
})

describe('the body of a refusal', () => {
  const full = { code: 400, reason: 'VALIDATION', message: 'm', metadata: { title: 'taken' } }
  test.each([
    [full, full],
    [{ error: full }, full],
    [{ error: 'e' }, { message: 'e' }],
    [{ message: '', error: 'e' }, { message: 'e' }],
    [{ code: 'x', reason: 1, message: 2, metadata: [] }, {}],
    [{ metadata: { count: 3 } }, { metadata: { count: '3' } }],
    ['text', {}],
    [null, {}],
  ])('the body %o of a refusal is read as %o (ERR-22)', (json, body) => {
    expect(readErrorBody(json)).toEqual(body)
  })
})

test.each([
  ['Failed to fetch dynamically imported module: /assets/x.js', true],
  ['Failed to load module script', true],
  ['x is undefined', false],
])('the error %j means that a module could not be loaded: %s', (message, is) => {
  expect(isModuleLoadFailure(new Error(message))).toBe(is)
})
