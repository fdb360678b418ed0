import { expect, test } from 'vitest'
import { loginAnswer } from '../../testing/login-answer.ts'
import { sessionOfLogin } from './session.ts'
import { createWaysIn } from './ways-in.ts'

const thirdParty = {
  provider: 'google',
  code: 'code',
  state: 'state',
  code_verifier: 'v'.repeat(56),
  redirect_uri: 'https://cdp.example.com/auth/oauth-callback',
}

/** Creates the ways to sign in or sign up, and records the server calls and the started sessions. */
const waysIn = () => {
  const asked: unknown[] = []
  const begun: unknown[] = []
  const ways = createWaysIn({
    // Every method that is called here responds with a login response.
    call: (async (method: { verb: string; path: string }, { body }: { body: unknown }) => {
      asked.push([method.verb, method.path, body])
      return loginAnswer
    }) as never,
    begin: (each) => void begun.push(sessionOfLogin(each)),
  })
  return { ways, asked, begun }
}

test('AUTH-29: login with the payload of a third-party provider calls only :oauthLoginCallback', async () => {
  const { ways, asked, begun } = waysIn()
  await ways.login(thirdParty)
  expect(asked).toEqual([['POST', '/users:oauthLoginCallback', thirdParty]])
  expect(begun).toEqual([sessionOfLogin(loginAnswer)])
})

test('AUTH-30: login with a payload that has a one-time code calls only :loginOtp', async () => {
  const { ways, asked, begun } = waysIn()
  await ways.login({ email: 'a@b.co', otp_token: 'ABCD-EFGH' })
  expect(asked).toEqual([['POST', '/users:loginOtp', { email: 'a@b.co', otp_token: 'ABCD-EFGH' }]])
  expect(begun).toEqual([sessionOfLogin(loginAnswer)])
})

test('AUTH-31: login with a payload that is a complete response starts the session without a server call', async () => {
  const { ways, asked, begun } = waysIn()
  expect(await ways.login(loginAnswer)).toEqual(loginAnswer)
  expect(asked).toEqual([])
  expect(begun).toEqual([sessionOfLogin(loginAnswer)])
})

test('AUTH-32: login with any other payload treats it as credentials and calls only :login', async () => {
  const { ways, asked, begun } = waysIn()
  await ways.login({ email: 'a@b.co', password: 'a' })
  expect(asked).toEqual([['POST', '/users:login', { email: 'a@b.co', password: 'a' }]])
  expect(begun).toEqual([sessionOfLogin(loginAnswer)])
})

test('if a login payload fits several ways to sign in, only the first is used: provider, code, complete, credentials (AUTH-33)', async () => {
  const called = async (payload: object): Promise<unknown[]> => {
    const { ways, asked, begun } = waysIn()
    await ways.login(payload as never)
    expect(begun).toHaveLength(1)
    return asked.map((each) => (each as string[])[1])
  }
  const credentials = { email: 'a@b.co', password: 'a' }
  const code = { otp_token: 'ABCD-EFGH' }
  expect(await called({ ...credentials, ...loginAnswer, ...code, ...thirdParty })).toEqual([
    '/users:oauthLoginCallback',
  ])
  expect(await called({ ...credentials, ...loginAnswer, ...code })).toEqual(['/users:loginOtp'])
  expect(await called({ ...credentials, ...loginAnswer })).toEqual([])
  expect(await called({ ...credentials, access_token: 'a' })).toEqual(['/users:login'])
})

test('AUTH-29, AUTH-30: a refused login starts no session, and its error is passed on', async () => {
  const begun: unknown[] = []
  const ways = createWaysIn({
    call: async () => Promise.reject(new Error('refused')),
    begin: (each) => void begun.push(each),
  })
  await expect(ways.login(thirdParty)).rejects.toThrow('refused')
  await expect(ways.register({ email: 'a@b.co', otp_token: 'ABCD-EFGH' })).rejects.toThrow('refused')
  expect(begun).toEqual([])
})

test('REG-19: a registration with a provider calls only :oauthSignupCallback', async () => {
  const { ways, asked, begun } = waysIn()
  await ways.register(thirdParty)
  expect(asked).toEqual([['POST', '/users:oauthSignupCallback', thirdParty]])
  expect(begun).toEqual([sessionOfLogin(loginAnswer)])
})

test('REG-20: a registration without a provider calls only :signup', async () => {
  const { ways, asked, begun } = waysIn()
  await ways.register({ email: 'a@b.co', otp_token: 'ABCD-EFGH' })
  expect(asked).toEqual([['POST', '/users:signup', { email: 'a@b.co', otp_token: 'ABCD-EFGH' }]])
  expect(begun).toEqual([sessionOfLogin(loginAnswer)])
})
