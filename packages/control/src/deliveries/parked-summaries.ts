import type { Db } from '@tributary/api-kit'

/** Counts the parked deliveries of a destination by state. */
export const parkedSummaries = async (db: Db, destinationId: string) => {
  const rows = await db
    .selectFrom('parked_deliveries')
    .select((query) => [
      'state',
      query.fn.sum<string>('event_count').as('event_count'),
      query.fn.min('first_time').as('oldest_time'),
    ])
    .where('destination_id', '=', destinationId)
    .groupBy('state')
    .execute()
  const of = (state: 'waiting' | 'dead') => {
    const row = rows.find((each) => each.state === state)
    return { event_count: Number(row?.event_count ?? 0), oldest_time: row?.oldest_time.toISOString() ?? null }
  }
  return { waiting: of('waiting'), dead: of('dead') }
}
