import { afterAll } from 'vitest'

// No test of a page reaches a server: one that answers is the test's own.
if (typeof window !== 'undefined') {
  globalThis.fetch = () => Promise.reject(new TypeError('This test has no server'))
  // A window closes when none of its timers is left, and a page that looks for its server always begins another one.
  afterAll(() => {
    Object.assign(globalThis, { setTimeout: () => 0, setInterval: () => 0 })
  })
}
