import { openPage, parseReference } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { eventCursor, eventCursorOf, presentEvent, readEvents } from '@tributary/replays'
import type { ControlDeps } from '../deps.ts'
import { withoutProfile } from '../profiles/without-profile.ts'

/** Lists the events of a workspace, newest first, including events of deleted sources. */
export const listEvents =
  (deps: Pick<ControlDeps, 'db' | 'eventStore' | 'profileLedger' | 'clock'>): Handler<typeof methods.events.list> =>
  async ({ workspace, params, query, signal }) => {
    const page = openPage('events.list', params, query, eventCursor)
    const { page_size: _, page_token: __, profile, ...filter } = query
    if (filter.source !== undefined) {
      const reference = parseReference(resourceNames.source, 'source', filter.source)
      if (reference.workspace !== workspace.id) throw notFound('source not found')
      filter.source = reference.source
    }
    const of = profile === undefined ? {} : { of: await withoutProfile(deps, workspace.id, signal) }
    const found = await readEvents(deps.eventStore, workspace.id, filter, page, { now: deps.clock(), signal, ...of })
    const { rows, next } = page.cut(found, eventCursorOf(filter.time_by))
    return { events: rows.map((row) => presentEvent(workspace.id, row)), next_page_token: next }
  }
