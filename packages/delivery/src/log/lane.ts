import type { ProducerKind, StreamFacts } from '@tributary/contract'

/** Lanes by precedence. Replays, audiences, and syncs are sent when no live event could be. */
export const lanes = ['live', 'bulk'] as const
export type Lane = (typeof lanes)[number]

/** Conversions come from live events, and deletions of users are sent to destinations immediately. */
const bulkKinds: ReadonlySet<ProducerKind> = new Set(['sync', 'audience', 'trait'])

/** The lane in which a record comes. Failed and replayed parts of it go in the other one. */
export const laneOf = ({
  replayId,
  producer,
  isLater,
}: Pick<StreamFacts, 'replayId' | 'producer' | 'isLater'>): Lane =>
  replayId !== undefined || isLater || (producer !== undefined && bulkKinds.has(producer.kind)) ? 'bulk' : 'live'

/** Maximum share of a lane in what the lanes of all destinations share: the rest stays free for live events. */
export const shareOf: Readonly<Record<Lane, number>> = { live: 1, bulk: 0.5 }

/** Makes a value for each lane. */
export const ofLanes = <T>(make: (lane: Lane) => T): Readonly<Record<Lane, T>> => ({
  live: make('live'),
  bulk: make('bulk'),
})
