import { audit, openPage } from '@tributary/api-kit'
import { audienceName } from '@tributary/audiences'
import { exportPage, type MethodResponse, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import {
  type EventRow,
  eventColumns,
  eventCursor,
  presentEvent,
  presentPayload,
  readEvents,
  type StoredEventRow,
  wireTime,
} from '@tributary/replays'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { readTraitValues } from '../profiles/get-trait-history.ts'
import { ofProfile } from '../profiles/list-events.ts'
import { currentProfileId, readProfile } from '../profiles/read.ts'
import { readOwnDeliveries } from './read-deliveries.ts'

/** Reads the payloads of events by their IDs. */
const readPayloads = async (
  eventStore: ControlDeps['eventStore'],
  ids: { workspace: string; ids: readonly string[] },
  signal: AbortSignal,
) => {
  const rows = await eventStore.query<EventRow & StoredEventRow>(
    `select ${eventColumns}, group_id, previous_id, context, integrations, original,
       toUnixTimestamp64Milli(original_timestamp) as original_timestamp_ms,
       toUnixTimestamp64Milli(sent_at) as sent_at_ms
     from events where workspace_id = {workspace:String} and event_id in {ids:Array(String)} limit 1 by event_id`,
    ids,
    { owner: ids.workspace, slot: 'short', signal },
  )
  return new Map(rows.map((row) => [row.event_id, row]))
}

type AudienceRow = { id: string; title: string; enter_time: Date }
type ConsentRow = { type: string; value: string; granted: string[]; time: Date }

/** Reads the parts of an export other than events, which only the first page contains. */
const readPerson = async (
  { db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>,
  workspace: string,
  id: string,
  signal: AbortSignal,
): Promise<Omit<MethodResponse<typeof methods.profileExports.get>, 'events' | 'next_page_token'>> => {
  const [profile, values, { rows: audiences }, { rows: consents }, { rows: merged }] = await Promise.all([
    readProfile(db, workspace, id),
    readTraitValues(db, workspace, id),
    sql<AudienceRow>`
      select a.id, a.title, m.enter_time from audience_members m join audiences a on a.id = m.audience_id
      where a.workspace_id = ${workspace}::uuid and m.profile_id = ${id}::uuid order by m.enter_time, a.id`.execute(db),
    sql<ConsentRow>`
      select i.type, i.value, c.granted, c.time from profile_identifiers i
      join profile_consents c on c.workspace_id = i.workspace_id and c.identifier = i.sequence
      where i.workspace_id = ${workspace}::uuid and i.profile_id = ${id}::uuid order by c.time desc, i.sequence`.execute(
      db,
    ),
    sql<{ id: string }>`
      with recursive found as (
        select ${id}::uuid as id
        union
        select p.id from found join profiles p on p.workspace_id = ${workspace}::uuid and p.merged_into = found.id)
      select id from found`.execute(db),
  ])
  const ofAudiences = {
    where: `producer = 'audience' and key in {profiles:Array(String)}`,
    params: { workspace, profiles: merged.map((each) => each.id) },
  }
  return {
    profile,
    earlier_traits: [...values].flatMap(([name, [, ...earlier]]) =>
      earlier.length === 0 ? [] : [{ name, values: earlier }],
    ),
    audiences: audiences.map((row) => ({
      name: audienceName(workspace, row.id),
      title: row.title,
      enter_time: row.enter_time.toISOString(),
    })),
    consents: consents.map(({ type, value, granted, time }) => ({
      identifier: { type, value },
      granted_categories: granted,
      time: time.toISOString(),
    })),
    audience_deliveries: await readOwnDeliveries(eventStore, ofAudiences, signal),
  }
}

/** Returns a page of all stored data of a user. The audit log names the caller of the first page. */
export const getProfileExport =
  ({
    db,
    eventStore,
    profileLedger,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'profileLedger' | 'clock'>): Handler<typeof methods.profileExports.get> =>
  async ({ workspace, params, query, signal }) => {
    const size = Math.min(query.page_size, exportPage)
    const page = openPage('profileExports.get', params, { ...query, page_size: size }, eventCursor)
    const id = await currentProfileId(db, workspace.id, params.profile)
    if (page.after === undefined)
      await db
        .transaction()
        .execute((tx) => audit(tx, resourceNames.profile.format({ workspace: workspace.id, profile: id })))
    const of = await ofProfile({ db, profileLedger }, workspace.id, id)
    const found = await readEvents(eventStore, workspace.id, {}, page, {
      now: clock(),
      signal,
      of,
    })
    const { rows, next } = page.cut(found, (row) => [Number(row.receive_ms), row.event_id])
    const ids = { workspace: workspace.id, ids: rows.map(({ event_id }) => event_id) }
    const [payloads, deliveries] = await Promise.all([
      readPayloads(eventStore, ids, signal),
      readOwnDeliveries(eventStore, { where: 'event_id in {ids:Array(String)}', params: ids }, signal),
    ])
    const deliveriesOf = Map.groupBy(deliveries, ({ event_id }) => event_id)
    const person =
      page.after === undefined
        ? await readPerson({ db, eventStore }, workspace.id, id, signal)
        : { profile: null, earlier_traits: [], audiences: [], consents: [], audience_deliveries: [] }
    return {
      ...person,
      events: rows.flatMap(({ event_id, receive_ms }) => {
        const row = payloads.get(event_id)
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
            deliveries: deliveriesOf.get(event_id) ?? [],
          },
        ]
      }),
      next_page_token: next,
    }
  }
