import type { RequestMeta } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import type { ReplayServices } from '../services.ts'

/** An event that is stored and waits, as it is sent again. */
export type Again = { id: string; text: string }

/** Events of one request to the log. */
const requestEvents = 500

/**
 * Sends stored events of a source through the pipeline again, as requests of the log that name them. They are recorded as sent only when
 * the log has them: after a crash between the two they are sent once more. The pipeline recognizes them by the IDs of the stored
 * events, and takes them once. They count as received when they were read: a user who was deleted since gets no profile by them.
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
    // Their times are corrected already, as those that another server passes on.
    const meta: RequestMeta = { w: workspaceId, s: sourceId, k: 'batch', r: readAt, ip: '', f: true, p: ids }
    await appendRequest(meta, Buffer.from(`{"batch":[${part.map(({ text }) => text).join(',')}]}`))
    const row = { workspace_id: workspaceId, source_id: sourceId, time: readAt }
    await eventStore.insert('replayed_events', ids.map((event_id) => JSON.stringify({ ...row, event_id })).join('\n'), {
      token: newId(),
    })
  }
}
