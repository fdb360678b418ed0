import type { Database } from '@tributary/storage'
import { type Kysely, sql } from 'kysely'
import type { Identifier } from '../identifiers.ts'
import { derivedId } from '../ids.ts'
import { ownerOf, ownerOfProfile } from './owner.ts'

/** Maximum ledger entries per page. */
const pageEntries = 2000

/** The fields that distinguish a ledger entry from any other entry at the same position. */
type EntryRow = {
  sequence: string
  kind: string
  profile_id: string
  other_id: string | null
  type: string
  value: string
  event_id: string
  time: Date
}

const columns = sql.raw('sequence, kind, profile_id, other_id, type, value, event_id, time')

/** Returns the mark of an entry. Values are not part of it, because they can be removed from a ledger. */
const markOf = ({ sequence, kind, profile_id, other_id, event_id, time }: EntryRow): string =>
  ownerOfProfile(derivedId('mark', sequence, kind, profile_id, other_id ?? '', event_id, time.toISOString()))

/**
 * A position in a ledger, and the mark of its entry. If the ledger was replaced, the entry there has a different mark.
 */
export type LedgerPlace = { readonly sequence: number; readonly mark: string }

/** An identifier that is not in the profile that it would create alone. Both IDs are owners in the event store. */
export type Joined = { readonly owner: string; readonly profile: string }

/** The current profiles of the identifiers that a page of a ledger affects. */
export type Changes = {
  readonly joined: readonly Joined[]
  /** Profiles of deleted people, as owners in the event store. */
  readonly erased: readonly string[]
  /** The last entry of the page. */
  readonly through: LedgerPlace
  /** The last entry of the ledger at the time of reading. `joined` has the profiles after this entry. */
  readonly version: number
}

/**
 * Returns the profiles that an entry affects. Their identifiers may not be in the profiles that they would create
 * alone.
 */
const concernedBy = (workspaceId: string, { kind, profile_id, other_id, type, value }: EntryRow): string[] => {
  if (kind === 'refuse' || kind === 'erase') return []
  if (kind === 'create' && ownerOf(workspaceId, { type, value }) === ownerOfProfile(profile_id)) return []
  return other_id === null ? [profile_id] : [profile_id, other_id]
}

/** Reads the last sequence of each ledger that is not empty, by workspace. */
export const readLedgers = async (db: Kysely<Database>): Promise<Map<string, number>> => {
  const { rows } = await sql<{ workspace_id: string; sequence: string }>`
    select workspace_id, sequence from identity_ledgers where sequence > 0`.execute(db)
  return new Map(rows.map(({ workspace_id, sequence }) => [workspace_id, Number(sequence)]))
}

/** Reads the marks of entries by workspace; a missing entry has no mark. */
export const readMarks = async (
  db: Kysely<Database>,
  places: ReadonlyMap<string, number>,
): Promise<Map<string, string>> => {
  const { rows } = await sql<EntryRow & { workspace_id: string }>`
    select o.workspace_id, ${columns} from unnest(${[...places.keys()]}::uuid[], ${[...places.values()]}::bigint[])
      as asked (workspace, place) join identity_operations o on o.workspace_id = workspace and o.sequence = place
    `.execute(db)
  return new Map(rows.map((row) => [row.workspace_id, markOf(row)]))
}

/**
 * Reads the identifiers that a page of ledger entries affects, with their current profiles, in one snapshot. The page
 * begins after a position. Undefined if there are none.
 */
export const readChanges = (db: Kysely<Database>, workspaceId: string, after: number): Promise<Changes | undefined> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const { rows: entries } = await sql<EntryRow>`
        select ${columns} from identity_operations
        where workspace_id = ${workspaceId}::uuid and sequence > ${after} order by sequence limit ${pageEntries}`.execute(
        tx,
      )
      const last = entries.at(-1)
      if (last === undefined) return undefined
      const ids = new Set(entries.flatMap((entry) => concernedBy(workspaceId, entry)))
      const { rows: identifiers } = await sql<Identifier & { profile_id: string }>`
        with recursive found (id) as (
          select unnest(${[...ids]}::uuid[])
          union
          select p.merged_into from found join profiles p on p.workspace_id = ${workspaceId}::uuid and p.id = found.id
            where p.merged_into is not null)
        select i.type, i.value, i.profile_id from found
        join profile_identifiers i on i.workspace_id = ${workspaceId}::uuid and i.profile_id = found.id
        where i.type in ('user_id', 'anonymous_id')`.execute(tx)
      const { rows } = await sql<{ sequence: string }>`
        select sequence from identity_ledgers where workspace_id = ${workspaceId}::uuid`.execute(tx)
      return {
        joined: identifiers
          .map((each) => ({ owner: ownerOf(workspaceId, each), profile: ownerOfProfile(each.profile_id) }))
          .filter(({ owner, profile }) => owner !== profile),
        erased: entries.filter(({ kind }) => kind === 'erase').map(({ profile_id }) => ownerOfProfile(profile_id)),
        through: { sequence: Number(last.sequence), mark: markOf(last) },
        version: Number(rows[0]?.sequence ?? last.sequence),
      }
    })
