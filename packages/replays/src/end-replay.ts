import type { Db } from '@tributary/api-kit'

/** Ends a running replay, at this time in epoch ms. */
export const endReplay = async (
  db: Db,
  id: string,
  end: { state: 'done' } | { state: 'failed'; failure: string },
  now: number,
): Promise<void> => {
  await db
    .updateTable('replays')
    .set({ ...end, finish_time: new Date(now) })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute()
}
