import { audit, openPage } from '@tributary/api-kit'
import { exportPage, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type DeliveryRow, deliveryColumns, presentDelivery } from '../deliveries/read.ts'
import type { ControlDeps } from '../deps.ts'
import { type EventRow, eventColumns, eventCursor, presentEvent, readEvents, wireTime } from '../events/read.ts'
import { presentPayload, type StoredEventRow } from '../events/stored-event.ts'
import { ofProfile } from '../profiles/list-events.ts'
import { currentProfileId, readProfile } from '../profiles/read.ts'

/** Attempts of the events of a page that are told at most. */
const attemptsOfPage = 10_000

type Ids = { workspace: string; ids: readonly string[] }

/** Payloads and deliveries of events, by their ids. */
const readWhole = async (eventStore: ControlDeps['eventStore'], ids: Ids, signal: AbortSignal) => {
  const options = { owner: ids.workspace, slot: 'short', signal } as const
  const [events, deliveries] = await Promise.all([
    eventStore.query<EventRow & StoredEventRow>(
      `select ${eventColumns}, group_id, previous_id, context, integrations, original,
         toUnixTimestamp64Milli(original_timestamp) as original_timestamp_ms,
         toUnixTimestamp64Milli(sent_at) as sent_at_ms
       from events where workspace_id = {workspace:String} and event_id in {ids:Array(String)} limit 1 by event_id`,
      ids,
      options,
    ),
    eventStore.query<DeliveryRow>(
      `select ${deliveryColumns} from deliveries
       where workspace_id = {workspace:String} and event_id in {ids:Array(String)}
       order by time, attempt limit ${attemptsOfPage}`,
      ids,
      options,
    ),
  ])
  return {
    events: new Map(events.map((row) => [row.event_id, row])),
    deliveries: Map.groupBy(deliveries, ({ event_id }) => event_id),
  }
}

/** A page of everything that is stored about a user. Who began to read it is in the audit log. */
export const getProfileExport =
  ({
    db,
    eventStore,
    profileLedger,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'profileLedger' | 'clock'>): Handler<typeof methods.profileExports.get> =>
  async ({ actor, workspace, params, query, signal }) => {
    const size = Math.min(query.page_size, exportPage)
    const page = openPage('profileExports.get', params, { ...query, page_size: size }, eventCursor)
    const id = await currentProfileId(db, workspace.id, params.profile)
    if (page.after === undefined)
      await db.transaction().execute((tx) =>
        audit(tx, {
          actor,
          action: 'profileExports.get',
          resource: resourceNames.profile.format({ workspace: workspace.id, profile: id }),
          organizationId: workspace.organizationId,
          workspaceId: workspace.id,
          time: new Date(clock()),
        }),
      )
    const of = await ofProfile({ db, profileLedger }, workspace.id, id)
    const found = await readEvents(eventStore, workspace.id, {}, page, { now: clock(), signal, of })
    const { rows, next } = page.cut(found, (row) => [Number(row.receive_ms), row.event_id])
    const ids = { workspace: workspace.id, ids: rows.map(({ event_id }) => event_id) }
    const whole = await readWhole(eventStore, ids, signal)
    return {
      profile: page.after === undefined ? await readProfile(db, workspace.id, id) : null,
      events: rows.flatMap(({ event_id, receive_ms }) => {
        const row = whole.events.get(event_id)
        if (row === undefined) return []
        const { name, message_id, type, title, status } = presentEvent(workspace.id, row)
        return [
          {
            name,
            event_id,
            message_id,
            type,
            title,
            status,
            payload: presentPayload(row).payload,
            receive_time: wireTime(receive_ms),
            deliveries: (whole.deliveries.get(event_id) ?? []).map((each) => presentDelivery(workspace.id, each)),
          },
        ]
      }),
      next_page_token: next,
    }
  }
