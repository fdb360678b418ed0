import { type Identifier, identifierKey, maxIdentifiers, previousId } from './identifiers.ts'
import {
  applyOperation,
  type IdentityGraph,
  type Known,
  type Learned,
  type Operation,
  type Refusal,
} from './operations.ts'

/** What one event says of who is who. */
export type Observation = {
  /** The one whose profile the event belongs to, and then the others by their priority; at least one. */
  readonly identifiers: readonly Identifier[]
  /** Of an alias call: the id that the person was known by before, if it is usable. */
  readonly previous?: string | undefined
}

/** Refusals that are written down of a profile: an id that changes with every event would write without end. */
const refusalsKept = 20

/** Kinds of ids that an alias call may mean by its previous id. */
const aliased = ['user_id', 'anonymous_id'] as const

/** The identifiers whose profiles an observation needs: its own, and what alias calls may have said of them, if there were any. */
export const neededFor = ({ identifiers, previous }: Observation, hasPrevious: boolean): Identifier[] => [
  ...identifiers,
  ...(hasPrevious ? identifiers.filter(({ type }) => aliased.some((each) => each === type)) : []).map(({ value }) => ({
    type: previousId,
    value,
  })),
  ...(previous === undefined ? [] : [...aliased, previousId].map((type) => ({ type, value: previous }))),
]

const countsOf = ({ identifiers }: Pick<Known, 'identifiers'>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { type } of identifiers.values()) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}

/** Whether two sets of identifiers are too many for one profile. An alias call says that they are one person: only the total holds. */
const isTooMany = (
  one: Pick<Known, 'identifiers'>,
  other: Pick<Known, 'identifiers'>,
  alias: boolean,
  limitOf: (type: string) => number,
): boolean => {
  if (one.identifiers.size + other.identifiers.size > maxIdentifiers) return true
  if (alias) return false
  const counts = countsOf(one)
  return [...countsOf(other)].some(([type, count]) => {
    const own = counts.get(type) ?? 0
    // What one side has alone does not become more.
    return type !== previousId && own > 0 && own + count > limitOf(type)
  })
}

const areApart = (
  graph: IdentityGraph,
  one: Pick<Known, 'identifiers'>,
  other: Pick<Known, 'identifiers'>,
): boolean => {
  if (graph.apart.size === 0) return false
  const [few, many] = one.identifiers.size <= other.identifiers.size ? [one, other] : [other, one]
  return [...few.identifiers.keys()].some((key) => {
    const apart = graph.apart.get(key)
    return apart !== undefined && [...many.identifiers.keys()].some((each) => apart.has(each))
  })
}

export type ResolveDeps = {
  /** How many identifiers of a kind a profile may have. */
  limitOf(type: string): number
  /** All profiles, refusals and splits that `neededFor` leads to; what is learned is applied to it. */
  graph: IdentityGraph
  /** The id of a profile that begins with an identifier. */
  profileIdOf(identifier: Identifier): string
  /** The sequence of the next operation. */
  next(): number
  /** Told what was learned, in order. */
  learn(operation: Operation): void
}

/**
 * Brings together what an observation shows to be one person, and tells what was learned by it: nothing, when all of it was
 * known. While no limit is reached and nothing was split, the same observations give the same sets of identifiers in any
 * order. At a limit identifiers are left out, those of lowest priority first.
 */
export const resolve = (deps: ResolveDeps, { identifiers, previous }: Observation): void => {
  const { graph } = deps

  const learn = (learned: Learned): void => {
    const operation = { ...learned, sequence: deps.next() }
    applyOperation(graph, operation)
    deps.learn(operation)
  }
  const ownerOf = (identifier: Identifier): Known | undefined => {
    const id = graph.owners.get(identifierKey(identifier))
    return id === undefined ? undefined : graph.profiles.get(id)
  }
  const refuse = (profile: Known, identifier: Identifier, by: Identifier, reason: Refusal): void => {
    if (profile.refused.size >= refusalsKept || profile.refused.has(identifierKey(identifier))) return
    learn({ kind: 'refuse', profile: profile.id, identifier, by, reason })
  }

  /** Why a profile cannot have these identifiers, too. */
  const obstacle = (profile: Known, other: Pick<Known, 'identifiers'>, alias: boolean): Refusal | undefined =>
    areApart(graph, profile, other) ? 'split' : isTooMany(profile, other, alias, deps.limitOf) ? 'limit' : undefined

  /** Brings an identifier, with whoever is known by it, into the profile of `by`. */
  const join = (by: Identifier, identifier: Identifier, alias: boolean): void => {
    const profile = ownerOf(by)
    if (profile === undefined) return
    const other = ownerOf(identifier)
    if (other === profile) return
    const added = other ?? { identifiers: new Map([[identifierKey(identifier), identifier]]) }
    const reason = obstacle(profile, added, alias)
    if (reason !== undefined) return refuse(profile, identifier, by, reason)
    if (other === undefined) return learn({ kind: 'link', profile: profile.id, identifier, by, alias })
    const [stays, goes] = profile.sequence < other.sequence ? [profile, other] : [other, profile]
    learn({ kind: 'merge', profile: stays.id, merged: goes.id, identifier, by, alias })
  }

  /** Gives an identifier that is seen first to whom an alias call has named it before. */
  const recall = (identifier: Identifier): void => {
    if (!aliased.some((each) => each === identifier.type) || ownerOf(identifier) !== undefined) return
    join({ type: previousId, value: identifier.value }, identifier, true)
  }

  const [first, ...others] = identifiers
  if (first === undefined) return
  recall(first)
  if (ownerOf(first) === undefined) learn({ kind: 'create', profile: deps.profileIdOf(first), identifier: first })
  for (const other of others) {
    recall(other)
    join(first, other, false)
  }
  if (previous === undefined || previous === first.value) return
  for (const type of [previousId, ...aliased]) {
    const identifier = { type, value: previous }
    // Only what is known under it: nobody knows yet which kind it is of.
    if (type === previousId || ownerOf(identifier) !== undefined) join(first, identifier, true)
  }
}
