import type { Relational } from '@tributary/storage'

type Db = Relational['db']

/** A workspace that is, was, or will be in more than one partition. */
export type Spread = {
  workspaceId: string
  title: string
  spread: number
  /** Number of partitions after the open change; null if there is none. */
  next: number | null
  /** Why the change does not proceed, or why the last change was abandoned; '' if there is no problem. */
  problem: string
}

/** Thrown for a change that cannot be requested, with a message for the user. */
export class SpreadRefused extends Error {
  override readonly name = 'SpreadRefused'
}

/** Reads the number of groups that the partitions are divided into. */
export const readGroups = async (db: Db): Promise<number> =>
  (await db.selectFrom('partition_groups').select('groups').executeTakeFirst())?.groups ?? 1

/** Lists all workspaces that are or were spread, by their names; at most 1000. */
export const readSpreads = (db: Db): Promise<Spread[]> =>
  db
    .selectFrom('workspace_spreads')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_spreads.workspace_id')
    .select(['workspace_id as workspaceId', 'title', 'spread', 'next', 'problem'])
    .orderBy('title')
    .orderBy('workspace_id')
    .limit(1000)
    .execute()

/**
 * Requests the main process to spread a workspace over `spread` partitions, of which `groups` can be processed
 * separately. An equal open request is not repeated. `readSpreads` returns the resulting spread.
 *
 * @throws SpreadRefused
 */
export const askSpread = async (
  db: Db,
  asked: { workspaceId: string; spread: number; groups: number; time: Date },
): Promise<void> => {
  const { workspaceId, spread, groups, time } = asked
  if (spread > groups)
    throw new SpreadRefused(
      groups === 1
        ? 'There is one group of partitions, so a workspace in several would not be processed by more. Set TRIBUTARY_PARTITION_GROUPS first.'
        : `There are ${groups} groups of partitions, so a workspace in more would not be processed by more. Choose at most ${groups}.`,
    )
  await db.transaction().execute(async (tx) => {
    const workspace = await tx
      .selectFrom('workspaces')
      .select('id')
      .where((row) => row(row.cast<string>('id', 'text'), '=', workspaceId))
      .where('delete_time', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    if (workspace === undefined) throw new SpreadRefused(`There is no workspace ${workspaceId}.`)
    const known = await tx
      .selectFrom('workspace_spreads')
      .select(['spread', 'widest', 'next'])
      .where('workspace_id', '=', workspace.id)
      .forUpdate()
      .executeTakeFirst()
    // The same change is still open, so the caller waits for it, such as after an operator has confirmed that a missing
    // process is gone.
    if (known?.next === spread) return
    if (known !== undefined && known.next !== null)
      throw new SpreadRefused('Another change of this workspace is not done yet. Wait for it to finish.')
    if ((known?.spread ?? 1) === spread)
      throw new SpreadRefused(`The workspace is in ${spread === 1 ? '1 partition' : `${spread} partitions`} already.`)
    // Set before any event is in the new partitions, so that readers of the workspace's data read these partitions,
    // too.
    const widest = Math.max(known?.widest ?? 1, spread)
    const change = { widest, next: spread, change_time: time, pause_time: null, problem: '' }
    await tx
      .insertInto('workspace_spreads')
      .values({ workspace_id: workspace.id, ...change })
      .onConflict((row) => row.column('workspace_id').doUpdateSet(change))
      .execute()
  })
}
