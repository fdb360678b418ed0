import { sql } from 'kysely'
import type { LedgerTx } from './ledger.ts'
import { otherNames, traitLimits } from './observe.ts'

/** Values that a trait had before that are kept, and the characters of one as JSON: of a longer one that it was there. */
const earlierKept = 10
const earlierLength = 1024

/** A value that a trait had, and where it came from; `time` is RFC 3339. */
type Given = Pick<TraitRow, 'value' | 'time' | 'event_id' | 'source_id'>

/** A trait with the values it had before, latest first; each differs from the next. */
type TraitChain = TraitRow & { readonly earlier: readonly Given[] }

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

const givenBy = ({ value, time, event_id, source_id }: TraitRow): Given => ({
  value: value !== null && value.length <= earlierLength ? value : null,
  time,
  event_id,
  source_id,
})

/** Of rows of one trait the latest, with those before it whose values differ. */
const chainOf = (rows: readonly TraitRow[]): TraitChain | undefined => {
  const [latest, ...others] = rows.length === 1 ? rows : rows.toSorted((a, b) => (isLater(a, b) ? -1 : 1))
  if (latest === undefined) return undefined
  const changes = others.filter((row, index) => row.value !== (others[index - 1] ?? latest).value)
  return { ...latest, earlier: changes.slice(0, earlierKept).map(givenBy) }
}

/** Of rows with the same identifier and name the latest one, by time and then by event. */
const latestOf = (rows: readonly TraitRow[]): Map<number, Map<string, TraitChain>> => {
  const latest = new Map<number, Map<string, TraitChain>>()
  for (const [identifier, own] of Map.groupBy(rows, (row) => row.identifier)) {
    const names = new Map<string, TraitChain>()
    for (const [name, given] of Map.groupBy(own, (row) => row.name)) {
      const chain = chainOf(given)
      if (chain !== undefined) names.set(name, chain)
    }
    latest.set(identifier, names)
  }
  return latest
}

/** Puts what is beyond the limit of names under the one that stands for others. */
const withinLimit = async (
  tx: LedgerTx,
  workspaceId: string,
  latest: ReadonlyMap<number, Map<string, TraitChain>>,
): Promise<TraitChain[]> => {
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
          names.set(otherNames, { ...row, name: otherNames, value: null, earlier: [] })
        }
      }
    }
  }
  return [...latest.values()].flatMap((names) => [...names.values()])
}

/** The value before the first one of a chain that is to be written. */
const before = sql`case when jsonb_array_length(excluded.earlier) = 0 then excluded.value
  else excluded.earlier -> -1 ->> 'value' end`

/** What is there, as a value of before. Its time is as JavaScript writes times. */
const there = sql`jsonb_build_object(
  'value', case when length(profile_traits.value) <= ${earlierLength} then profile_traits.value end, 'event_id', profile_traits.event_id,
  'source_id', profile_traits.source_id,
  'time', to_char(profile_traits.time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`

/**
 * Keeps traits: of each name the latest by its time, and of equal times that of the later event, in whatever order and
 * however often they come; with the last `earlierKept` values that it had before, as far as those came before it. An identifier
 * has at most `traitLimits.names` names; that others came is kept under `otherNames`.
 */
export const writeTraits = async (tx: LedgerTx, workspaceId: string, rows: readonly TraitRow[]): Promise<void> => {
  if (rows.length === 0) return
  const kept = await withinLimit(tx, workspaceId, latestOf(rows))
  await sql`
    insert into profile_traits (workspace_id, identifier, name, value, time, event_id, source_id, earlier)
    select ${workspaceId}::uuid, identifier, name, value, time, event_id, source_id, earlier
    from json_to_recordset(${JSON.stringify(kept)}::json) as row
      (identifier bigint, name text, value text, time timestamptz, event_id text, source_id uuid, earlier jsonb)
    on conflict (workspace_id, identifier, name) do update set
      value = excluded.value, time = excluded.time, event_id = excluded.event_id, source_id = excluded.source_id,
      earlier = case
        when excluded.earlier = '[]' and excluded.value is not distinct from profile_traits.value
        then profile_traits.earlier
        else jsonb_path_query_array(excluded.earlier
          || case when profile_traits.value is distinct from (${before}) then jsonb_build_array(${there}) else '[]' end
          || profile_traits.earlier, ${`$[0 to ${earlierKept - 1}]`}::jsonpath) end
    where (excluded.time, excluded.event_id) > (profile_traits.time, profile_traits.event_id)`.execute(tx)
}
