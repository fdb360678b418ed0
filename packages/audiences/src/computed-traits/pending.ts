import type { Db } from '@tributary/api-kit'
import { type ComputedChangeMark, recordMovedProfiles, withoutRequest } from '@tributary/storage'
import { type SqlBool, sql } from 'kysely'
import type { ComputedTraitRow } from './read.ts'

/** Interval between full passes over all profiles, in ms. They find expired events and lifted suppressions. */
export const passEveryMs = 24 * 3_600_000

/** Maximum entries of a ledger, and changes of a trait, per read. */
const atOnce = { entries: 20_000, changes: 20_000 } as const

/** Reads the IDs of the workspaces that have work at the time `now`. */
export const readBusyWorkspaces = async (db: Db, now: Date): Promise<string[]> => {
  const { rows } = await sql<{ workspace_id: string }>`
    select p.workspace_id from computed_trait_places p
    where exists (select from identity_ledgers l where l.workspace_id = p.workspace_id and l.sequence > p.sequence)
      or exists (select from computed_traits t where t.workspace_id = p.workspace_id and (t.delete_time is not null
        or (t.retry_time is null or t.retry_time <= ${now}) and (
          t.pass_time is not null or t.computed_version < t.version or t.compute_time is null
          or t.compute_time <= ${new Date(now.getTime() - passEveryMs)}
          or exists (select from computed_trait_changes c where c.trait_id = t.id)
          or exists (select from profile_traits v where v.source_id = t.id and v.due <= ${now}))))`.execute(db)
  return rows.map(({ workspace_id }) => workspace_id)
}

/** The state of the log of requests: where its partitions end, and which requests are stored. */
export type StoredLog = {
  /** Returns the current end of each partition. */
  ends(): Promise<readonly number[]>
  /** Returns whether the requests of a partition before an offset are stored. */
  isStored(partition: number, offset: number): boolean
}

/**
 * Queues the computation of all given traits for profiles that were merged or split, and stores the new position in the
 * ledger. Returns whether the ledger has more entries.
 */
export const noteMoved = async (db: Db, workspaceId: string, traits: readonly ComputedTraitRow[]): Promise<boolean> => {
  const { rows: places } = await sql<{ place: string; length: string }>`
    select p.sequence as place, l.sequence as length from computed_trait_places p
    join identity_ledgers l on l.workspace_id = p.workspace_id
    where p.workspace_id = ${workspaceId}::uuid and l.sequence > p.sequence`.execute(db)
  const [place, length] = places.flatMap((each) => [Number(each.place), Number(each.length)])
  if (place === undefined || length === undefined) return false
  const upTo = Math.min(place + atOnce.entries, length)
  await db.transaction().execute(async (tx) => {
    await recordMovedProfiles(
      tx,
      workspaceId,
      traits.map(({ id }) => id),
      { after: place, upTo },
    )
    await tx
      .updateTable('computed_trait_places')
      .set({ sequence: upTo })
      .where('workspace_id', '=', workspaceId)
      .execute()
  })
  return upTo < length
}

/** The changes of a trait since it was last computed. */
export type Pending = {
  /** IDs of the profiles for which the trait must be computed. */
  profiles: readonly string[]
  /** Changes that are done after this computation. */
  changes: readonly ComputedChangeMark[]
  /** Whether more changes of the trait can be computed now. */
  more: boolean
  /** Whether the trait has changes whose events are not stored yet. */
  waits: boolean
}

/**
 * Finds the profiles for which a trait must be computed. These are the profiles of the earliest `most` changes whose
 * events are stored, and as many profiles whose values are due.
 */
export const readPending = async (
  { db, ends, isStored }: StoredLog & { db: Db },
  { workspace_id: workspaceId, id }: ComputedTraitRow,
  now: Date,
  most: number,
): Promise<Pending> => {
  const { rows: changes } = await sql<ComputedChangeMark & { log_offset: string }>`
    select identifier, log_partition, log_offset, serial from computed_trait_changes where trait_id = ${id}::uuid
    order by serial limit ${atOnce.changes}`.execute(db)
  const end = changes.length === 0 ? [] : await ends()
  // An offset beyond the end belongs to a log that was replaced, whose events will never be stored.
  const stored = changes.filter(
    ({ log_partition, log_offset }) =>
      log_partition === withoutRequest ||
      isStored(log_partition, Math.min(Number(log_offset) + 1, end[log_partition] ?? 0)),
  )
  const taken = stored.slice(0, most)
  const { rows: due } = await sql<{ identifier: string }>`
    select identifier from profile_traits where source_id = ${id}::uuid and due <= ${now}
    order by due limit ${most}`.execute(db)
  const marked = [...taken, ...due].map(({ identifier }) => identifier)
  const { rows: bearers } =
    marked.length === 0
      ? { rows: [] }
      : await sql<{ profile_id: string }>`
          select distinct profile_id from profile_identifiers
          where workspace_id = ${workspaceId}::uuid and sequence = any(${marked}::bigint[])`.execute(db)
  return {
    // A deleted profile has no identifiers, and is left out.
    profiles: bearers.map(({ profile_id }) => profile_id),
    changes: taken,
    more:
      taken.length < stored.length || due.length === most || (taken.length > 0 && changes.length === atOnce.changes),
    waits: stored.length < changes.length,
  }
}

/** Reads the next profiles of a full pass, in the order of their IDs. */
export const readProfilesAfter = async (
  db: Db,
  workspaceId: string,
  after: string | null,
  most: number,
): Promise<string[]> => {
  const rows = await db
    .selectFrom('profiles')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('merged_into', 'is', null)
    .where(after === null ? sql<SqlBool>`true` : sql<SqlBool>`id > ${after}::uuid`)
    .orderBy('id')
    .limit(most)
    .execute()
  return rows.map(({ id }) => id)
}
