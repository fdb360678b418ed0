import type { Db } from '@tributary/api-kit'
import {
  clientFingerprint,
  type GrantState,
  grantProblem,
  missingOfClient,
  type OAuth2Client,
} from '@tributary/connector-kit'
import type { OAuthGrant } from '@tributary/contract'
import type { OauthGrantsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

export type GrantRow = Selectable<OauthGrantsTable>

/** Returns the encryption context of a grant's tokens. */
export const tokensContext = (destinationId: string, grantId: string): string =>
  `oauth_grants/${destinationId}/${grantId}/tokens`

/** Returns the encryption context of the code verifier of a consent. */
export const verifierContext = (stateHash: Uint8Array): string =>
  `oauth_consents/${Buffer.from(stateHash).toString('hex')}/verifier`

/** Returns a grant in the form that delivery keeps in memory. */
export const grantState = (row: Pick<GrantRow, 'id' | 'status' | 'issued_for' | 'error'>): GrantState => ({
  id: row.id,
  status: row.status,
  issuedFor: row.issued_for,
  error: row.error,
})

/** Reads the grants of these destinations, by the ID of the destination. */
export const readGrants = async (db: Db, destinationIds: readonly string[]): Promise<ReadonlyMap<string, GrantRow>> => {
  if (destinationIds.length === 0) return new Map()
  const rows = await db.selectFrom('oauth_grants').selectAll().where('destination_id', 'in', destinationIds).execute()
  return new Map(rows.map((row) => [row.destination_id, row]))
}

/** Returns a grant in the form of the API, without tokens; null if the destination needs none. */
export const presentGrant = (client: OAuth2Client | undefined, row: GrantRow | undefined): OAuthGrant | null => {
  if (client === undefined) return null
  const missing = missingOfClient(client)
  if (row === undefined) return { status: 'none', account: '', connect_time: null, error: '', missing }
  const problem = row.status === 'expired' || row.issued_for !== clientFingerprint(client)
  return {
    status: problem ? 'expired' : 'connected',
    account: row.account,
    connect_time: row.connect_time.toISOString(),
    error: problem ? grantProblem(client, grantState(row)) : row.error,
    missing,
  }
}
