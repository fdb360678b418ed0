import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '../lib/errors.ts'
import { createErrorListener } from './error-handling.ts'
import { reloadOnce } from './route-error.tsx'

const expired = new ApiError(401, { reason: 'TOKEN_EXPIRED', message: 'token expired' }, '')

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const listen = (signedIn = true) => {
  const notices: string[] = []
  let logouts = 0
  const listener = createErrorListener({
    signedIn: () => signedIn,
    toLogout: () => {
      logouts++
    },
    notify: (kind, title, options) =>
      void notices.push([kind, title, options?.description].filter((part) => part !== undefined).join(' | ')),
  })
  return { listener, notices, logouts: () => logouts }
}

test('an ended session is told once, however many calls fail together, and leads to logout', () => {
  const { listener, notices, logouts } = listen()
  listener(expired)
  listener(expired)
  expect(notices).toEqual(['info | Your session has been expired, please login again'])
  expect(logouts()).toBe(1)
})

test('without a session nothing is told', () => {
  const { listener, notices } = listen(false)
  listener(expired)
  expect(notices).toEqual([])
})

test('a fault of the server becomes a notification titled Error; a refusal does not', () => {
  const { listener, notices, logouts } = listen()
  listener(new ApiError(503, { message: 'The store is starting' }, ''))
  listener(new ApiError(401, { message: 'bad password' }, ''))
  listener(new ApiError(404, {}, 'x'))
  listener(new Error('local'))
  expect(notices).toEqual(['error | Error | The store is starting'])
  expect(logouts()).toBe(0)
})

test('a page whose files were replaced is reloaded, but not in circles', () => {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  let reloads = 0
  const reload = () => {
    reloads++
  }
  expect(reloadOnce(100_000, storage, reload)).toBe(true)
  expect(reloadOnce(105_000, storage, reload)).toBe(false)
  expect(reloadOnce(120_000, storage, reload)).toBe(true)
  expect(reloads).toBe(2)
})
