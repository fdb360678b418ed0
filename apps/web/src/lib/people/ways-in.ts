import { type LoginResponse, type MethodRequest, methods } from '@tributary/contract'
import { call } from '../api/client.ts'
import { signIn } from './session.ts'

/** The data that a third-party sign-in returns. */
export type ThirdPartyPayload = MethodRequest<typeof methods.users.oauthLoginCallback>
/** An email address with the one-time code that was sent to it. */
export type CodePayload = { email: string; otp_token: string }
export type CredentialsPayload = MethodRequest<typeof methods.users.login>

export type LoginPayload = ThirdPartyPayload | CodePayload | LoginResponse | CredentialsPayload
export type RegisterPayload = ThirdPartyPayload | CodePayload

/**
 * Creates the functions that start a session by login or registration. The form of the payload alone decides what is
 * called. For login it is, in this order: a third-party sign-in, a one-time code, a complete response, credentials. For
 * registration: a third-party sign-in, a code. `begin` receives the response before the caller does. Errors of the call
 * are thrown.
 */
export const createWaysIn = (deps: { call: typeof call; begin: (answer: LoginResponse) => void }) => {
  const answerOf = async (payload: LoginPayload): Promise<LoginResponse> => {
    if ('provider' in payload) return deps.call(methods.users.oauthLoginCallback, { body: payload })
    if ('otp_token' in payload) return deps.call(methods.users.loginOtp, { body: payload })
    if ('access_token' in payload && 'user' in payload) return payload
    return deps.call(methods.users.login, { body: payload })
  }
  return {
    login: async (payload: LoginPayload): Promise<LoginResponse> => {
      const answer = await answerOf(payload)
      deps.begin(answer)
      return answer
    },
    register: async (payload: RegisterPayload): Promise<LoginResponse> => {
      const answer = await ('provider' in payload
        ? deps.call(methods.users.oauthSignupCallback, { body: payload })
        : deps.call(methods.users.signup, { body: payload }))
      deps.begin(answer)
      return answer
    },
  }
}

/** The login and registration of this browser. They store the session of the response. */
export const { login, register } = createWaysIn({ call, begin: signIn })
