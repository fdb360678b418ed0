import { readSource } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type EventRow, eventColumns, presentEvent, presentPayload, type StoredEventRow } from '@tributary/replays'
import type { ControlDeps } from '../deps.ts'

/**
 * Returns the payloads of events of a source by their IDs, in no particular order. Leaves out IDs that the source does
 * not have.
 */
export const batchGetSourceEvents =
  ({ db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>): Handler<typeof methods.events.batchGetBySource> =>
  async ({ workspace, params, query, signal }) => {
    const source = await readSource(db, workspace.id, params.source)
    const rows = await eventStore.query<EventRow & StoredEventRow>(
      `select ${eventColumns}, group_id, previous_id, context, integrations, original,
         toUnixTimestamp64Milli(original_timestamp) as original_timestamp_ms,
         toUnixTimestamp64Milli(sent_at) as sent_at_ms
       from events
       where workspace_id = {workspace:String} and source_id = {source:String} and event_id in {ids:Array(String)}
       limit 1 by event_id`,
      { workspace: workspace.id, source: source.id, ids: query.event_ids },
      { owner: workspace.id, slot: 'short', signal },
    )
    return {
      events: rows.map((row) => {
        const { name, event_id, message_id, type, title, status } = presentEvent(workspace.id, row)
        return { name, event_id, message_id, type, title, status, payload: presentPayload(row).payload }
      }),
    }
  }
