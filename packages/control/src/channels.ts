import { type Db, isId } from '@tributary/api-kit'
import type { Authentication } from '@tributary/http'
import { canSee } from '@tributary/kernel'

const sourceChannel = /^private-sources-([0-9a-f-]{36})$/

/**
 * The workspace of a realtime channel that the holder of a token may listen to: a source's, for members of its
 * organisation. Undefined for all others.
 */
export const createChannelAccess =
  ({ db, authenticate }: { db: Db; authenticate: (token: string) => Promise<Authentication> }) =>
  async (token: string, channel: string): Promise<string | undefined> => {
    const found = await authenticate(token)
    // Keys are for calls: nobody listens with one.
    if (!('actor' in found) || found.actor.key !== undefined) return undefined
    const sourceId = sourceChannel.exec(channel)?.[1] ?? ''
    if (!isId(sourceId)) return undefined
    const row = await db
      .selectFrom('sources')
      .innerJoin('workspaces', 'workspaces.id', 'sources.workspace_id')
      .select(['workspaces.id', 'workspaces.organization_id'])
      .where('sources.id', '=', sourceId)
      .where('sources.delete_time', 'is', null)
      .executeTakeFirst()
    return row !== undefined && canSee(found.actor, row.organization_id) ? row.id : undefined
  }
