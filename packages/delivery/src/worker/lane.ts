import type { DeliveryMeta, ProducerKind } from '@tributary/contract'

/** What a destination gets first, and what goes when none of that could go: replays, audiences, and syncs. */
export const lanes = ['live', 'bulk'] as const
export type Lane = (typeof lanes)[number]

/** Conversions come from live events; of deleted users destinations are told at once. */
const bulkKinds: ReadonlySet<ProducerKind> = new Set(['sync', 'audience', 'trait'])

/** The lane in which a record comes. What of it failed and is replayed goes in the other one. */
export const laneOf = ({ p, b, h }: Pick<DeliveryMeta, 'p' | 'b' | 'h'>): Lane =>
  p !== undefined || h !== undefined || (b !== undefined && bulkKinds.has(b.k)) ? 'bulk' : 'live'

/** Of what the lanes of all destinations share, bulk takes nothing beyond this part: the rest is there for live events whenever they come. */
export const shareOf: Readonly<Record<Lane, number>> = { live: 1, bulk: 0.5 }

/** Something of each lane. */
export const ofLanes = <T>(make: (lane: Lane) => T): Readonly<Record<Lane, T>> => ({
  live: make('live'),
  bulk: make('bulk'),
})
