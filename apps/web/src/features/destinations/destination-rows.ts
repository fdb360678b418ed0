import type { Connection, ConnectionActivity, Destination } from '@tributary/contract'

/** A destination in the list: what is not known, because it is loading or could not be loaded, is undefined. */
export type DestinationRow = Destination & {
  /** Sources it is connected with. */
  sources: number | undefined
  /** Events that were given up in the last 24 hours, whatever became of them later. */
  failed: number | undefined
}

/** Destinations whose title or app matches, each with the number of its sources and of its failures. */
export const destinationRows = (
  destinations: readonly Destination[],
  connections: readonly Connection[] | undefined,
  activities: readonly ConnectionActivity[] | undefined,
  search: string,
): DestinationRow[] => {
  const wanted = search.trim().toLowerCase()
  const sources = connections && Map.groupBy(connections, ({ destination }) => destination)
  const failures = activities && Map.groupBy(activities, ({ destination }) => destination)
  return destinations
    .filter((destination) => `${destination.title} ${destination.app.display_name}`.toLowerCase().includes(wanted))
    .map((destination) => ({
      ...destination,
      sources: sources && (sources.get(destination.name)?.length ?? 0),
      failed: failures && (failures.get(destination.name) ?? []).reduce((sum, { failed }) => sum + failed, 0),
    }))
}

/** How it is with a destination, what is most in need of somebody first. */
export const destinationStates = ['unfinished', 'unpermitted', 'failing', 'unconnected', 'paused', 'enabled'] as const

/**
 * What of `destinationStates` a row is in. Without its settings it could do nothing, paused or not; then paused comes first,
 * because somebody wants it so. What is not known is not claimed.
 */
export const stateOf = ({
  state,
  enabled,
  grant,
  sources,
  failed,
}: Pick<DestinationRow, 'state' | 'enabled' | 'grant' | 'sources' | 'failed'>): (typeof destinationStates)[number] => {
  if (state === 'needs_setup') return 'unfinished'
  if (!enabled) return 'paused'
  if (grant !== null && grant.status !== 'connected') return 'unpermitted'
  if ((failed ?? 0) > 0) return 'failing'
  return sources === 0 ? 'unconnected' : 'enabled'
}
