import { credentials, email, methods, oneTimeCode } from '@tributary/contract'
import { z } from 'zod'
import { call } from '../../lib/client.ts'
import { rulesOf } from '../../parts/api-form.ts'
import type { CodeAction } from './one-time-code.tsx'

export { acceptSaved } from '../../lib/accept-invitation.ts'
export { login } from '../../lib/ways-in.ts'

/** The rules of the forms of the sign-in page. */
export const rules = {
  credentials: rulesOf(credentials),
  email: rulesOf(z.object({ email })),
  code: rulesOf(z.object({ email: z.string(), otp_token: oneTimeCode })),
}

/** Has a one-time code sent to an address; gives the time of it. */
export const sendCode = async (address: string, action: CodeAction): Promise<number> => {
  await call(methods.users.sendOtp, { body: { email: address, action } })
  return Date.now()
}
