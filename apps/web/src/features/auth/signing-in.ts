import type { QueryClient } from '@tanstack/react-query'
import { credentials, email, methods, oneTimeCode, type User } from '@tributary/contract'
import { z } from 'zod'
import { rulesOf } from '../../components/api-form.ts'
import { call } from '../../lib/api/client.ts'
import { type AcceptedInvitation, acceptSaved } from '../../lib/people/accept-invitation.ts'
import { userQuery } from '../../lib/queries/account-queries.ts'
import { refresh } from '../../lib/queries/query.ts'
import type { CodeAction } from './one-time-code.tsx'

export { login } from '../../lib/people/ways-in.ts'

/** The rules of the forms of the sign-in page. */
export const rules = {
  credentials: rulesOf(credentials),
  email: rulesOf(z.object({ email })),
  code: rulesOf(z.object({ email: z.string(), otp_token: oneTimeCode })),
}

/** Sends a one-time code to an email address; resolves to the time when it was sent. */
export const sendCode = async (address: string, action: CodeAction): Promise<number> => {
  await call(methods.users.sendOtp, { body: { email: address, action } })
  return Date.now()
}

/** Stores the session of the signed-in user, and accepts the previously saved invitation. */
export const welcome = async (cache: QueryClient, user: User): Promise<AcceptedInvitation> => {
  cache.setQueryData(userQuery(user.name).queryKey, user)
  const invitation = await acceptSaved()
  // The memberships may have been loaded before the user became a member.
  if (invitation !== undefined && 'joined' in invitation) refresh(cache, ['memberships'])
  return invitation
}
