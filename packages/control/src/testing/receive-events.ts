import { newId, noMetrics, silentLogger } from '@tributary/kernel'
import { createLearning, createOwnersProjection } from '@tributary/profiles'
import type { Harness } from './control-harness.ts'

let serial = 0

/**
 * Receives events of a workspace: puts them into the stream, the profiles, and the event store. They are received a
 * minute (or `ago` ms) before the time of the harness. An event without a name becomes a track event `Seen`. With
 * `partition`, changed profiles wait until the events are stored.
 */
export const receiveEvents = async (
  harness: Pick<Harness, 'db' | 'eventStore' | 'now'>,
  workspace: string,
  events: readonly Record<string, unknown>[],
  ago = 60_000,
  reached?: { partition: number },
): Promise<void> => {
  const time = new Date(harness.now() - ago).toISOString()
  const sourceId = newId()
  const made = events.map((given) => {
    const number = ++serial
    const { properties = {}, traits = {}, ...head } = given
    // As in stored events, identifiers come before `properties` and `traits`.
    return { eventId: `0-${number}-0`, type: 'track', event: 'Seen', ...head, properties, traits }
  })
  const rows = made.map((event: Record<string, unknown>) =>
    JSON.stringify({
      workspace_id: workspace,
      source_id: sourceId,
      event_id: event.eventId,
      message_id: event.eventId,
      type: event.type,
      event: event.type === 'track' ? event.event : '',
      user_id: event.userId ?? '',
      anonymous_id: event.anonymousId ?? '',
      status: 'accepted',
      properties: event.properties,
      traits: event.traits,
      receive_time: time.replace('T', ' ').slice(0, 23),
      timestamp: time.replace('T', ' ').slice(0, 23),
      original: '{}',
    }),
  )
  await harness.eventStore.insert('events', rows, { token: newId() })
  await createLearning({ db: harness.db, metrics: noMetrics })(
    made.map((event) => ({
      workspaceId: workspace,
      sourceId,
      eventId: event.eventId,
      json: JSON.stringify({ ...event, context: {}, receivedAt: time, timestamp: time }),
    })),
    reached && { ...reached, place: { offset: serial, incarnation: '', note: '' } },
  )
  const owners = createOwnersProjection({ db: harness.db, eventStore: harness.eventStore, logger: silentLogger })
  await owners.catchUp()
  await owners.stop()
}
