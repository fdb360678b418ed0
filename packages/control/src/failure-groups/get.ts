import { readDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { maskSample } from '../deliveries/samples.ts'
import type { ControlDeps } from '../deps.ts'
import { isMasked } from '../profiles/mask.ts'
import { readGroups } from './read.ts'

/** Returns one failure group. Throws 404 if none of its deliveries is parked anymore. */
export const getFailureGroup =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.failureGroups.get> =>
  async ({ actor, workspace, params }) => {
    const { id } = await readDestination(db, workspace.id, params.destination)
    const [group] = await readGroups(db, { workspaceId: workspace.id, destinationId: id }, { id: params.failure_group })
    if (group === undefined) throw notFound('failure group not found')
    return isMasked(actor, workspace) ? maskSample(group) : group
  }
