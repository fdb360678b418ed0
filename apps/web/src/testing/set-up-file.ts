import { afterAll } from 'vitest'

// Tests of pages reach no server: a test that needs responses provides its own.
if (typeof window !== 'undefined') {
  globalThis.fetch = () => Promise.reject(new TypeError('This test has no server'))
  // A window closes when it has no timers left. A page that checks an unavailable server would start a new timer each
  // time.
  afterAll(() => {
    Object.assign(globalThis, { setTimeout: () => 0, setInterval: () => 0 })
  })
}
