import { readDestination } from '@tributary/configuration'
import type { methods, Replay } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { presentReplays, readReplay } from './read.ts'

/** One replay as the API returns it. */
export const showReplay = async (
  deps: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>,
  destination: { id: string; workspace_id: string },
  replayId: string,
  signal?: AbortSignal,
): Promise<Replay> => {
  const [replay] = await presentReplays(deps, [await readReplay(deps.db, destination, replayId)], signal)
  if (replay === undefined) throw notFound('replay not found')
  return replay
}

/** Returns a replay with its progress. */
export const getReplay =
  (deps: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.replays.get> =>
  async ({ workspace, params, signal }) => {
    const destination = await readDestination(deps.db, workspace.id, params.destination)
    return await showReplay(deps, destination, params.replay, signal)
  }
