// Every statement that writes `held_work`. The server holds work that blocked a thread, and the API releases that work.
import type { Kysely, Transaction } from 'kysely'
import type { Pool } from 'pg'
import type { Database } from '../relational/schema.generated.ts'

type Db = Kysely<Database>

/** A report that an item of work blocked a thread; `block` is the ID of the block. */
export type WorkBlock = {
  /** The ID of the row, if the item has none yet. */
  id: string
  item: string
  workspaceId: string
  thread: string
  step: string
  block: string
  time: Date
  /** The ID of a sync, audience, dry run or privacy request, whose workspace owns the item. */
  owner: string | null
}

const noteText = `
insert into held_work (id, item, workspace_id, thread, step, blocks, block_time)
values ($1, $2, coalesce(
  (select id from workspaces where id::text = $3),
  (select workspace_id from syncs where id = $8::uuid),
  (select workspace_id from audiences where id = $8::uuid),
  (select workspace_id from sync_dry_runs where id = $8::uuid),
  (select workspace_id from privacy_requests where id = $8::uuid)
), $4, $5, array[$6::uuid], $7)
on conflict (item) do update set
  thread = excluded.thread,
  step = excluded.step,
  block_time = excluded.block_time,
  blocks = case when $6::uuid = any(held_work.blocks) then held_work.blocks else held_work.blocks || $6::uuid end
returning hold_time, cardinality(blocks) as times`

/**
 * Records that an item has blocked a thread; a repeated block ID does not count. Resolves to the number of blocks of
 * the item, and to the time since which it is held (null if it is not).
 */
export const countWorkBlock = async (
  pool: Pick<Pool, 'query'>,
  { id, item, workspaceId, thread, step, block, time, owner }: WorkBlock,
): Promise<{ hold_time: Date | null; times: number }> => {
  const { rows } = await pool.query<{ hold_time: Date | null; times: number }>(noteText, [
    id,
    item,
    workspaceId,
    thread,
    step,
    block,
    time,
    owner,
  ])
  return rows[0] ?? { hold_time: null, times: 0 }
}

/** Marks an item as held since a time. */
export const holdWork = async (db: Db, item: string, time: Date): Promise<void> => {
  await db.updateTable('held_work').set({ hold_time: time }).where('item', '=', item).execute()
}

/**
 * Deletes items that are not held and whose last block was before a time, and items that are held since before another
 * time.
 */
export const forgetOldWork = async (db: Db, before: { blocked: Date; held: Date }): Promise<void> => {
  await db
    .deleteFrom('held_work')
    .where((row) =>
      row.or([
        row.and([row('hold_time', 'is', null), row('block_time', '<', before.blocked)]),
        row('hold_time', '<', before.held),
      ]),
    )
    .execute()
}

/** Deletes a held item with its blocks. Returns false if no such item is held. */
export const forgetHeldWork = async (db: Db, id: string): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('held_work')
    .where('hold_time', 'is not', null)
    .where((row) => row(row.cast<string>('id', 'text'), '=', id))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes all held items with their blocks; resolves to their number. */
export const forgetAllHeldWork = async (db: Db): Promise<number> =>
  Number((await db.deleteFrom('held_work').where('hold_time', 'is not', null).executeTakeFirst()).numDeletedRows)

/** Deletes an item, whether or not it is held. */
export const forgetWorkItem = async (db: Db, item: string): Promise<void> => {
  await db.deleteFrom('held_work').where('item', '=', item).execute()
}

/**
 * Releases a held item of a workspace. Its blocks stay, so the next block holds it again. Resolves to the step in which
 * it blocked a thread; undefined if no such item is held.
 */
export const releaseWork = async (
  tx: Transaction<Database>,
  workspaceId: string,
  id: string,
): Promise<string | undefined> =>
  (
    await tx
      .updateTable('held_work')
      .set({ hold_time: null })
      .where('id', '=', id)
      .where('workspace_id', '=', workspaceId)
      .where('hold_time', 'is not', null)
      .returning('step')
      .executeTakeFirst()
  )?.step
