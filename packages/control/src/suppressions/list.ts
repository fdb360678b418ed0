import { cursorTime, openPage } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import { z } from 'zod'
import type { ControlDeps } from '../deps.ts'

/** The position in the list, newest first: time, then hash. */
const suppressionCursor = z.tuple([cursorTime, z.string().regex(/^[0-9a-f]{64}$/)])

type Row = { hash: string; type: string; suppress_time: Date; refused_events: string }

/**
 * Lists the suppressed identifiers of a workspace. Their values are not stored, but a search for an exact value finds
 * its suppression.
 */
export const listSuppressions =
  ({ db, profileLedger }: Pick<ControlDeps, 'db' | 'profileLedger'>): Handler<typeof methods.suppressions.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('suppressions.list', params, query, suppressionCursor)
    const hashes =
      query.search === undefined || query.search === ''
        ? undefined
        : await profileLedger.hashesOf(workspace.id, query.search)
    const { rows: found } = await sql<Row>`
      select hash, type, suppress_time, refused_events from privacy_hashes
      where workspace_id = ${workspace.id}::uuid and suppress_time is not null
        and (${hashes ?? null}::text[] is null or hash = any(${hashes ?? null}::text[]))
        and (${page.after?.[0] ?? null}::timestamptz is null
          or (suppress_time, hash) < (${page.after?.[0] ?? null}::timestamptz, ${page.after?.[1] ?? null}::text))
      order by suppress_time desc, hash desc limit ${page.size + 1}`.execute(db)
    const { rows, next } = page.cut(found, ({ suppress_time, hash }) => [suppress_time.toISOString(), hash])
    return {
      suppressions: rows.map(({ hash, type, suppress_time, refused_events }) => ({
        name: resourceNames.suppression.format({ workspace: workspace.id, suppression: hash }),
        type,
        create_time: suppress_time.toISOString(),
        refused_events: Number(refused_events),
      })),
      next_page_token: next,
    }
  }
