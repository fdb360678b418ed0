import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '../lib/api/errors.ts'
import { createErrorListener } from './error-handling.ts'
import { reloadOnce } from './routes/route-error.tsx'

const expired = new ApiError(401, { reason: 'TOKEN_EXPIRED', message: 'token expired' }, '')

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const listen = (signedIn = true) => {
  const notices: string[] = []
  const reported: unknown[] = []
  let logouts = 0
  const listener = createErrorListener({
    signedIn: () => signedIn,
    toLogout: () => {
      logouts++
    },
    report: (error) => void reported.push(error),
    notify: (kind, title, options) =>
      void notices.push([kind, title, options?.description].filter((part) => part !== undefined).join(' | ')),
  })
  return { listener, notices, reported, logouts: () => logouts }
}

test('an ended session is reported once, even if many calls fail together, and leads to logout', () => {
  const { listener, notices, logouts } = listen()
  listener(expired)
  listener(expired)
  expect(notices).toEqual(['info | Your session has been expired, please login again'])
  expect(logouts()).toBe(1)
})

test('a user without a session gets no report about an ended session', () => {
  const { listener, notices } = listen(false)
  listener(expired)
  expect(notices).toEqual([])
})

test('ERR-15: a status of 500 or more is shown as a notification titled Error and reported; a rejection is neither', () => {
  const { listener, notices, reported, logouts } = listen()
  const fault = new ApiError(503, { message: 'The store is starting' }, '')
  const local = new Error('local')
  listener(fault)
  listener(new ApiError(401, { message: 'bad password' }, ''))
  listener(new ApiError(404, {}, 'x'))
  listener(local)
  expect(notices).toEqual(['error | Error | The store is starting'])
  expect(reported).toEqual([fault, local])
  expect(logouts()).toBe(0)
})

test("a status of 500 or more without a message of the server shows the error's own words (ERR-16)", () => {
  const { listener, notices } = listen()
  listener(new ApiError(502, {}, 'The server responded with status 502.'))
  expect(notices).toEqual(['error | Error | The server responded with status 502.'])
})

test.each([
  'Failed to fetch dynamically imported module: https://app.test/assets/sources-page-1.js',
  'Failed to load module script: Expected a JavaScript module script',
])('ERR-17, ERR-18: %j reloads the page, but not in a loop', (message) => {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  let reloads = 0
  const at = (now: number, { error = new Error(message), build = 'b1', path = '/w/sources' } = {}) =>
    reloadOnce(error, {
      build,
      path,
      now,
      storage,
      reload: () => {
        reloads++
      },
    })
  expect(at(100_000)).toBe(true)
  expect(at(105_000)).toBe(false)
  // The page may load slowly: another reload is not allowed yet.
  expect(at(160_000)).toBe(false)
  expect(at(160_000, { path: '/w/destinations' })).toBe(true)
  expect(at(161_000, { build: 'b2' })).toBe(true)
  expect(at(162_000)).toBe(false)
  expect(at(162_000, { build: 'b2' })).toBe(false)
  expect(at(163_000, { path: '/w', error: new Error('x is undefined') })).toBe(false)
  expect(reloads).toBe(3)
  expect(at(500_000)).toBe(true)
})
