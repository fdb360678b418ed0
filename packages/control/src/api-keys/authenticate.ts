import { type Db, hashToken } from '@tributary/api-kit'
import type { Authentication } from '@tributary/http'
import type { Clock } from '@tributary/kernel'
import { createTokenCache, type TokenCache } from '../sessions/token-cache.ts'

/** The form of every API key; any other text is not even hashed. */
const form = /^api_[\w-]{32}$/

/** Minimum time between stored updates of a key's last use, ms. */
const touchMs = 60_000

/** Whether a bearer token has the prefix of API keys, and must be looked up among them. */
export const isApiKey = (token: string): boolean => token.startsWith('api_')

/** Finds the permissions of an API key. The result may be two seconds old. */
export const createKeyAuthentication = ({ db, clock }: { db: Db; clock: Clock }): TokenCache => {
  const look = async (token: string): Promise<Authentication> => {
    if (!form.test(token)) return { failure: 'key-unknown' }
    const hash = hashToken(token)
    const key = await db
      .selectFrom('api_keys')
      .innerJoin('users', 'users.id', 'api_keys.creator_id')
      .selectAll('api_keys')
      .select('users.email')
      .where(({ eb, or }) => or([eb('key_hash', '=', hash), eb('previous_hash', '=', hash)]))
      .executeTakeFirst()
    if (key === undefined) return { failure: 'key-unknown' }
    if (key.revoke_time !== null) return { failure: 'key-revoked' }
    const now = clock()
    if (key.expire_time !== null && key.expire_time.getTime() <= now) return { failure: 'key-expired' }
    const isCurrent = hash.equals(Buffer.from(key.key_hash))
    if (!isCurrent && (key.previous_expire_time === null || key.previous_expire_time.getTime() <= now))
      return { failure: 'key-revoked' }
    if (key.last_used_time === null || now - key.last_used_time.getTime() >= touchMs)
      await db
        .updateTable('api_keys')
        .set({ last_used_time: new Date(now) })
        .where('id', '=', key.id)
        .execute()
    return {
      actor: {
        userId: key.creator_id,
        email: key.email,
        isPlatformAdmin: false,
        sessionId: '',
        memberships: [{ organizationId: key.organization_id, role: key.role }],
        key: { id: key.id, workspaceId: key.workspace_id, areas: key.areas },
      },
    }
  }
  return createTokenCache(clock, look)
}
