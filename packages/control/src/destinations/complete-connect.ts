import { audit, hashToken } from '@tributary/api-kit'
import { readDestination, replaceGrant, sealTokens, showDestination, verifierContext } from '@tributary/configuration'
import {
  ConfigurationError,
  clientFingerprint,
  exchangeCode,
  type GrantTokens,
  type OAuth2Client,
  RetryableError,
} from '@tributary/connector-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { AppError, badRequest, newId, SecretBoxError } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { requireClient } from './connect.ts'

type Deps = Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'requestClient' | 'clock' | 'logger'>

const unknownConsent = (): AppError =>
  badRequest('CONSENT_UNKNOWN', 'This approval was started by someone else, was used, or has expired. Start again')

/** Removes and returns the consent with this state, so that it can be used only once, even if a later step fails. */
const takeConsent = async (
  { db, secretBox, clock }: Deps,
  state: string,
  { destinationId, userId }: { destinationId: string; userId: string },
): Promise<{ codeVerifier: string; redirectUri: string; issuedFor: string }> => {
  const stateHash = hashToken(state)
  const row = await db
    .deleteFrom('oauth_consents')
    .where('state_hash', '=', stateHash)
    .where('destination_id', '=', destinationId)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined || row.expire_time.getTime() <= clock()) throw unknownConsent()
  try {
    const codeVerifier = secretBox.open(row.verifier_encrypted, verifierContext(stateHash))
    return { codeVerifier, redirectUri: row.redirect_uri, issuedFor: row.issued_for }
  } catch (error) {
    throw error instanceof SecretBoxError ? unknownConsent() : error
  }
}

/** Exchanges the code for tokens. Converts failures of the provider to API errors that explain the cause. */
const tokensFor = async (
  { requestClient, clock }: Deps,
  client: OAuth2Client,
  given: { code: string; codeVerifier: string; redirectUri: string },
): Promise<GrantTokens & { account: string }> => {
  try {
    return await exchangeCode(client, given, { request: requestClient.request, clock })
  } catch (error) {
    if (error instanceof RetryableError)
      throw new AppError(503, 'PROVIDER_UNAVAILABLE', `Could not reach the token URL: ${error.message}`)
    if (error instanceof ConfigurationError)
      throw badRequest('PROVIDER_REFUSED', `Access was not granted: ${error.message}`)
    throw error
  }
}

/**
 * Completes an OAuth consent: exchanges the code for tokens and stores them sealed, in place of the previous tokens.
 */
export const completeConnectDestination =
  (deps: Deps): Handler<typeof methods.destinations.completeConnect> =>
  async ({ actor, workspace, params, body }) => {
    const { db, secretBox, clock } = deps
    const destination = await readDestination(db, workspace.id, params.destination)
    const consent = await takeConsent(deps, body.state, { destinationId: destination.id, userId: actor.userId })
    const client = await requireClient(deps, destination)
    if (clientFingerprint(client) !== consent.issuedFor)
      throw badRequest('CONSENT_UNKNOWN', "The destination's settings have changed. Start again")
    const { account, ...tokens } = await tokensFor(deps, client, { code: body.code, ...consent })
    const id = newId()
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      await replaceGrant(tx, destination.id, {
        id,
        status: 'connected',
        issued_for: consent.issuedFor,
        tokens_encrypted: sealTokens(secretBox, { destinationId: destination.id, grantId: id }, tokens),
        account,
        error: '',
        lease_id: null,
        lease_until: null,
        connected_by: actor.userId,
        connect_time: time,
        update_time: time,
      })
      await audit(tx, resourceNames.destination.format({ workspace: workspace.id, destination: destination.id }), {
        account,
      })
    })
    return await showDestination(deps, workspace.id, destination.id)
  }
