import { derivedId } from './ids.ts'

/**
 * Maximum number of earlier values of a trait that are kept, and maximum characters of such a value as JSON. A longer
 * value is only kept as the fact that it existed.
 */
export const earlierKept = 10
export const earlierLength = 1024

/** The event that set a value; `time` is RFC 3339. */
export type Giver = { readonly time: string; readonly event_id: string; readonly source_id: string }

/** A value of a trait as JSON text, and the event that last set it. Null means that the value was too large. */
export type Given = Giver & { readonly value: string | null }

/**
 * The traits that one event sets for an identifier, by name. `identifier` is the sequence of the operation that added
 * the identifier.
 */
export type TraitSet = Giver & {
  readonly identifier: number
  readonly values: ReadonlyMap<string, string | null>
  /** ID of the names and values: the result of `contentOf`. */
  readonly content: string
}

/**
 * A stored trait, with the event that last set it. `set_id` is the set of that event's traits; null for traits that
 * were stored before sets existed.
 */
export type KeptTrait = Given & { readonly set_id: string | null }

/** A trait to write. `earlier` contains the values between the stored value and the new one, latest first. */
export type ChangedTrait = Given & {
  readonly name: string
  readonly set_id: string
  readonly earlier: readonly Given[]
}

/** The current traits that come from one event, as a set; the ID is computed from their names. */
export type ChangedSet = Giver & { readonly id: string; readonly content: string }

export type TraitChanges = {
  readonly traits: readonly ChangedTrait[]
  readonly sets: readonly ChangedSet[]
  /** IDs of sets that lost traits or are empty now. */
  readonly left: ReadonlySet<string>
}

/** Returns an ID of names and values: equal for equal content, in any order. */
export const contentOf = (values: ReadonlyMap<string, string | null>): string =>
  derivedId(JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1))))

/** Returns an ID of a set of names, in any order. */
const idOf = (names: Iterable<string>): string => derivedId(JSON.stringify([...names].sort()))

/** Whether one event is later than another, compared by time, and then by event ID. */
export const isLater = (one: Omit<Giver, 'source_id'>, other: Omit<Giver, 'source_id'>): boolean =>
  one.time === other.time ? one.event_id > other.event_id : one.time > other.time

const givenBy = (value: string | null, { time, event_id, source_id }: Giver): Given => ({
  value: value !== null && value.length <= earlierLength ? value : null,
  time,
  event_id,
  source_id,
})

/** A trait while events change it; `values` are its earlier values, latest last. */
type Changing = { value: string | null; giver: TraitSet; readonly values: Given[] }

/**
 * Computes the changes of an identifier's traits by sets, in the order of their arrival: each name gets the latest
 * value. Late and repeated sets change nothing.
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
