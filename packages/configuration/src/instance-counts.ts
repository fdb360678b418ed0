import type { Db } from '@tributary/api-kit'

/** Counts the sources or destinations of each app in a workspace, by slug. */
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

/** Returns the entries whose title contains a text, ignoring case; all entries for an empty text. */
export const searched = <Entry extends { title: string }>(
  entries: readonly Entry[],
  text: string | undefined,
): Entry[] => {
  const wanted = (text ?? '').toLowerCase()
  return entries.filter((entry) => entry.title.toLowerCase().includes(wanted))
}
