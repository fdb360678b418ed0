import type { Db } from '@tributary/api-kit'
import { type SqlBool, sql } from 'kysely'
import type { ComputedTraitRow } from './read.ts'

/** How often every trait is computed for everybody, ms: events are dropped by age, and suppressions lifted. */
export const passEveryMs = 24 * 3_600_000

/**
 * Changes, values that are due, and entries of a ledger that are looked at in one go. A round waits a second or two for
 * storing whatever it has to do: with more of them at once it keeps up with thousands of profiles a second.
 */
const atOnce = { changes: 20_000, due: 20_000, entries: 20_000 } as const

/** Workspaces in which something is to be done at a time. */
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

/** What has changed of a workspace since it was computed last. */
export type Pending = {
  /** Profiles to compute, by the trait. */
  profiles: ReadonlyMap<string, readonly string[]>
  /** Changes that are done with then. */
  changes: readonly { trait_id: string; identifier: string; serial: string }[]
  /** The entry of the ledger up to which merges and splits are among them. */
  sequence: number
  /** Whether there is more. */
  more: boolean
}

type Marked = { trait_id: string; identifier: string }

/** Profiles that merges and splits of a part of the ledger concern, as they are now. */
const readMoved = async (db: Db, workspaceId: string, after: number, upTo: number): Promise<string[]> => {
  if (upTo <= after) return []
  const { rows } = await sql<{ id: string }>`
    select p.id from identity_operations o join profiles p
      on p.workspace_id = o.workspace_id and p.id in (o.profile_id, o.other_id) and p.merged_into is null
    where o.workspace_id = ${workspaceId}::uuid and o.sequence > ${after} and o.sequence <= ${upTo}
      and o.kind in ('merge','split')
    group by p.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Looks for what is to be computed of traits. */
export const readPending = async (
  db: Db,
  workspaceId: string,
  traits: readonly ComputedTraitRow[],
  now: Date,
): Promise<Pending> => {
  const ids = traits.map(({ id }) => id)
  const { rows: places } = await sql<{ place: string; length: string }>`
    select p.sequence as place, coalesce(l.sequence, 0) as length from computed_trait_places p
    left join identity_ledgers l on l.workspace_id = p.workspace_id where p.workspace_id = ${workspaceId}::uuid
    `.execute(db)
  const [place = 0, length = 0] = places.flatMap((each) => [Number(each.place), Number(each.length)])
  const sequence = Math.min(place + atOnce.entries, length)
  const moved = await readMoved(db, workspaceId, place, sequence)
  const { rows: changes } = await sql<Marked & { serial: string }>`
    select trait_id, identifier, serial from computed_trait_changes where trait_id = any(${ids}::uuid[])
    order by serial limit ${atOnce.changes}`.execute(db)
  const { rows: due } = await sql<Marked>`
    select source_id as trait_id, identifier from profile_traits
    where source_id = any(${ids}::uuid[]) and due <= ${now} order by due limit ${atOnce.due}`.execute(db)
  const marked = [...changes, ...due]
  const { rows: bearers } =
    marked.length === 0
      ? { rows: [] }
      : await sql<{ sequence: string; profile_id: string }>`
          select sequence, profile_id from profile_identifiers
          where workspace_id = ${workspaceId}::uuid
            and sequence = any(${marked.map(({ identifier }) => identifier)}::bigint[])`.execute(db)
  const profileOf = new Map(bearers.map((each) => [each.sequence, each.profile_id]))
  const profiles = new Map(ids.map((id) => [id, new Set(moved)]))
  for (const { trait_id, identifier } of marked) {
    // Whose profile was deleted is nobody.
    const profile = profileOf.get(identifier)
    if (profile !== undefined) profiles.get(trait_id)?.add(profile)
  }
  return {
    profiles: new Map([...profiles].map(([id, own]) => [id, [...own]])),
    changes,
    sequence,
    more: sequence < length || changes.length === atOnce.changes || due.length === atOnce.due,
  }
}

/** The next profiles of a pass, by their ids. */
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
