import {
  moveTraitSets,
  type NewTrait,
  type NewTraitSet,
  reduceTraitSets,
  writeProfileTraits,
  writeTraitSets,
} from '@tributary/storage'
import { sql } from 'kysely'
import type { LedgerTx } from './ledger.ts'
import { otherNames, traitLimits } from './observe.ts'
import { changesOf, contentOf, earlierKept, isLater, type KeptTrait, type TraitSet } from './trait-changes.ts'

type Sets = ReadonlyMap<number, readonly TraitSet[]>

/**
 * Updates the time of sets that are stored with the same content, which are most of the input. One row is written for
 * all traits of an identifier. Returns the identifiers that need nothing else.
 */
const moveRepeated = async (tx: LedgerTx, workspaceId: string, sets: Sets): Promise<Set<number>> => {
  const rows: Omit<NewTraitSet, 'id'>[] = []
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
  return await moveTraitSets(tx, workspaceId, rows)
}

/**
 * A row of a stored trait. The time is infinity for a value that no event set, so that it counts as the latest value.
 */
type KeptRow = Omit<KeptTrait, 'time'> & { identifier: string; name: string; time: Date | number }

/** Reads the stored traits of the given names, by identifier. */
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

/** Returns the number of stored names by identifier; identifiers without names are absent. */
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

/** Replaces new names beyond the limit by `otherNames`. */
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

/**
 * Writes the changes that sets of traits make to stored traits. `known` has the sets of those identifiers that may
 * already have stored traits. Returns the identifiers of which a value changed.
 */
const writeChanges = async (tx: LedgerTx, workspaceId: string, sets: Sets, known: Sets): Promise<number[]> => {
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
  const traits: NewTrait[] = []
  const made: NewTraitSet[] = []
  const left: { identifier: number; id: string }[] = []
  const changed: number[] = []
  for (const [identifier, own] of sets) {
    const changes = changesOf(keptOf(identifier), withinLimit(own, keptOf(identifier), counts.get(identifier) ?? 0))
    for (const each of changes.traits) traits.push({ identifier, ...each })
    if (changes.traits.some(({ name, value }) => keptOf(identifier).get(name)?.value !== value))
      changed.push(identifier)
    for (const each of changes.sets) made.push({ identifier, ...each })
    for (const id of changes.left) left.push({ identifier, id })
  }
  if (made.length === 0) return []
  await writeProfileTraits(tx, workspaceId, traits, earlierKept)
  await writeTraitSets(tx, workspaceId, made)
  await reduceTraitSets(tx, workspaceId, left)
  return changed
}

/**
 * Stores traits. Each name gets its latest value by time, and for equal times the value of the later event ID, in any
 * order and with repetitions. Keeps the last `earlierKept` earlier values, if they arrived before the latest value. An
 * identifier has at most `traitLimits.names` names; further names are stored under `otherNames`. Identifiers added
 * after the sequence `newSince` have no traits yet. The transaction must hold the ledger's lock. Resolves to the
 * identifiers of which a value changed. A later time of the same value is no such change.
 */
export const writeTraits = async (
  tx: LedgerTx,
  workspaceId: string,
  given: readonly TraitSet[],
  newSince: number,
): Promise<readonly number[]> => {
  const sets = Map.groupBy(given, ({ identifier }) => identifier)
  const known = new Map([...sets].filter(([identifier]) => identifier <= newSince))
  for (const identifier of await moveRepeated(tx, workspaceId, known)) {
    sets.delete(identifier)
    known.delete(identifier)
  }
  return sets.size > 0 ? await writeChanges(tx, workspaceId, sets, known) : []
}
