import {
  addOutcomes,
  type Connection,
  type ConnectionActivity,
  type DeliveryOutcomes,
  type Destination,
} from '@tributary/contract'

/** A destination in the list. Values that are not loaded, or could not be loaded, are undefined. */
export type DestinationRow = Destination & {
  /** Number of connected sources. */
  sources: number | undefined
  /** The outcomes of its deliveries in the range of the list, of all sources. */
  outcomes: DeliveryOutcomes | undefined
}

/** The filters of the list; '' means no filter. `type` is the name of an app, `state` one of `destinationStates`. */
export type DestinationFilters = { search: string; type: string; state: string }

/** The destinations that match the filters, each with the number of its sources and the outcomes of its deliveries. */
export const destinationRows = (
  destinations: readonly Destination[],
  connections: readonly Connection[] | undefined,
  activities: readonly ConnectionActivity[] | undefined,
  { search, type, state }: DestinationFilters,
): DestinationRow[] => {
  const wanted = search.trim().toLowerCase()
  const sources = connections && Map.groupBy(connections, ({ destination }) => destination)
  const activity = activities && Map.groupBy(activities, ({ destination }) => destination)
  return destinations
    .filter(
      ({ title, app }) =>
        `${title} ${app.display_name}`.toLowerCase().includes(wanted) && (type === '' || app.display_name === type),
    )
    .map((destination) => ({
      ...destination,
      sources: sources && (sources.get(destination.name)?.length ?? 0),
      outcomes: activity && addOutcomes(activity.get(destination.name) ?? []),
    }))
    .filter((row) => state === '' || stateOf(row) === state)
}

/** The states of a destination, the most urgent first. */
export const destinationStates = [
  'unfinished',
  'unpermitted',
  'failing',
  'unknown',
  'unconnected',
  'paused',
  'enabled',
] as const

/** The title of each state. */
export const stateTitles = {
  unfinished: 'Needs set-up',
  unpermitted: 'Connect account',
  failing: 'Failing',
  unknown: 'Unknown',
  unconnected: 'No sources',
  paused: 'Paused',
  enabled: 'Enabled',
} as const satisfies Record<(typeof destinationStates)[number], string>

/**
 * Returns the state of a row. Missing settings come first: without them a destination does nothing, paused or not. The
 * state `paused` comes next, because a user chose it. If the failures or the sources of a row are not known, its state
 * is `unknown`.
 */
export const stateOf = ({
  state,
  enabled,
  grant,
  sources,
  outcomes,
}: Pick<
  DestinationRow,
  'state' | 'enabled' | 'grant' | 'sources' | 'outcomes'
>): (typeof destinationStates)[number] => {
  if (state === 'needs_setup') return 'unfinished'
  if (!enabled) return 'paused'
  if (grant !== null && grant.status !== 'connected') return 'unpermitted'
  if ((outcomes?.failed ?? 0) > 0) return 'failing'
  if (outcomes === undefined || sources === undefined) return 'unknown'
  return sources === 0 ? 'unconnected' : 'enabled'
}
