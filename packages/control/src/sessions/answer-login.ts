import { createHmac } from 'node:crypto'
import {
  hashToken,
  newPlaceMail,
  newToken,
  presentUser,
  queueMail,
  recordAction,
  type Tx,
  type UserRow,
} from '@tributary/api-kit'
import { type LoginResponse, resourceNames } from '@tributary/contract'
import type { Client } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { familyOf, meetPlace, rememberPlace } from '../users/sign-in/sign-in-places.ts'
import { inboxToken } from './inbox-token.ts'
import type { Sessions } from './sessions.ts'

/** Lifetime of the one-time token in a login response, ms. The token can set a password. */
export const passwordTokenLifeMs = 60 * 60_000

/** Time in ms after which the mail about a sign-in from a new place is no longer sent. */
const noticeLifeMs = 24 * 60 * 60_000

/**
 * Starts a session in the given transaction, records it and its origin, and returns the response of every kind of
 * login. The response has the token of the session and a new one-time token that can set a password. It also has the
 * signed names of the user for the inbox and for messaging. `action` is the called method. A mail notifies the user of
 * a sign-in from a new network and browser.
 */
export type AnswerLogin = (
  tx: Tx,
  login: { user: UserRow; client: Client; action: `users.${string}`; detail?: Record<string, unknown> },
) => Promise<LoginResponse>

/** Makes the function that completes every kind of sign-in. */
export const createAnswerLogin =
  ({
    clock,
    jobs,
    publicUrl,
    sessions,
    signing,
    messagingSecret,
  }: Pick<ControlDeps, 'clock' | 'jobs' | 'publicUrl' | 'signing' | 'messagingSecret'> & {
    sessions: Sessions
  }): AnswerLogin =>
  async (tx, { user, client, action, detail }) => {
    const time = new Date(clock())
    await recordAction(tx, {
      actor: { userId: user.id },
      action,
      resource: resourceNames.user.format({ user: user.id }),
      organizationId: null,
      workspaceId: null,
      ...(detail === undefined ? {} : { detail }),
      time,
    })
    if (await meetPlace(tx, { userId: user.id, client, time, signing })) {
      const place = { browser: familyOf(client.userAgent), ip: client.ip }
      const mail = newPlaceMail({ email: user.email, origin: publicUrl(), time, ...place })
      const expireTime = new Date(time.getTime() + noticeLifeMs)
      await queueMail(tx, jobs, { recipient: user.email, mail, time, expireTime })
    }
    await rememberPlace(tx, { userId: user.id, ip: client.ip, time, signing })
    const access_token = await sessions.begin(tx, user.id, client)
    const passwordToken = newToken()
    await tx.deleteFrom('set_password_tokens').where('user_id', '=', user.id).where('expire_time', '<=', time).execute()
    await tx
      .insertInto('set_password_tokens')
      .values({
        token_hash: passwordToken.hash,
        user_id: user.id,
        session_id: (query) =>
          query.selectFrom('sessions').select('id').where('token_hash', '=', hashToken(access_token)),
        expire_time: new Date(time.getTime() + passwordTokenLifeMs),
      })
      .execute()
    return {
      access_token,
      set_password_otp_token: passwordToken.token,
      courier_token: inboxToken(signing.inbox, user.id),
      // The messaging service requires exactly this hash as a proof of the user's identity.
      intercom_token:
        messagingSecret === undefined ? '' : createHmac('sha256', messagingSecret).update(user.id).digest('hex'),
      user: presentUser(user),
    }
  }
