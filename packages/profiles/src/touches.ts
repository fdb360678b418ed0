import { type AcceptedEvent, type Database, recordTouches, requestPlaceOf, touchProfiles } from '@tributary/storage'
import { type Kysely, sql } from 'kysely'
import type { Identifier } from './identifiers.ts'
import type { Entry, LedgerTx } from './ledger.ts'

/** Identifiers of events, by workspace. */
export type Touched = ReadonlyMap<string, ReadonlyMap<string, Identifier>>

/** Returns the workspaces that have audiences, which must be notified of every changed profile. */
export const readFollowed = async (
  db: Kysely<Database>,
  workspaceIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ workspace_id: string }>`
    select distinct workspace_id from audiences where workspace_id = any(${workspaceIds}::uuid[])`.execute(db)
  return new Set(rows.map(({ workspace_id }) => workspace_id))
}

/**
 * Returns the highest offset of the events' requests; null without events. Events may be out of log order, because some
 * workspaces are read ahead of others.
 */
const lastOffset = (events: readonly AcceptedEvent[]): number | null => {
  const places = events.map(({ eventId }) => requestPlaceOf(eventId))
  const newest = places.at(-1)?.incarnation
  return places.reduce<number | null>(
    (last, { incarnation, offset }) => (incarnation === newest ? Math.max(last ?? 0, offset) : last),
    null,
  )
}

/**
 * Records the profiles of a partition's events after the profiles are stored. Audiences evaluate these profiles again
 * when the last of the events is in the event store. The call can be repeated.
 */
export const writeTouches = async (
  db: Kysely<Database>,
  touched: Touched,
  { partition, events }: { partition: number | undefined; events: readonly AcceptedEvent[] },
): Promise<void> => {
  const all = [...touched].flatMap(([workspace, identifiers]) =>
    [...identifiers.values()].map(({ type, value }) => ({ workspace, type, value })),
  )
  if (all.length === 0) return
  const offset = partition === undefined ? null : lastOffset(events)
  await recordTouches(db, all, { partition: partition ?? null, offset })
}

/** Records, in the transaction of a ledger, the profiles whose identifiers were merged, split, or erased. */
export const touchMoved = (tx: LedgerTx, workspaceId: string, entries: readonly Entry[]): Promise<void> => {
  const moved = entries.flatMap(({ operation }) => {
    switch (operation.kind) {
      case 'merge':
        return [operation.profile, operation.merged]
      case 'split':
        return [operation.profile, operation.made]
      case 'erase':
        return [operation.profile]
      default:
        return []
    }
  })
  return touchProfiles(tx, workspaceId, [...new Set(moved)])
}
