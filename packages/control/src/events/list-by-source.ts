import { openPage } from '@tributary/api-kit'
import { readSource } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { eventCursor, eventCursorOf, presentEvent, readEvents } from '@tributary/replays'
import type { ControlDeps } from '../deps.ts'
import { withoutProfile } from '../profiles/without-profile.ts'

/** The events of a source, newest first. */
export const listSourceEvents =
  (
    deps: Pick<ControlDeps, 'db' | 'eventStore' | 'profileLedger' | 'clock'>,
  ): Handler<typeof methods.events.listBySource> =>
  async ({ workspace, params, query, signal }) => {
    const { db, eventStore, clock } = deps
    const source = await readSource(db, workspace.id, params.source)
    const page = openPage('events.listBySource', params, query, eventCursor)
    const { page_size: _, page_token: __, profile, ...filter } = query
    const of = profile === undefined ? {} : { of: await withoutProfile(deps, workspace.id, signal) }
    const found = await readEvents(eventStore, workspace.id, { ...filter, source: source.id }, page, {
      now: clock(),
      signal,
      ...of,
    })
    const { rows, next } = page.cut(found, eventCursorOf(filter.time_by))
    return { events: rows.map((row) => presentEvent(workspace.id, row)), next_page_token: next }
  }
