import { type methods, problemKinds, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import {
  type EventRow,
  eventColumns,
  presentEvent,
  presentPayload,
  type StoredEventRow,
  wireTime,
} from '@tributary/replays'
import { type DeliveryRow, deliveryColumns, presentDelivery } from '../deliveries/read.ts'
import type { ControlDeps } from '../deps.ts'
import { isMasked } from '../profiles/mask.ts'

type DetailRow = EventRow &
  StoredEventRow & {
    ip: string
    problem_properties: string[]
    problem_kinds: string[]
  }

/** Reads an event from the event store. */
const readStored = async (
  eventStore: ControlDeps['eventStore'],
  ids: { workspace: string; event: string },
  signal: AbortSignal,
) => {
  const options = { owner: ids.workspace, slot: 'short', signal } as const
  const [events, attempts, replays] = await Promise.all([
    eventStore.query<DetailRow>(
      `select ${eventColumns}, group_id, previous_id, ip, context, integrations, original,
         problems.property as problem_properties, problems.kind as problem_kinds,
         toUnixTimestamp64Milli(original_timestamp) as original_timestamp_ms,
         toUnixTimestamp64Milli(sent_at) as sent_at_ms
       from events where workspace_id = {workspace:String} and event_id = {event:String} limit 1`,
      ids,
      options,
    ),
    eventStore.query<DeliveryRow>(
      `select ${deliveryColumns} from deliveries
       where workspace_id = {workspace:String} and event_id = {event:String}
       order by time desc, attempt desc limit 200`,
      ids,
      options,
    ),
    eventStore.query<{ time_ms: number }>(
      `select toUnixTimestamp64Milli(max(time)) as time_ms from replayed_events
       where workspace_id = {workspace:String} and event_id = {event:String} having count() > 0`,
      ids,
      options,
    ),
  ])
  return { row: events[0], attempts, replays }
}

/**
 * Returns an event as it was received and as destinations receive it, with every delivery attempt. An accepted event is
 * pending until it is stored, which takes about a second.
 */
export const getEvent =
  ({
    eventStore,
    isPendingEvent,
  }: Pick<ControlDeps, 'eventStore' | 'isPendingEvent'>): Handler<typeof methods.events.get> =>
  async ({ actor, workspace, params, signal }) => {
    const ids = { workspace: workspace.id, event: params.event }
    let stored = await readStored(eventStore, ids, signal)
    if (stored.row === undefined) {
      if ((await isPendingEvent?.(workspace.id, params.event)) === true)
        return { state: 'pending', name: resourceNames.event.format(ids), event_id: params.event }
      // The event may have been stored between the two checks.
      stored = await readStored(eventStore, ids, signal)
    }
    const { row, attempts, replays } = stored
    if (row === undefined) throw notFound('event not found')
    return {
      state: 'stored',
      ...presentEvent(workspace.id, row),
      group_id: row.group_id,
      previous_id: row.previous_id,
      original_timestamp: row.original_timestamp_ms === null ? null : wireTime(row.original_timestamp_ms),
      sent_at: row.sent_at_ms === null ? null : wireTime(row.sent_at_ms),
      ip: row.ip,
      problems: row.problem_properties.flatMap((property, index) => {
        const kind = problemKinds.find((each) => each === row.problem_kinds[index])
        return kind === undefined ? [] : [{ property, kind }]
      }),
      replay_time: replays[0] === undefined ? null : wireTime(replays[0].time_ms),
      ...presentPayload(row),
      original: row.original,
      deliveries: attempts.map((attempt) => presentDelivery(workspace.id, attempt, isMasked(actor, workspace))),
    }
  }
