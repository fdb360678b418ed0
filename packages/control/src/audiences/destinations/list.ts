import { type Db, offsetCursor, openPage, slicePage } from '@tributary/api-kit'
import { audienceName, readAudience } from '@tributary/audiences'
import { findDestination, readDestination } from '@tributary/configuration'
import { audienceEventNames, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'
import { presentConnection, readConnections } from './read-connections.ts'
import { takesAudiences } from './takes-audiences.ts'

/** Lists the destinations that receive the entries and exits of an audience, and those that could be connected. */
export const listAudienceDestinations =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.audiences.listDestinations> =>
  async ({ workspace, params, query }) => {
    const page = openPage('audiences.listDestinations', params, query, offsetCursor)
    const audience = await readAudience(db, workspace.id, params.audience)
    const connections = await readConnections(db, workspace.id, { audienceId: audience.id })
    const nameOf = (destination: string): string =>
      resourceNames.destination.format({ workspace: workspace.id, destination })
    const others = await db
      .selectFrom('destinations')
      .select(['id', 'title', 'app'])
      .where('workspace_id', '=', workspace.id)
      .where('delete_time', 'is', null)
      .orderBy('create_time')
      .orderBy('id')
      .execute()
    const connected = new Set(connections.map(({ destination_id }) => destination_id))
    const available: { name: string; title: string }[] = []
    for (const { id, title, app } of others)
      if (!connected.has(id) && (await takesAudiences(catalog, app))) available.push({ name: nameOf(id), title })
    const { rows, next } = slicePage(page, connections)
    return {
      destinations: await Promise.all(
        rows.map(async (row) => {
          const entry = await findDestination(catalog, row.app)
          return {
            name: nameOf(row.destination_id),
            title: row.destination_title,
            app: { display_name: entry?.title ?? row.app, extra: { app_icon: entry?.icon ?? '' } },
            ...presentConnection(row),
          }
        }),
      ),
      available,
      next_page_token: next,
    }
  }

/** Maximum number of latest entries and exits that are listed for each audience. */
const listedEvents = 5

type ChangeRow = { connection: string; audience_id: string; id: string; kind: 'entered' | 'left'; time: Date }

const readLatest = async (db: Db, destinationId: string): Promise<ReadonlyMap<string, readonly ChangeRow[]>> => {
  const { rows } = await sql<ChangeRow>`
    select c.id as connection, c.audience_id, e.id, e.kind, e.time from audience_destinations c
    cross join lateral (
      select id, kind, time from audience_changes where audience_id = c.audience_id order by id desc limit ${listedEvents}
    ) as e
    where c.destination_id = ${destinationId}::uuid order by e.id desc`.execute(db)
  return Map.groupBy(rows, ({ audience_id }) => audience_id)
}

/** Lists the audiences that are sent to a destination. */
export const listAudiencesOfDestination =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.audiences.listOfDestination> =>
  async ({ workspace, params, query }) => {
    const page = openPage('audiences.listOfDestination', params, query, offsetCursor)
    const destination = await readDestination(db, workspace.id, params.destination)
    const { rows, next } = slicePage(page, await readConnections(db, workspace.id, { destinationId: destination.id }))
    const latest = await readLatest(db, destination.id)
    return {
      audiences: rows.map((row) => ({
        name: audienceName(workspace.id, row.audience_id),
        title: row.audience_title,
        ...presentConnection(row),
        recent_events: (latest.get(row.audience_id) ?? []).map(({ connection, id, kind, time }) => ({
          name: resourceNames.event.format({ workspace: workspace.id, event: `${connection}-${id}` }),
          title: audienceEventNames[kind],
          time: time.toISOString(),
        })),
      })),
      next_page_token: next,
    }
  }
