import { type Db, isId } from '@tributary/api-kit'
import type { Authentication } from '@tributary/http'
import { canSee, editors, mayAct } from '@tributary/kernel'

const sourceChannel = /^private-sources-([0-9a-f-]{36})$/

/** The workspace and organization of a channel. If `masked`, values of people are hidden from this subscriber. */
export type ChannelAccess = { workspaceId: string; organizationId: string; masked: boolean }

/**
 * Makes the function that returns the access of a token's holder to a realtime channel. Members of the organization may
 * subscribe to the channel of a source; guests get it masked. Returns undefined for all other callers and channels.
 */
export const createChannelAccess =
  ({ db, authenticate }: { db: Db; authenticate: (token: string) => Promise<Authentication> }) =>
  async (token: string, channel: string): Promise<ChannelAccess | undefined> => {
    const found = await authenticate(token)
    // API keys cannot open channels; they are only for calls.
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
    if (row === undefined || !canSee(found.actor, row.organization_id)) return undefined
    return {
      workspaceId: row.id,
      organizationId: row.organization_id,
      masked: !mayAct(found.actor, row.organization_id, editors),
    }
  }
