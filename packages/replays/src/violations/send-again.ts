import type { RequestMeta } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import type { ReplayServices } from '../services.ts'

/** A stored, waiting event in the form in which it is sent again. */
export type Again = { id: string; text: string }

/** Maximum number of events in one request to the log. */
const requestEvents = 500

/**
 * Sends stored events of a source through the pipeline again, as requests in the log that name them. The events are
 * marked as sent only when the log has them, so after a crash in between they are sent once more. The pipeline
 * recognizes the IDs of the stored events, and accepts each once. Their time of receipt is the time when they were
 * read, so a user who was deleted since then gets no profile from them.
 */
export const sendAgain = async (
  { eventStore, appendRequest }: Pick<ReplayServices, 'eventStore' | 'appendRequest'>,
  { workspaceId, sourceId }: { workspaceId: string; sourceId: string },
  events: readonly Again[],
  readAt: number,
): Promise<void> => {
  for (let from = 0; from < events.length; from += requestEvents) {
    const part = events.slice(from, from + requestEvents)
    const ids = part.map(({ id }) => id)
    // The times of these events are already corrected, like those of events that another server passes on.
    const meta: RequestMeta = { w: workspaceId, s: sourceId, k: 'batch', r: readAt, ip: '', f: true, p: ids }
    await appendRequest(meta, Buffer.from(`{"batch":[${part.map(({ text }) => text).join(',')}]}`))
    const row = { workspace_id: workspaceId, source_id: sourceId, time: readAt }
    await eventStore.insert('replayed_events', ids.map((event_id) => JSON.stringify({ ...row, event_id })).join('\n'), {
      token: newId(),
    })
  }
}
