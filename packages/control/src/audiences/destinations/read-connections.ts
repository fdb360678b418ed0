import type { Db } from '@tributary/api-kit'
import type { AudienceDestination } from '@tributary/contract'
import { sql } from 'kysely'

type Ends = { audienceId: string } | { destinationId: string }

type Row = {
  audience_id: string
  audience_title: string
  destination_id: string
  destination_title: string
  app: string
  enabled: boolean
  state: 'filling' | 'live'
  fill_total: number
  fill_sent: number
  create_time: Date
  waiting: number
  dead: number
  last_error: string | null
}

/** The connections of an audience or a destination, oldest first, with the number of failed events. */
export const readConnections = async (db: Db, workspaceId: string, ends: Ends) => {
  const { rows } = await sql<Row>`
    select c.audience_id, a.title as audience_title, c.destination_id, d.title as destination_title, d.app, d.enabled,
      c.state, c.fill_total, c.fill_sent, c.create_time, failed.*
    from audience_destinations c
    join audiences a on a.id = c.audience_id
    join destinations d on d.id = c.destination_id and d.delete_time is null
    cross join lateral (
      select coalesce(sum(event_count) filter (where p.state = 'waiting'), 0)::int as waiting,
        coalesce(sum(event_count) filter (where p.state = 'dead'), 0)::int as dead,
        (array_agg(last_reason order by first_time desc) filter (where last_reason <> ''))[1] as last_error
      from parked_deliveries p
      where p.workspace_id = c.workspace_id and p.destination_id = c.destination_id and p.source_id = c.audience_id
    ) as failed
    where c.workspace_id = ${workspaceId}::uuid
      and ${'audienceId' in ends ? sql`c.audience_id = ${ends.audienceId}::uuid` : sql`c.destination_id = ${ends.destinationId}::uuid`}
    order by c.create_time, c.id`.execute(db)
  return rows
}

/** The progress of a connection as the API returns it. */
export const presentConnection = (row: Row): Omit<AudienceDestination, 'name' | 'title' | 'app'> => ({
  state: row.state,
  enabled: row.enabled,
  fill_count: row.fill_total,
  fill_sent_count: row.fill_sent,
  connect_time: row.create_time.toISOString(),
  waiting_count: row.waiting,
  dead_count: row.dead,
  last_error: row.last_error ?? '',
})
