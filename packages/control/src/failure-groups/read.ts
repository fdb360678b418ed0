import { type Db, parseReference } from '@tributary/api-kit'
import { type FailureGroup, resourceNames } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * The ID of a cause, computed from columns of `parked_deliveries`. Deliveries with the same state, reason, and HTTP
 * status have the same cause.
 */
const groupId = sql<string>`md5(concat_ws(chr(10), state, coalesce(last_status::text, ''), last_reason))`

/** Selects the parked deliveries with this cause. */
export const inGroup = (id: string): RawBuilder<SqlBool> => sql<SqlBool>`${groupId} = ${id}`

type Place = { workspaceId: string; destinationId: string }

/** Returns the ID in the name of a failure group. Throws 404 for a group of another destination. */
export const groupIdOf = (field: string, name: string, { workspaceId, destinationId }: Place): string => {
  const ids = parseReference(resourceNames.failureGroup, field, name)
  if (ids.workspace !== workspaceId || ids.destination !== destinationId) throw notFound('failure group not found')
  return ids.failure_group
}

type GroupRow = {
  id: string
  state: 'waiting' | 'dead'
  last_reason: string
  last_status: number | null
  events: string
  first_time: Date
  last_time: Date
  next_time: Date
  attempts: number
  request: string
  response: string
}

/** Maximum number of causes that are listed separately. */
const maxGroups = 1000

/**
 * Reads the parked events of a destination by cause. Dead letters come first; in each state, the largest group comes
 * first. The parameters can limit events to one cause or state, and dead letters to those since a time. The sample of a
 * group is the latest one, because an older one may be from before a change of the settings.
 */
export const readGroups = async (
  db: Db,
  { workspaceId, destinationId }: Place,
  {
    id,
    state,
    deadSince,
  }: { id?: string; state?: 'waiting' | 'dead' | undefined; deadSince?: string | undefined } = {},
): Promise<FailureGroup[]> => {
  const { rows } = await sql<GroupRow>`
    with causes as (
      select state, last_reason, last_status, sum(event_count) as events, max(attempts) as attempts,
        min(first_time) as first_time, min(next_time) as next_time,
        max(case state when 'dead' then next_time else first_time end) as last_time,
        (array_agg(id order by next_time desc, id))[1] as sample
      from parked_deliveries
      where workspace_id = ${workspaceId} and destination_id = ${destinationId}
        and ${id === undefined ? sql<SqlBool>`true` : inGroup(id)}
        and ${state === undefined ? sql<SqlBool>`true` : sql<SqlBool>`state = ${state}`}
        and ${deadSince === undefined ? sql<SqlBool>`true` : sql<SqlBool>`(state = 'waiting' or next_time >= ${new Date(deadSince)})`}
      group by state, last_reason, last_status
      order by state, events desc limit ${maxGroups})
    select ${groupId} as id, causes.*, sample.request, sample.response
    from causes join (select id, request, response from parked_deliveries) sample on sample.id = causes.sample
    order by state, events desc, id`.execute(db)
  return rows.map((row) => ({
    name: resourceNames.failureGroup.format({
      workspace: workspaceId,
      destination: destinationId,
      failure_group: row.id,
    }),
    state: row.state,
    reason: row.last_reason,
    http_status: row.last_status,
    event_count: Number(row.events),
    first_time: row.first_time.toISOString(),
    last_time: row.last_time.toISOString(),
    next_time: row.state === 'dead' ? null : row.next_time.toISOString(),
    attempts: row.attempts,
    request: row.request,
    response: row.response,
  }))
}
