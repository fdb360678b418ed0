import { readAudience } from '@tributary/audiences'
import { maxAudiencePoints, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { bucketName, bucketSeconds } from '../metrics/buckets.ts'

const refuse = (text: string): Error =>
  badRequest('VALIDATION', `end_date.seconds: ${text}`, { 'end_date.seconds': text })

type Row = { start: string; size: number | null; entered: number; gone: number }

/** Returns the size of an audience over time. An hour without a computation has the size of the previous hour. */
export const getAudienceHistory =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.audiences.getHistory> =>
  async ({ workspace, params, query }) => {
    const { granularity, 'start_date.seconds': start, 'end_date.seconds': end } = query
    const length = bucketSeconds[granularity]
    const first = start - (start % length)
    if (end <= start) throw refuse('Must be after start_date.seconds')
    if (end - first > maxAudiencePoints * length)
      throw refuse(`At most ${maxAudiencePoints} ${granularity}s after start_date.seconds`)
    const { id } = await readAudience(db, workspace.id, params.audience)
    const { rows } = await sql<Row>`
      select bucket.start, last.size, changed.entered, changed.gone
      from generate_series(${first}::bigint, ${end - 1}::bigint, ${length}::bigint) as bucket (start)
      cross join lateral (
        select to_timestamp(bucket.start) as starts, to_timestamp(bucket.start + ${length}::bigint) as ends
      ) as span
      left join lateral (
        select size from audience_hours where audience_id = ${id}::uuid and hour < span.ends order by hour desc limit 1
      ) as last on true
      cross join lateral (
        select coalesce(sum(entered_count), 0)::int as entered, coalesce(sum(left_count), 0)::int as gone
        from audience_hours where audience_id = ${id}::uuid and hour >= span.starts and hour < span.ends
      ) as changed
      order by bucket.start`.execute(db)
    return {
      points: rows.map((row) => ({
        bucket: bucketName(granularity, Number(row.start)),
        size: row.size,
        entered_count: row.entered,
        left_count: row.gone,
      })),
    }
  }
