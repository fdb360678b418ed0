import { OlderProcessesRun, type Relational, requireKnownByAll } from '@tributary/storage'

type Db = Relational['db']

/** A workspace that is in more than one partition, was, or will be. */
export type Spread = {
  workspaceId: string
  title: string
  spread: number
  /** Over how many it will be; undefined while it is not being changed. */
  next: number | undefined
  /** Why the change does not go on, or the last one was given up; '' when there is no reason. */
  problem: string
}

/** Thrown for a change that cannot be asked for, in words for who asks. */
export class SpreadRefused extends Error {
  override readonly name = 'SpreadRefused'
}

/** Into how many groups the partitions are cut. */
export const readGroups = async (db: Db): Promise<number> =>
  (await db.selectFrom('partition_groups').select('groups').executeTakeFirst())?.groups ?? 1

/** All workspaces that are or were spread, by their names; at most 1000. */
export const readSpreads = async (db: Db): Promise<Spread[]> => {
  const rows = await db
    .selectFrom('workspace_spreads')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_spreads.workspace_id')
    .select(['workspace_id', 'title', 'spread', 'next', 'problem'])
    .orderBy('title')
    .orderBy('workspace_id')
    .limit(1000)
    .execute()
  return rows.map(({ workspace_id, title, spread, next, problem }) => ({
    workspaceId: workspace_id,
    title,
    spread,
    next: next ?? undefined,
    problem,
  }))
}

/**
 * Asks the main process to spread a workspace over so many partitions, of which there are `groups` that can be processed apart. Nothing is asked anew while
 * that is being done already. What it is spread over by then is told by `readSpreads`.
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
    // A version without spreads would append and process as if there was none.
    await requireKnownByAll(tx, '0096-workspace-spreads').catch((error: unknown) => {
      if (!(error instanceof OlderProcessesRun)) throw error
      throw new SpreadRefused(
        'Processes of an earlier version run, which do not know of this. Update or stop all of them first.',
      )
    })
    const known = await tx
      .selectFrom('workspace_spreads')
      .select(['spread', 'widest', 'next'])
      .where('workspace_id', '=', workspace.id)
      .forUpdate()
      .executeTakeFirst()
    // Asked for again: it is waited for, as when whoever was missing is said to be gone.
    if (known?.next === spread) return
    if (known !== undefined && known.next !== null)
      throw new SpreadRefused('Another change of this workspace is not done yet. Wait for it to finish.')
    if ((known?.spread ?? 1) === spread)
      throw new SpreadRefused(`The workspace is in ${spread === 1 ? '1 partition' : `${spread} partitions`} already.`)
    // Before anything is there: who looks for what the workspace has, looks there, too.
    const widest = Math.max(known?.widest ?? 1, spread)
    const change = { widest, next: spread, change_time: time, pause_time: null, problem: '' }
    await tx
      .insertInto('workspace_spreads')
      .values({ workspace_id: workspace.id, ...change })
      .onConflict((row) => row.column('workspace_id').doUpdateSet(change))
      .execute()
  })
}
