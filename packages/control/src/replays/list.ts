import { readDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'
import { presentReplays, selectReplays } from './read.ts'

/** The replays of a destination, newest first. */
export const listReplays =
  (deps: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.replays.list> =>
  async ({ workspace, params, query, signal }) => {
    const { db } = deps
    const destination = await readDestination(db, workspace.id, params.destination)
    const { rows, next } = await newestFirst(
      { name: 'replays.list', table: 'replays', params, query },
      selectReplays(db, destination),
    )
    return { replays: await presentReplays(deps, rows, signal), next_page_token: next }
  }
