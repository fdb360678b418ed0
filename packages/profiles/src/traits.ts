import { sql } from 'kysely'
import type { LedgerTx } from './ledger.ts'
import { otherNames, traitLimits } from './observe.ts'

/** A trait of an identifier (the sequence of the operation that brought it), as an event gave it; null was too large. */
export type TraitRow = {
  readonly identifier: number
  readonly name: string
  readonly value: string | null
  /** RFC 3339. */
  readonly time: string
  readonly event_id: string
  readonly source_id: string
}

const isLater = (one: TraitRow, other: TraitRow): boolean =>
  one.time === other.time ? one.event_id >= other.event_id : one.time > other.time

/** Of rows with the same identifier and name the latest one, by time and then by event. */
const latestOf = (rows: readonly TraitRow[]): Map<number, Map<string, TraitRow>> => {
  const latest = new Map<number, Map<string, TraitRow>>()
  for (const row of rows) {
    const names = latest.get(row.identifier) ?? new Map<string, TraitRow>()
    latest.set(row.identifier, names)
    const before = names.get(row.name)
    if (before === undefined || isLater(row, before)) names.set(row.name, row)
  }
  return latest
}

/** Puts what is beyond the limit of names under the one that stands for others. */
const withinLimit = async (
  tx: LedgerTx,
  workspaceId: string,
  latest: ReadonlyMap<number, Map<string, TraitRow>>,
): Promise<TraitRow[]> => {
  const { rows: counts } = await sql<{ identifier: string; names: string }>`
    select identifier, count(*) as names from profile_traits
    where workspace_id = ${workspaceId}::uuid and identifier = any(${[...latest.keys()]}::bigint[])
    group by identifier`.execute(tx)
  const stored = new Map(counts.map(({ identifier, names }) => [Number(identifier), Number(names)]))
  const crowded = [...latest].filter(
    ([identifier, names]) => (stored.get(identifier) ?? 0) + names.size > traitLimits.names,
  )
  if (crowded.length > 0) {
    const { rows } = await sql<{ identifier: string; name: string }>`
      select identifier, name from profile_traits
      where workspace_id = ${workspaceId}::uuid and identifier = any(${crowded.map(([id]) => id)}::bigint[])`.execute(
      tx,
    )
    const known = Map.groupBy(rows, ({ identifier }) => Number(identifier))
    for (const [identifier, names] of crowded) {
      const there = new Set(known.get(identifier)?.map(({ name }) => name))
      for (const [name, row] of [...names].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        if (there.has(name) || name === otherNames) continue
        if (there.size < traitLimits.names) there.add(name)
        else {
          names.delete(name)
          names.set(otherNames, { ...row, name: otherNames, value: null })
        }
      }
    }
  }
  return [...latest.values()].flatMap((names) => [...names.values()])
}

/**
 * Keeps traits: of each name the latest by its time, and of equal times that of the later event, in whatever order and
 * however often they come. An identifier has at most `traitLimits.names` names; that others came is kept under `otherNames`.
 */
export const writeTraits = async (tx: LedgerTx, workspaceId: string, rows: readonly TraitRow[]): Promise<void> => {
  if (rows.length === 0) return
  const kept = await withinLimit(tx, workspaceId, latestOf(rows))
  await sql`
    insert into profile_traits (workspace_id, identifier, name, value, time, event_id, source_id)
    select ${workspaceId}::uuid, identifier, name, value, time, event_id, source_id
    from json_to_recordset(${JSON.stringify(kept)}::json) as row
      (identifier bigint, name text, value text, time timestamptz, event_id text, source_id uuid)
    on conflict (workspace_id, identifier, name) do update set
      value = excluded.value, time = excluded.time, event_id = excluded.event_id, source_id = excluded.source_id
    where (excluded.time, excluded.event_id) > (profile_traits.time, profile_traits.event_id)`.execute(tx)
}
