import { createHmac } from 'node:crypto'
import { audit, type Tx } from '@tributary/api-kit'
import { type LoginResponse, resourceNames } from '@tributary/contract'
import type { Client } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { newToken } from '../secret-tokens.ts'
import { presentUser, type UserRow } from '../users/present.ts'
import { rememberPlace } from '../users/sign-in/sign-in-places.ts'
import { inboxToken } from './inbox-token.ts'
import type { Sessions } from './sessions.ts'

/** How long the one-time token of a login answer can set a password, ms. */
export const passwordTokenLifeMs = 60 * 60_000

/**
 * Begins a session in the given transaction, records it and from where, and gives the answer of every kind of login: the session's
 * token, a fresh one-time token for setting the password, and the signed names under which inbox and messaging know the
 * user. `action` is the method that was called.
 */
export type AnswerLogin = (
  tx: Tx,
  login: { user: UserRow; client: Client; action: `users.${string}`; detail?: Record<string, unknown> },
) => Promise<LoginResponse>

/** Makes the one function that all ways in end with. */
export const createAnswerLogin =
  ({
    clock,
    sessions,
    signing,
    messagingSecret,
  }: Pick<ControlDeps, 'clock' | 'signing' | 'messagingSecret'> & { sessions: Sessions }): AnswerLogin =>
  async (tx, { user, client, action, detail }) => {
    const time = new Date(clock())
    await audit(tx, {
      actor: { userId: user.id },
      action,
      resource: resourceNames.user.format({ user: user.id }),
      organizationId: null,
      workspaceId: null,
      ...(detail === undefined ? {} : { detail }),
      time,
    })
    await rememberPlace(tx, { userId: user.id, ip: client.ip, time, signing })
    const passwordToken = newToken()
    await tx.deleteFrom('set_password_tokens').where('user_id', '=', user.id).where('expire_time', '<=', time).execute()
    await tx
      .insertInto('set_password_tokens')
      .values({
        token_hash: passwordToken.hash,
        user_id: user.id,
        expire_time: new Date(time.getTime() + passwordTokenLifeMs),
      })
      .execute()
    return {
      access_token: await sessions.begin(tx, user.id, client),
      set_password_otp_token: passwordToken.token,
      courier_token: inboxToken(signing.inbox, user.id),
      // The messaging service asks for exactly this proof of who the user is.
      intercom_token:
        messagingSecret === undefined ? '' : createHmac('sha256', messagingSecret).update(user.id).digest('hex'),
      user: presentUser(user),
    }
  }
