import { createdCursor, type Db, openPage } from '@tributary/api-kit'
import { audienceName } from '@tributary/audiences'
import { readDestination } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { wireTime } from '@tributary/replays'
import type { Database } from '@tributary/storage'
import { type Selectable, type SqlBool, sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { groupIdOf, inGroup } from '../failure-groups/read.ts'
import { isMasked } from '../profiles/mask.ts'
import { readAudienceEventNames, readEventNames } from './event-names.ts'
import { maskSample } from './samples.ts'

/** The time of a parked delivery, rounded down to milliseconds, as page cursors contain it. */
const parkedTime = sql<Date>`date_trunc('milliseconds', first_time)`

/** Maximum number of events that are named for one parked delivery. */
const eventsOfRow = 100

/** Reads the titles of audiences of the workspace by ID. Leaves out the IDs of sources. */
const audiencesOf = async (
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('audiences')
    .select(['id', 'title'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, title }) => [id, title]))
}

/** The names of the events in parked deliveries, and the titles of the audiences that sent some of these events. */
type Found = {
  names: Awaited<ReturnType<typeof readEventNames>>
  audiences: Awaited<ReturnType<typeof audiencesOf>>
  audienceEvents: Awaited<ReturnType<typeof readAudienceEventNames>>
}

const presentEvent = (workspace: string, event_id: string, { names, audienceEvents }: Found) => {
  const stored = names.get(event_id)
  const found = stored ?? audienceEvents.get(event_id)
  const profile = audienceEvents.get(event_id)?.profile ?? ''
  return {
    name: resourceNames.event.format({ workspace, event: event_id }),
    event_id,
    message_id: found?.message_id ?? '',
    event_type: found?.type ?? '',
    event_title: found === undefined ? '' : found.event === '' ? found.type : found.event,
    user_id: stored?.user_id ?? '',
    anonymous_id: stored?.anonymous_id ?? '',
    receive_time: stored === undefined ? null : wireTime(stored.received_ms),
    ...(profile === '' ? {} : { profile: resourceNames.profile.format({ workspace, profile }) }),
  }
}

const presentParked = (row: Selectable<Database['parked_deliveries']>, masked: boolean, found: Found) => {
  const { workspace_id: workspace, destination_id: destination, source_id: source, request, response } = row
  const title = found.audiences.get(source)
  return {
    name: resourceNames.parkedDelivery.format({ workspace, destination, parked_delivery: row.id }),
    source: resourceNames.source.format({ workspace, source }),
    ...(title === undefined ? {} : { audience: { name: audienceName(workspace, source), title } }),
    destination: resourceNames.destination.format({ workspace, destination }),
    state: row.state,
    event_count: row.event_count,
    attempts: row.attempts,
    first_time: row.first_time.toISOString(),
    next_time: row.next_time.toISOString(),
    last_status: row.last_status,
    last_reason: row.last_reason,
    ...(masked ? maskSample({ request, response }) : { request, response }),
    events: row.event_ids.slice(0, eventsOfRow).map((id) => presentEvent(workspace, id, found)),
  }
}

/** Lists the parked deliveries of a destination, the latest first, with the names of their events. */
export const listParkedDeliveries =
  ({ db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>): Handler<typeof methods.deliveries.listParked> =>
  async ({ actor, workspace, params, query, signal }) => {
    const { id } = await readDestination(db, workspace.id, params.destination)
    const page = openPage('deliveries.listParked', params, query, createdCursor)
    const { after } = page
    const { state, failure_group } = query
    const group =
      failure_group === undefined
        ? undefined
        : groupIdOf('failure_group', failure_group, { workspaceId: workspace.id, destinationId: id })
    const found = await db
      .selectFrom('parked_deliveries')
      .selectAll()
      .where('destination_id', '=', id)
      .where('workspace_id', '=', workspace.id)
      .$if(state !== undefined, (select) => select.where('state', '=', state ?? 'waiting'))
      .$if(group !== undefined, (select) => select.where(inGroup(group ?? '')))
      .$if(after !== undefined, (select) =>
        select.where(sql<SqlBool>`(${parkedTime}, id) < (${after?.[0] ?? ''}::timestamptz, ${after?.[1] ?? ''}::uuid)`),
      )
      .orderBy(parkedTime, 'desc')
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, (row) => [row.first_time.toISOString(), row.id])
    const names = await readEventNames(
      eventStore,
      workspace.id,
      [...new Set(rows.map((row) => row.source_id))],
      rows.flatMap((row) => row.event_ids.slice(0, eventsOfRow)),
      signal,
    )
    const audiences = await audiencesOf(
      db,
      workspace.id,
      rows.map((row) => row.source_id),
    )
    const audienceEvents = await readAudienceEventNames(
      eventStore,
      { workspaceId: workspace.id, destinationId: id },
      rows.filter((row) => audiences.has(row.source_id)).flatMap((row) => row.event_ids.slice(0, eventsOfRow)),
      signal,
    )
    const masked = isMasked(actor, workspace)
    return {
      parked_deliveries: rows.map((row) => presentParked(row, masked, { names, audiences, audienceEvents })),
      next_page_token: next,
    }
  }
