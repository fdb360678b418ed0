import { offsetCursor, openPage } from '@tributary/api-kit'
import { readSource } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

type Row = { reason: string; count: number; last_hour_ms: number }

const dayMs = 24 * 3_600_000

const messages: Readonly<Record<string, string>> = {
  duplicate: 'An event with the same messageId was received from this source in the previous 24 hours.',
  duplicate_rejected:
    'An event with the same messageId was rejected in the previous 24 hours and is stored once as rejected.',
  held_too_long:
    'Held by a limit of the plan until it was older than events are kept. It was removed without having been delivered.',
}

/**
 * Counts the dropped events of a source by reason, the largest count first. Dropped events were accepted but are not
 * stored. Counts cover the hours that lie in the last 24 hours.
 */
export const listSourceDroppedEvents =
  ({
    db,
    eventStore,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.droppedEvents.listBySource> =>
  async ({ workspace, params, query, signal }) => {
    const source = await readSource(db, workspace.id, params.source)
    const page = openPage('droppedEvents.listBySource', params, query, offsetCursor)
    const start = page.after ?? 0
    const found = await eventStore.query<Row>(
      `select reason, sum(events) as count, toInt64(toUnixTimestamp(max(hour))) * 1000 as last_hour_ms
       from dropped_events
       where workspace_id = {workspace:String} and source_id = {source:String}
         and toInt64(toUnixTimestamp(hour)) * 1000 > {since:Int64}
       group by reason order by count desc, reason limit {limit:UInt32} offset {offset:UInt32}`,
      { workspace: workspace.id, source: source.id, since: clock() - dayMs, limit: page.size + 1, offset: start },
      { owner: workspace.id, slot: 'short', signal },
    )
    const { rows, next } = page.cut(found, () => start + page.size)
    return {
      dropped_events: rows.map((row) => ({
        reason: row.reason,
        message: messages[row.reason] ?? '',
        count: Number(row.count),
        last_hour: new Date(Number(row.last_hour_ms)).toISOString(),
      })),
      next_page_token: next,
    }
  }
