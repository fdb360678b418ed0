import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import { readDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { presentReplays, selectReplays } from './read.ts'

/** The replays of a destination, newest first. */
export const listReplays =
  (deps: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.replays.list> =>
  async ({ workspace, params, query, signal }) => {
    const { db } = deps
    const destination = await readDestination(db, workspace.id, params.destination)
    const page = openPage('replays.list', params, query, createdCursor)
    const found = await selectReplays(db, destination)
      .where(olderThan('replays', page.after))
      .orderBy('replays.create_time', 'desc')
      .orderBy('replays.id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, createdCursorOf)
    return { replays: await presentReplays(deps, rows, signal), next_page_token: next }
  }
