import { offsetCursor, openPage, slicePage } from '@tributary/api-kit'
import { readDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { maskSample } from '../deliveries/samples.ts'
import type { ControlDeps } from '../deps.ts'
import { isMasked } from '../profiles/mask.ts'
import { readGroups } from './read.ts'

/** Lists the parked events of a destination by the cause of their failure. */
export const listFailureGroups =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.failureGroups.list> =>
  async ({ actor, workspace, params, query }) => {
    const { id } = await readDestination(db, workspace.id, params.destination)
    const page = openPage('failureGroups.list', params, query, offsetCursor)
    const { rows, next } = slicePage(
      page,
      await readGroups(
        db,
        { workspaceId: workspace.id, destinationId: id },
        { state: query.state, deadSince: query.start_time },
      ),
    )
    return { failure_groups: isMasked(actor, workspace) ? rows.map(maskSample) : rows, next_page_token: next }
  }
