import { expect, test, vi } from 'vitest'
import { ApiError } from '../api/errors.ts'
import { isIgnored, reportError, reportingOptions, setReportedUser, startErrorReporting } from './error-reporting.ts'

const dsn = 'https://key@errors.example/1'
const production = { sentry_dsn: dsn, environment: 'production' } as const

test('every trace is sampled, and no typed or secret text is collected (OBS-09)', () => {
  expect(reportingOptions(production)).toEqual({
    dsn,
    environment: 'production',
    tracesSampleRate: 1,
    dataCollection: { userInfo: false, cookies: false, httpHeaders: false, httpBodies: [], urlQueryParams: false },
    ignores: isIgnored,
  })
})

test.each([
  ['in development', { sentry_dsn: dsn, environment: 'development' }],
  ['without an address', { sentry_dsn: '', environment: 'production' }],
] as const)('OBS-10, OBS-11: %s the SDK is not even loaded', async (_, config) => {
  let loads = 0
  await startErrorReporting(config, async () => {
    loads++
    return { captureException() {}, setUser() {} }
  })
  reportError(new Error('x'))
  expect(loads).toBe(0)
})

test.each([
  [new Error('Failed to load Stripe.js'), true],
  ['Loading https://js.stripe.com/v3 was blocked', true],
  [new Error('Failed to load the editor'), false],
])('ERR-19: a script of the payment provider that could not be loaded is ignored: %s', (error, ignored) => {
  expect(isIgnored(error)).toBe(ignored)
})

test.each([
  [new ApiError(404, {}, 'x'), true],
  [new Error('Request failed with status code 404'), true],
  [new ApiError(500, { message: 'boom' }, 'x'), false],
  [new ApiError(403, { message: 'js' }, 'x'), false],
  [new Error('x is undefined'), false],
  [undefined, false],
])('ERR-20: an error about a missing resource is ignored, and other errors are reported: %s', (error, ignored) => {
  expect(isIgnored(error)).toBe(ignored)
})

test('errors are reported with the user, who is removed at sign-out; ignored errors are never reported', async () => {
  const reported: unknown[] = []
  const reporter = {
    captureException: (error: unknown) => void reported.push(error),
    setUser: (user: { id: string } | null) => void reported.push({ user }),
  }
  setReportedUser('users/u1')
  await startErrorReporting(production, () => Promise.resolve(reporter))
  const fault = new ApiError(500, { message: 'boom' }, 'x')
  reportError(fault)
  reportError(new ApiError(404, {}, 'x'))
  setReportedUser(null)
  expect(reported).toEqual([{ user: { id: 'users/u1' } }, fault, { user: null }])
})

test('an error that occurs before the SDK is loaded is reported afterwards', async () => {
  vi.resetModules()
  const fresh = await import('./error-reporting.ts')
  const reported: unknown[] = []
  const fault = new Error('while the page loads')
  fresh.reportError(fault)
  await fresh.startErrorReporting(production, () =>
    Promise.resolve({ captureException: (error: unknown) => void reported.push(error), setUser() {} }),
  )
  expect(reported).toEqual([fault])
})
