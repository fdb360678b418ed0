import { sql } from 'kysely'
import type { LedgerTx } from './ledger.ts'
import { otherNames, traitLimits } from './observe.ts'
import { changesOf, contentOf, earlierKept, isLater, type KeptTrait, type TraitSet } from './trait-changes.ts'

type Sets = ReadonlyMap<number, readonly TraitSet[]>

/**
 * Moves the time of sets that are known to the letter, which is most of what comes, and resolves to the identifiers of
 * which nothing else came: one row is written for all traits of one.
 */
const moveRepeated = async (tx: LedgerTx, workspaceId: string, sets: Sets): Promise<Set<number>> => {
  const rows: object[] = []
  for (const [identifier, [first, ...others]] of sets) {
    if (first === undefined) continue
    const { content } = first
    if (others.some((each) => each.content !== content)) continue
    const { time, event_id, source_id } = others.reduce(
      (latest, each) => (isLater(each, latest) ? each : latest),
      first,
    )
    rows.push({ identifier, content, time, event_id, source_id })
  }
  if (rows.length === 0) return new Set()
  const { rows: known } = await sql<{ identifier: string }>`
    with given as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row
        (identifier bigint, content uuid, time timestamptz, event_id text, source_id uuid)),
    known as materialized (
      select given.*, s.place, (given.time, given.event_id) > (s.time, s.event_id) as is_later
      from given cross join lateral (
        select ctid as place, time, event_id from profile_trait_sets
        where workspace_id = ${workspaceId}::uuid and identifier = given.identifier and content = given.content
        limit 1) s),
    moved as (
      update profile_trait_sets s
      set time = known.time, event_id = known.event_id, source_id = known.source_id
      from known where s.ctid = known.place and known.is_later)
    select identifier from known`.execute(tx)
  return new Set(known.map(({ identifier }) => Number(identifier)))
}

/** What is not of events is later than all of them: its time is infinity. */
type KeptRow = Omit<KeptTrait, 'time'> & { identifier: string; name: string; time: Date | number }

/** What is kept of names that were given, by identifier. */
const readKept = async (
  tx: LedgerTx,
  workspaceId: string,
  sets: Sets,
): Promise<Map<number, Map<string, KeptTrait>>> => {
  if (sets.size === 0) return new Map()
  const kept = new Map([...sets.keys()].map((identifier) => [identifier, new Map<string, KeptTrait>()]))
  const given = [...sets].flatMap(([identifier, own]) =>
    [...new Set(own.flatMap(({ values }) => [...values.keys()]))].map((name) => ({ identifier, name })),
  )
  const { rows } = await sql<KeptRow>`
    select t.* from json_to_recordset(${JSON.stringify(given)}::json) as given (identifier bigint, name text)
    cross join lateral (
      select identifier, name, value, set_id, time, event_id, source_id from current_traits
      where workspace_id = ${workspaceId}::uuid and identifier = given.identifier and name = given.name limit 1) t
    `.execute(tx)
  for (const { identifier, name, time, ...row } of rows)
    kept
      .get(Number(identifier))
      ?.set(name, { ...row, time: typeof time === 'number' ? 'infinity' : time.toISOString() })
  return kept
}

/** How many names are kept of identifiers; of those that have any. */
const countNames = async (
  tx: LedgerTx,
  workspaceId: string,
  identifiers: readonly number[],
): Promise<Map<number, number>> => {
  if (identifiers.length === 0) return new Map()
  const { rows } = await sql<{ identifier: string; names: string }>`
    select asked.identifier, kept.names from unnest(${identifiers}::bigint[]) as asked (identifier)
    cross join lateral (
      select count(*) as names from profile_traits
      where workspace_id = ${workspaceId}::uuid and identifier = asked.identifier and name <> ${otherNames}) kept
    `.execute(tx)
  return new Map(rows.map(({ identifier, names }) => [Number(identifier), Number(names)]))
}

/** Sets without the new names that are beyond the limit, which have the one that stands for others. */
const withinLimit = (
  sets: readonly TraitSet[],
  kept: ReadonlyMap<string, KeptTrait>,
  count: number,
): readonly TraitSet[] => {
  const added = new Set<string>()
  const isKept = (name: string): boolean => {
    if (name === otherNames || kept.has(name) || added.has(name)) return true
    if (count + added.size >= traitLimits.names) return false
    added.add(name)
    return true
  }
  return sets.map((set) => {
    const names = [...set.values.keys()]
    const left = new Set(names.filter((name) => !isKept(name)))
    if (left.size === 0) return set
    const values = new Map([...set.values].filter(([name]) => !left.has(name))).set(otherNames, null)
    return { ...set, values, content: contentOf(values) }
  })
}

/** Takes sets that lost traits for what they are: another one that has all of them is to be looked at, and none is empty. */
const reduceSets = async (tx: LedgerTx, workspaceId: string, left: readonly object[]): Promise<void> => {
  if (left.length === 0) return
  await sql`
    with reduced as materialized (
      select s.ctid as place, exists (
        select from profile_traits t where t.workspace_id = ${workspaceId}::uuid
          and t.identifier = left_set.identifier and t.set_id = left_set.id) as has_more
      from json_to_recordset(${JSON.stringify(left)}::json) as left_set (identifier bigint, id uuid)
      cross join lateral (
        select ctid from profile_trait_sets where workspace_id = ${workspaceId}::uuid
          and identifier = left_set.identifier and id = left_set.id limit 1) s),
    emptied as (
      delete from profile_trait_sets s using reduced where s.ctid = reduced.place and not reduced.has_more)
    update profile_trait_sets s set content = null from reduced where s.ctid = reduced.place and reduced.has_more
    `.execute(tx)
}

/** `known` are those of the sets of whose identifiers something may be kept. */
const writeChanges = async (tx: LedgerTx, workspaceId: string, sets: Sets, known: Sets): Promise<void> => {
  const kept = await readKept(tx, workspaceId, known)
  const keptOf = (identifier: number): ReadonlyMap<string, KeptTrait> => kept.get(identifier) ?? new Map()
  const growing = [...known].filter(([identifier, own]) =>
    own.some(({ values }) => [...values.keys()].some((name) => !keptOf(identifier).has(name))),
  )
  const counts = await countNames(
    tx,
    workspaceId,
    growing.map(([identifier]) => identifier),
  )
  const traits: object[] = []
  const made: object[] = []
  const left: object[] = []
  for (const [identifier, own] of sets) {
    const changes = changesOf(keptOf(identifier), withinLimit(own, keptOf(identifier), counts.get(identifier) ?? 0))
    for (const each of changes.traits) traits.push({ identifier, ...each })
    for (const each of changes.sets) made.push({ identifier, ...each })
    for (const id of changes.left) left.push({ identifier, id })
  }
  if (made.length === 0) return
  if (traits.length > 0)
    await sql`
      insert into profile_traits (workspace_id, identifier, name, value, time, event_id, source_id, set_id, earlier)
      select ${workspaceId}::uuid, identifier, name, value, time, event_id, source_id, set_id, earlier
      from json_to_recordset(${JSON.stringify(traits)}::json) as row
        (identifier bigint, name text, value text, time timestamptz, event_id text, source_id uuid, set_id uuid, earlier jsonb)
      on conflict (workspace_id, identifier, name) do update set
        value = excluded.value, time = excluded.time, event_id = excluded.event_id, source_id = excluded.source_id,
        set_id = excluded.set_id,
        earlier = case when excluded.earlier = '[]' then profile_traits.earlier
          else jsonb_path_query_array(excluded.earlier || profile_traits.earlier,
            ${`$[0 to ${earlierKept - 1}]`}::jsonpath) end`.execute(tx)
  await sql`
    insert into profile_trait_sets (workspace_id, identifier, id, content, time, event_id, source_id)
    select ${workspaceId}::uuid, identifier, id, content, time, event_id, source_id
    from json_to_recordset(${JSON.stringify(made)}::json) as row
      (identifier bigint, id uuid, content uuid, time timestamptz, event_id text, source_id uuid)
    on conflict (workspace_id, identifier, id) do update set content = excluded.content, time = excluded.time,
      event_id = excluded.event_id, source_id = excluded.source_id`.execute(tx)
  await reduceSets(tx, workspaceId, left)
}

/**
 * Keeps traits: of each name the latest by its time, and of equal times that of the later event, in whatever order and
 * however often they come; with the last `earlierKept` values that it had before, as far as those came before it. An identifier
 * has at most `traitLimits.names` names; that others came is kept under `otherNames`. Identifiers that are `newSince` this
 * sequence have no traits yet. The transaction holds the ledger's lock.
 */
export const writeTraits = async (
  tx: LedgerTx,
  workspaceId: string,
  given: readonly TraitSet[],
  newSince: number,
): Promise<void> => {
  const sets = Map.groupBy(given, ({ identifier }) => identifier)
  const known = new Map([...sets].filter(([identifier]) => identifier <= newSince))
  for (const identifier of await moveRepeated(tx, workspaceId, known)) {
    sets.delete(identifier)
    known.delete(identifier)
  }
  if (sets.size > 0) await writeChanges(tx, workspaceId, sets, known)
}

/** Removes the traits of identifiers (the sequences of the operations that brought them), in this transaction. */
export const deleteTraits = async (
  tx: LedgerTx,
  workspaceId: string,
  identifiers: readonly number[],
): Promise<void> => {
  for (const table of ['profile_traits', 'profile_trait_sets'])
    await sql`delete from ${sql.table(table)}
      where workspace_id = ${workspaceId}::uuid and identifier = any(${identifiers}::bigint[])`.execute(tx)
}
