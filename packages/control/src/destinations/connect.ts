import { audit, hashToken } from '@tributary/api-kit'
import {
  type DestinationRow,
  findDestination,
  readableSettings,
  readDestination,
  verifierContext,
} from '@tributary/configuration'
import { clientFingerprint, consentAddress, missingOfClient, type OAuth2Client } from '@tributary/connector-kit'
import { consentMs, destinationReturnPath, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, randomToken } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { requireOwnRedirectUri } from '../openid/redirect-uri.ts'

/** The OAuth client of a destination. Throws 400 if the destination needs no grant or lacks settings for it. */
export const requireClient = async (
  { catalog, secretBox, logger }: Pick<ControlDeps, 'catalog' | 'secretBox' | 'logger'>,
  row: DestinationRow,
): Promise<OAuth2Client> => {
  const definition = await (await findDestination(catalog, row.app))?.load()
  const client = definition?.oauth2?.(readableSettings(`destinations/${row.id}`, row, secretBox, logger))
  if (client === undefined) throw badRequest('VALIDATION', 'This destination does not use OAuth')
  const missing = missingOfClient(client)
  if (missing !== '') throw badRequest('VALIDATION', `Fill in ${missing} first`)
  return client
}

/**
 * Starts an OAuth consent. The state names the destination, so that the page at the redirect address can find it. The
 * state also has a random part, of which only a hash is stored. A new consent of a user invalidates the previous one.
 */
export const connectDestination =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'clock' | 'logger' | 'publicUrl'>,
  ): Handler<typeof methods.destinations.connect> =>
  async ({ actor, workspace, params, body, client: caller }) => {
    const { db, secretBox, clock, publicUrl } = deps
    const destination = await readDestination(db, workspace.id, params.destination)
    requireOwnRedirectUri(body.redirect_uri, {
      publicUrl: publicUrl(),
      host: caller.host,
      path: destinationReturnPath,
    })
    const client = await requireClient(deps, destination)
    const state = `${workspace.id}.${destination.id}.${randomToken(32)}`
    const stateHash = hashToken(state)
    const codeVerifier = randomToken(48)
    const now = clock()
    const time = new Date(now)
    const expireTime = new Date(now + consentMs)
    await db.transaction().execute(async (tx) => {
      await tx
        .deleteFrom('oauth_consents')
        .where('destination_id', '=', destination.id)
        .where('user_id', '=', actor.userId)
        .execute()
      await tx
        .insertInto('oauth_consents')
        .values({
          state_hash: stateHash,
          destination_id: destination.id,
          user_id: actor.userId,
          verifier_encrypted: secretBox.seal(codeVerifier, verifierContext(stateHash)),
          issued_for: clientFingerprint(client),
          redirect_uri: body.redirect_uri,
          create_time: time,
          expire_time: expireTime,
        })
        .execute()
      await audit(tx, resourceNames.destination.format({ workspace: workspace.id, destination: destination.id }), {
        authorize_host: new URL(client.authorizeUrl).host,
      })
    })
    return {
      authorize_url: consentAddress(client, { redirectUri: body.redirect_uri, state, codeVerifier }),
      expire_time: expireTime.toISOString(),
    }
  }
