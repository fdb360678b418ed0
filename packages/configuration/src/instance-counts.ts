import type { Db } from '@tributary/api-kit'

/** How many sources or destinations a workspace has of each app, by slug. */
export const instanceCounts = async (
  db: Db,
  table: 'sources' | 'destinations',
  workspaceId: string,
): Promise<ReadonlyMap<string, number>> => {
  const rows = await db
    .selectFrom(table)
    .select((query) => ['app', query.fn.countAll<string>().as('count')])
    .where('workspace_id', '=', workspaceId)
    .where('delete_time', 'is', null)
    .groupBy('app')
    .execute()
  return new Map(rows.map((row) => [row.app, Number(row.count)]))
}

/** The entries whose title has the text in it, in any case; all of them for no text. */
export const searched = <Entry extends { title: string }>(
  entries: readonly Entry[],
  text: string | undefined,
): Entry[] => {
  const wanted = (text ?? '').toLowerCase()
  return entries.filter((entry) => entry.title.toLowerCase().includes(wanted))
}
