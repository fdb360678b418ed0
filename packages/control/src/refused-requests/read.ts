import type { Db, Page } from '@tributary/api-kit'
import { type RefusedRequest, resourceNames } from '@tributary/contract'
import { sql } from 'kysely'
import { ongoingMs } from './ongoing.ts'

type Row = {
  source_id: string | null
  source_title: string | null
  source_deleted: boolean
  key_hint: string
  reason: string
  code: number
  count: string
  last_time: Date
  message: string
  sample: string
}

const dayMs = 24 * 3_600_000

/**
 * Reads the refused requests of a workspace or one of its sources, or (without a workspace) those without an owner.
 * They are from the hours that lie in the last 24 hours, latest first. Each has the last stored message and sample.
 */
export const readRefusedRequests = async (
  db: Db,
  ids: { workspaceId: string; sourceId?: string; sourceDeleted?: 'true' | 'false' | undefined } | undefined,
  page: Page<number>,
  now: number,
): Promise<{ refused_requests: RefusedRequest[]; next_page_token: string }> => {
  const start = page.after ?? 0
  const { rows: found } = await sql<Row>`
    select refused.source_id, refused.key_hint, refused.reason, refused.code, sources.title as source_title,
      sources.delete_time is not null as source_deleted,
      sum(refused.count) as count, max(refused.last_time) as last_time,
      (array_agg(refused.message order by refused.last_time desc))[1] as message,
      (array_agg(refused.sample order by refused.sample = '', refused.last_time desc))[1] as sample
    from refused_requests refused
    left join sources on sources.id = refused.source_id and sources.workspace_id = refused.workspace_id
    where refused.workspace_id is not distinct from ${ids?.workspaceId ?? null}::uuid
      and refused.hour > ${new Date(now - dayMs)}::timestamptz
      and (${ids?.sourceId ?? null}::uuid is null or refused.source_id = ${ids?.sourceId ?? null}::uuid)
      and (${ids?.sourceDeleted ?? null}::boolean is null or (sources.delete_time is not null) = ${ids?.sourceDeleted ?? null}::boolean)
    group by refused.source_id, sources.title, sources.delete_time, refused.key_hint, refused.reason, refused.code
    order by last_time desc, refused.source_id, refused.reason, refused.code, refused.key_hint
    limit ${page.size + 1} offset ${start}`.execute(db)
  const { rows, next } = page.cut(found, () => start + page.size)
  return {
    refused_requests: rows.map((row) => ({
      source:
        row.source_id === null || ids === undefined
          ? ''
          : resourceNames.source.format({ workspace: ids.workspaceId, source: row.source_id }),
      source_title: row.source_title ?? '',
      source_deleted: row.source_deleted,
      key_hint: row.key_hint,
      reason: row.reason,
      code: row.code,
      count: Number(row.count),
      last_time: row.last_time.toISOString(),
      ongoing: row.last_time.getTime() > now - ongoingMs,
      message: row.message,
      sample: row.sample,
    })),
    next_page_token: next,
  }
}
