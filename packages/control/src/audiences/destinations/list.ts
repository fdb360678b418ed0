import { offsetCursor, openPage, slicePage } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import { readAudience } from '../read.ts'
import { takesAudiences } from './takes-audiences.ts'

/** The destinations that are told who enters and leaves an audience, and those that could be. */
export const listAudienceDestinations =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.audiences.listDestinations> =>
  async ({ workspace, params, query }) => {
    const page = openPage('audiences.listDestinations', params, query, offsetCursor)
    const audience = await readAudience(db, workspace.id, params.audience)
    const rows = await db
      .selectFrom('destinations as d')
      .leftJoin('audience_destinations as c', (on) =>
        on.onRef('c.destination_id', '=', 'd.id').on('c.audience_id', '=', audience.id),
      )
      .select(['d.id', 'd.title', 'd.app', 'c.state', 'c.fill_total', 'c.fill_sent', 'c.create_time'])
      .where('d.workspace_id', '=', workspace.id)
      .where('d.delete_time', 'is', null)
      .orderBy('d.create_time')
      .orderBy('d.id')
      .execute()
    const nameOf = (destination: string): string =>
      resourceNames.destination.format({ workspace: workspace.id, destination })
    const connected = rows.flatMap(({ id, title, app, state, fill_total, fill_sent, create_time }) => {
      if (state === null || create_time === null) return []
      const entry = catalog.destinations.find(({ slug }) => slug === app)
      return [
        {
          name: nameOf(id),
          title,
          app: { display_name: entry?.title ?? app, extra: { app_icon: entry?.icon ?? '' } },
          state,
          fill_count: fill_total ?? 0,
          fill_sent_count: fill_sent ?? 0,
          connect_time: create_time.toISOString(),
        },
      ]
    })
    const available: { name: string; title: string }[] = []
    for (const { id, title, app, state } of rows)
      if (state === null && (await takesAudiences(catalog, app))) available.push({ name: nameOf(id), title })
    const { rows: destinations, next } = slicePage(page, connected)
    return { destinations, available, next_page_token: next }
  }
