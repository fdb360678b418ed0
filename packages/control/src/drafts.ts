import type { Db, Tx } from '@tributary/api-kit'
import type { WorkspaceRef } from '@tributary/http'
import type { Actor } from '@tributary/kernel'
import { sql } from 'kysely'

type Table = ['signal_drafts', 'sync_drafts'][number]

/** The owner of a draft: a user or an API key. */
export type DraftOwner = { actor: Actor; workspace: WorkspaceRef }

const ownerOf = ({ userId, key }: Actor): string => key?.id ?? userId

/** Reads the stored draft of a caller in a workspace as JSON, with the time of its last change. */
export const readDraft = (db: Db | Tx, table: Table, { actor, workspace }: DraftOwner) =>
  db
    .selectFrom(table)
    .select(['draft', 'update_time'])
    .where('workspace_id', '=', workspace.id)
    .where(sql<string>`coalesce(key_id, user_id)`, '=', ownerOf(actor))
    .executeTakeFirst()

/** Stores the draft of a caller in place of the previous one. */
export const writeDraft = async (
  db: Db | Tx,
  table: Table,
  { actor, workspace }: DraftOwner,
  { draft, time: update_time }: { draft: string; time: Date },
): Promise<void> => {
  await db
    .insertInto(table)
    .values({
      workspace_id: workspace.id,
      user_id: actor.userId,
      key_id: actor.key?.id ?? null,
      draft,
      update_time,
    })
    .onConflict((on) => on.expression(sql`workspace_id, coalesce(key_id, user_id)`).doUpdateSet({ draft, update_time }))
    .execute()
}

/** Discards the draft of a caller. */
export const deleteDraft = async (
  db: Db,
  table: Table,
  { actor, workspace }: DraftOwner,
): Promise<Record<string, never>> => {
  await db
    .deleteFrom(table)
    .where('workspace_id', '=', workspace.id)
    .where(sql<string>`coalesce(key_id, user_id)`, '=', ownerOf(actor))
    .execute()
  return {}
}
