import { type Announce, notifyEditors, type Tx } from '@tributary/api-kit'
import { resourceNames } from '@tributary/contract'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { backlogReason, ongoingMs } from './ongoing.ts'

const dayMs = 24 * 3_600_000
/** Maximum age of an episode that is still reported, ms. The rows that show its start are removed after 30 days. */
const longestMs = 29 * dayMs

type Refused = {
  workspace_id: string
  organization_id: string
  source_id: string
  title: string
  sources: number
  /** Start of the first hour of the episode. */
  start: Date
}

/**
 * Finds workspaces whose requests are currently refused because of their backlog, each with the source that has the
 * most refusals. An episode is a series of consecutive hours with such refusals.
 */
const findRefused = async ({ db }: Pick<ControlDeps, 'db'>, now: number): Promise<Refused[]> => {
  const { rows } = await sql<Refused>`
    with hours as (
      select workspace_id, source_id, hour, last_time, count,
        hour - interval '1 hour' * dense_rank() over (partition by workspace_id order by hour) as episode
      from refused_requests
      where reason = ${backlogReason} and workspace_id is not null and source_id is not null
    ), refused as (
      select workspace_id, episode, min(hour) as start, count(distinct source_id)::int as sources
      from hours
      group by workspace_id, episode
      having max(last_time) > ${new Date(now - ongoingMs)} and min(hour) > ${new Date(now - longestMs)}
    )
    select distinct on (w.id) w.id as workspace_id, w.organization_id, s.id as source_id, s.title, refused.sources, refused.start
    from refused
    join workspaces w on w.id = refused.workspace_id
    join hours on hours.workspace_id = refused.workspace_id and hours.episode = refused.episode
    join sources s on s.id = hours.source_id and s.workspace_id = w.id and s.delete_time is null
    order by w.id, hours.last_time > ${new Date(now - ongoingMs)} desc, hours.count desc, s.id`.execute(db)
  return rows
}

const bodyOf = ({ title, sources }: Refused): string => {
  const others = sources === 1 ? '' : ` and ${sources - 1} more`
  return (
    `Requests to ${title}${others} get status 429: the workspace has more unprocessed events than its share of the queue. ` +
    'SDKs keep the events and send them again later. Slow down or stop imports and backfills. If this continues, ask your ' +
    "server's operator to check processing and TRIBUTARY_WORKSPACE_BACKLOG_MB."
  )
}

const notifyOfBacklog = async (tx: Tx, refused: Refused, now: number): Promise<Announce> => {
  const workspace = resourceNames.workspace.format({ workspace: refused.workspace_id })
  const source = resourceNames.source.format({ workspace: refused.workspace_id, source: refused.source_id })
  return await notifyEditors(tx, {
    organizationId: refused.organization_id,
    kind: 'backlog_full',
    title: 'Events are being refused',
    body: bodyOf(refused),
    link: `/${source}#refused`,
    cause: `${workspace}/backlog/${refused.start.toISOString()}`,
    now,
  })
}

/**
 * Notifies administrators and collaborators of each workspace whose requests are currently refused with 429. Each
 * episode causes one notification, however often and by however many processes this function is called.
 */
export const notifyBackloggedWorkspaces = async (deps: Pick<ControlDeps, 'db' | 'clock' | 'live'>): Promise<void> => {
  const now = deps.clock()
  for (const refused of await findRefused(deps, now)) {
    const announce = await deps.db.transaction().execute((tx) => notifyOfBacklog(tx, refused, now))
    announce(deps.live)
  }
}
