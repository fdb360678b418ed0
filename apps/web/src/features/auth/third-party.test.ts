// @vitest-environment happy-dom
import { createHash } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { challengeOf, decodeState, encodeState, newVerifier, takeReturn } from './third-party.ts'

beforeEach(() => {
  localStorage.clear()
})

test('a sign-in verifier is 56 valid characters, and no two are equal (AUTH-26)', async () => {
  const verifiers = Array.from({ length: 50 }, newVerifier)
  for (const verifier of verifiers) expect(verifier).toMatch(/^[A-Za-z0-9_-]{56}$/)
  expect(new Set(verifiers).size).toBe(50)
  const [verifier = ''] = verifiers
  expect(await challengeOf(verifier)).toBe(createHash('sha256').update(verifier).digest('base64url'))
})

test.each([
  { provider: 'google', mode: 'login' },
  { provider: 'Société & Co', mode: 'register' },
] as const)('AUTH-27: a state keeps provider and mode through a URL: %j', (carried) => {
  const state = encodeState(carried)
  expect(state).toMatch(/^[A-Za-z0-9_-]+$/)
  expect(decodeState(state)).toEqual(carried)
  expect(encodeState(carried)).not.toBe(state)
})

test.each(['', '%%%', btoa('[]'), btoa('{"provider":"google","mode":"admin"}'), btoa('{"provider":1,"mode":"login"}')])(
  'a state that this product did not create is ignored: %j (AUTH-27)',
  (state) => {
    expect(decodeState(state)).toBeUndefined()
  },
)

const begun = (mode: 'login' | 'register') => {
  const state = encodeState({ provider: 'google', mode })
  const verifier = newVerifier()
  localStorage.setItem('tributary-sign-in-verifier', verifier)
  localStorage.setItem('tributary-sign-in-state', state)
  return { state, verifier }
}

test('a return with the state of this browser becomes the payload for its mode, but only once', () => {
  const { state, verifier } = begun('register')
  const query = new URLSearchParams({ code: 'abc', state })
  expect(takeReturn(query)).toEqual({
    mode: 'register',
    payload: {
      provider: 'google',
      code: 'abc',
      state,
      code_verifier: verifier,
      redirect_uri: `${window.location.origin}/auth/oauth-callback`,
    },
  })
  expect(localStorage.length).toBe(0)
  expect(takeReturn(query)).toMatchObject({ problem: expect.stringContaining('another browser') })
})

test('a return whose state is not that of this browser is rejected', () => {
  begun('login')
  const foreign = encodeState({ provider: 'google', mode: 'login' })
  expect(takeReturn(new URLSearchParams({ code: 'abc', state: foreign }))).toMatchObject({
    problem: expect.stringContaining('another browser'),
  })
})

test('a canceled or failed sign-in shows a message', () => {
  const cancelled = begun('login')
  expect(takeReturn(new URLSearchParams({ error: 'access_denied', state: cancelled.state }))).toEqual({
    mode: 'login',
    problem: 'The sign-in was canceled.',
  })
  const failed = begun('login')
  const query = new URLSearchParams({ error: 'server_error', error_description: 'Try later', state: failed.state })
  expect(takeReturn(query)).toEqual({ mode: 'login', problem: 'Try later' })
  const empty = begun('login')
  expect(takeReturn(new URLSearchParams({ state: empty.state }))).toMatchObject({
    problem: 'The provider did not complete the sign-in. Try again.',
  })
})
