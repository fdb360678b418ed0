import { derivedId } from './ids.ts'

/**
 * Maximum of earlier values kept of a trait, and of the characters of one as JSON: of a longer one only its existence
 * is kept.
 */
export const earlierKept = 10
export const earlierLength = 1024

/** The event that gave a value; `time` is RFC 3339. */
export type Giver = { readonly time: string; readonly event_id: string; readonly source_id: string }

/** A value of a trait, as JSON text, and the event that last gave it; null was too large. */
export type Given = Giver & { readonly value: string | null }

/** The traits of one event for an identifier (the sequence of the operation that brought it), by name. */
export type TraitSet = Giver & {
  readonly identifier: number
  readonly values: ReadonlyMap<string, string | null>
  /** The result of `contentOf`. */
  readonly content: string
}

/**
 * A stored trait, with the event that last gave it; `set_id` is the set of that event, null where there were no sets
 * yet.
 */
export type KeptTrait = Given & { readonly set_id: string | null }

/** A trait to write. `earlier` are its values since the stored one, latest first. */
export type ChangedTrait = Given & {
  readonly name: string
  readonly set_id: string
  readonly earlier: readonly Given[]
}

/** The traits of one event that are the latest, as a set; the ID is of their names. */
export type ChangedSet = Giver & { readonly id: string; readonly content: string }

export type TraitChanges = {
  readonly traits: readonly ChangedTrait[]
  readonly sets: readonly ChangedSet[]
  /** Sets that lost traits, or have none any more. */
  readonly left: ReadonlySet<string>
}

/** An ID of names and values: equal for equal ones, in any order. */
export const contentOf = (values: ReadonlyMap<string, string | null>): string =>
  derivedId(JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1))))

/** An ID of names, in any order. */
const idOf = (names: Iterable<string>): string => derivedId(JSON.stringify([...names].sort()))

/** Whether one event is later than another: by time, and then by event ID. */
export const isLater = (one: Giver, other: Giver): boolean =>
  one.time === other.time ? one.event_id > other.event_id : one.time > other.time

const givenBy = (value: string | null, { time, event_id, source_id }: Giver): Given => ({
  value: value !== null && value.length <= earlierLength ? value : null,
  time,
  event_id,
  source_id,
})

/** A trait while events change it; `values` are its earlier ones, latest last. */
type Changing = { value: string | null; giver: TraitSet; readonly values: Given[] }

/**
 * Computes the changes of traits by sets of one identifier, in the order in which they came: each name has the latest
 * value. Late sets change nothing. Repeated sets change nothing.
 */
export const changesOf = (kept: ReadonlyMap<string, KeptTrait>, sets: readonly TraitSet[]): TraitChanges => {
  const changing = new Map<string, Changing>()
  for (const set of sets)
    for (const [name, value] of set.values) {
      const known = changing.get(name)
      const before = known ?? kept.get(name)
      const giver = known?.giver ?? kept.get(name)
      if (before !== undefined && giver !== undefined && !isLater(set, giver)) continue
      const values = known?.values ?? []
      if (before !== undefined && giver !== undefined && before.value !== value)
        values.push(givenBy(before.value, giver))
      changing.set(name, { value, giver: set, values })
    }
  const traits: ChangedTrait[] = []
  const made: ChangedSet[] = []
  const left = new Set<string>()
  for (const [giver, own] of Map.groupBy(changing, ([, { giver }]) => giver)) {
    const { time, event_id, source_id } = giver
    const id = idOf(own.map(([name]) => name))
    const isWhole = own.length === giver.values.size
    const content = isWhole ? giver.content : contentOf(new Map(own.map(([name, { value }]) => [name, value])))
    made.push({ id, content, time, event_id, source_id })
    for (const [name, { value, values }] of own) {
      const before = kept.get(name)
      if (before !== undefined && before.set_id !== null && before.set_id !== id) left.add(before.set_id)
      if (before === undefined || before.set_id !== id || before.value !== value || values.length > 0)
        traits.push({
          name,
          value,
          time,
          event_id,
          source_id,
          set_id: id,
          earlier: values.slice(-earlierKept).reverse(),
        })
    }
  }
  return { traits, sets: made, left }
}
