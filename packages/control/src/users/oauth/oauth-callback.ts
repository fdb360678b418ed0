import { type Tx, type UserRow, userColumns } from '@tributary/api-kit'
import type { LoginResponse, oauthCallback } from '@tributary/contract'
import { type Client, networkOf } from '@tributary/http'
import { newId, notFound, unauthorized } from '@tributary/kernel'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { ControlDeps } from '../../deps.ts'
import type { OpenId, OpenIdIdentity } from '../../openid/openid.ts'
import { requireOwnRedirectUri } from '../../openid/redirect-uri.ts'
import { requireProvider } from '../../openid/require-provider.ts'
import type { AnswerLogin } from '../../sessions/answer-login.ts'
import { ensureUser } from '../ensure-user.ts'
import { countTry } from '../sign-in/count-tries.ts'
import { maySignUp, requireSignUp } from '../sign-in/may-sign-up.ts'

export type OauthDeps = Pick<ControlDeps, 'db' | 'clock' | 'counters' | 'clientConfig' | 'publicUrl'> & {
  identityProvider: OpenId | undefined
  answerLogin: AnswerLogin
}

/**
 * Maximum number of failed returns from the provider in 15 minutes from one IP address. Further returns are refused
 * without asking the provider.
 */
export const oauthTriesPerIp = 100

const knownUser = (tx: Tx, { issuer, subject }: OpenIdIdentity): Promise<UserRow | undefined> =>
  tx
    .selectFrom('users')
    .innerJoin('user_identities', 'user_identities.user_id', 'users.id')
    .select(userColumns.map((column) => `users.${column}` as const))
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()

/**
 * Finds the user for an identity that signs in for the first time: the one with the same address, because the provider
 * has verified it. With `make`, creates a user if there is none; otherwise returns undefined.
 */
const firstUser = async (
  tx: Tx,
  identity: OpenIdIdentity,
  { make, time }: { make: boolean; time: Date },
): Promise<UserRow | undefined> => {
  if (!make) {
    const owner = await tx
      .selectFrom('users')
      .select('id')
      .where(sql`lower(email)`, '=', identity.email.toLowerCase())
      .executeTakeFirst()
    if (owner === undefined) return undefined
  }
  const { user } = await ensureUser(tx, { ...identity, time })
  await tx
    .insertInto('user_identities')
    .values({
      id: newId(),
      user_id: user.id,
      issuer: identity.issuer,
      subject: identity.subject,
      email: identity.email,
      create_time: time,
    })
    .execute()
  return user
}

/**
 * Completes a third-party sign-in: asks the provider for the identity, finds the user or creates it (if `mode` is
 * register), and starts a session. Calls the provider before it changes anything. Links an account by its address only
 * if the provider confirms that the address is verified.
 */
export const endSignIn = async (
  { db, clock, counters, clientConfig, publicUrl, identityProvider, answerLogin }: OauthDeps,
  { body, client }: { body: z.output<typeof oauthCallback>; client: Client },
  mode: 'login' | 'register',
): Promise<LoginResponse> => {
  const provider = requireProvider(identityProvider, body.provider)
  requireOwnRedirectUri(body.redirect_uri, { publicUrl: publicUrl(), host: client.host })
  const takeBack = await countTry(
    counters,
    [[`oauth:${networkOf(client.ip)}`, oauthTriesPerIp]],
    'Too many failed logins; wait 15 minutes and try again',
  )
  const identity = await provider.identify({
    redirectUri: body.redirect_uri,
    state: body.state,
    codeVerifier: body.code_verifier,
    code: body.code,
    issuer: body.iss,
  })
  const { displayName } = provider.settings
  const answer = await db.transaction().execute(async (tx) => {
    // The lock lets only one call at a time work on an identity, so that two tabs cannot create the user twice.
    const key = JSON.stringify([identity.issuer, identity.subject])
    await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx)
    const action = mode === 'login' ? 'users.oauthLoginCallback' : 'users.oauthSignupCallback'
    const known = await knownUser(tx, identity)
    if (known !== undefined) return await answerLogin(tx, { user: known, client, action })
    if (!identity.emailVerified)
      throw unauthorized(
        `${displayName} has not confirmed that ${identity.email} is yours; confirm it there or use a one-time code`,
        'EMAIL_NOT_VERIFIED',
      )
    const make = mode === 'register' && (await maySignUp(tx, { clock, clientConfig }, identity.email))
    const user = await firstUser(tx, identity, { make, time: new Date(clock()) })
    if (user !== undefined)
      return await answerLogin(tx, { user, client, action, detail: { linked_issuer: identity.issuer } })
    if (mode === 'register') await requireSignUp(tx, { clock, clientConfig }, identity.email)
    throw notFound(`There is no account for ${identity.email} yet; sign up first`, 'NO_ACCOUNT')
  })
  await takeBack()
  return answer
}
