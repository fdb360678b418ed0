import { type Identifier, identifierKey, maxIdentifiers, previousId } from './identifiers.ts'
import {
  applyOperation,
  type IdentityGraph,
  type Known,
  type Learned,
  type Operation,
  type Refusal,
} from './operations.ts'

/** The identity facts of one event. */
export type Observation = {
  /**
   * The identifier whose profile owns the event, followed by the other identifiers in order of priority; at least one.
   */
  readonly identifiers: readonly Identifier[]
  /** For an alias call: the user's previous ID, if it is usable. */
  readonly previous?: string | undefined
}

/**
 * Maximum rejections that are stored for a profile. Without a limit, an ID that changes with every event would add
 * entries without end.
 */
const refusalsKept = 20

/** The types that the previous ID of an alias call may have. */
const aliased = ['user_id', 'anonymous_id'] as const

/**
 * Returns the identifiers whose profiles an observation needs: its own identifiers, and the previous IDs that alias
 * calls replaced by them.
 */
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

/**
 * The evidence that joins identifiers: one event contains both (`event`); or the previous ID of an alias call is a user
 * ID (`user_alias`) or anything else (`device_alias`).
 */
type Evidence = 'event' | 'user_alias' | 'device_alias'

/**
 * Whether two sets of identifiers together exceed the limits of one profile. After an alias call between user IDs, the
 * limits of types do not apply, because the call states that both are one person. Only such a call can make two users
 * one person, because several people may use one device.
 */
const isTooMany = (
  one: Pick<Known, 'identifiers'>,
  other: Pick<Known, 'identifiers'>,
  evidence: Evidence,
  limitOf: (type: string) => number,
): boolean => {
  if (one.identifiers.size + other.identifiers.size > maxIdentifiers) return true
  if (evidence === 'user_alias') return false
  const counts = countsOf(one)
  return [...countsOf(other)].some(([type, count]) => {
    const own = counts.get(type) ?? 0
    // A type that only one side has does not get more identifiers by the join.
    if (own === 0 || type === previousId || (evidence === 'device_alias' && type !== 'user_id')) return false
    return own + count > limitOf(type)
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
  /** Returns the maximum identifiers of a type in a profile. */
  limitOf(type: string): number
  /** All profiles, rejections, and splits that `neededFor` refers to; operations are applied to this graph. */
  graph: IdentityGraph
  /** Returns the ID of the profile that begins with an identifier. */
  profileIdOf(identifier: Identifier): string
  /** Returns the sequence of the next operation. */
  next(): number
  /** Called with each operation, in order. */
  learn(operation: Operation): void
}

/**
 * Joins the identifiers of an observation in one profile, and passes the operations to `learn`. There are none if all
 * identifiers were joined before. Without a reached limit or a split, the same observations result in the same sets of
 * identifiers in any order. At a limit, identifiers of lowest priority are omitted first.
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

  /** Returns why a profile cannot have the identifiers of the other profile; undefined if it can. */
  const obstacle = (profile: Known, other: Pick<Known, 'identifiers'>, evidence: Evidence): Refusal | undefined =>
    areApart(graph, profile, other) ? 'split' : isTooMany(profile, other, evidence, deps.limitOf) ? 'limit' : undefined

  /** Joins an identifier to the profile of `by`, with the identifier's own profile if there is one. */
  const join = (by: Identifier, identifier: Identifier, evidence: Evidence): void => {
    const profile = ownerOf(by)
    if (profile === undefined) return
    const other = ownerOf(identifier)
    if (other === profile) return
    const added = other ?? { identifiers: new Map([[identifierKey(identifier), identifier]]) }
    const reason = obstacle(profile, added, evidence)
    if (reason !== undefined) return refuse(profile, identifier, by, reason)
    const alias = evidence !== 'event'
    if (other === undefined) return learn({ kind: 'link', profile: profile.id, identifier, by, alias })
    const [stays, goes] = profile.sequence < other.sequence ? [profile, other] : [other, profile]
    learn({ kind: 'merge', profile: stays.id, merged: goes.id, identifier, by, alias })
  }

  /** Joins a new identifier to the profile for which an earlier alias call named the identifier. */
  const recall = (identifier: Identifier): void => {
    if (!aliased.some((each) => each === identifier.type) || ownerOf(identifier) !== undefined) return
    const evidence = identifier.type === 'user_id' ? 'user_alias' : 'device_alias'
    join({ type: previousId, value: identifier.value }, identifier, evidence)
  }

  /**
   * Applies an alias call of a user: the identifiers and profiles of its previous ID are joined to the user. A device
   * ID stays in the profile of another user.
   */
  const follow = (user: Identifier, previous: string): void => {
    const isUser = ownerOf({ type: 'user_id', value: previous }) !== undefined
    for (const type of [previousId, ...aliased]) {
      const identifier = { type, value: previous }
      const evidence = isUser && type !== 'anonymous_id' ? 'user_alias' : 'device_alias'
      // Only a known identifier is joined, because the type of an unknown previous ID is not decided yet.
      if (type === previousId || ownerOf(identifier) !== undefined) join(user, identifier, evidence)
    }
  }

  const [first, ...others] = identifiers
  if (first === undefined) return
  recall(first)
  if (ownerOf(first) === undefined) learn({ kind: 'create', profile: deps.profileIdOf(first), identifier: first })
  for (const other of others) {
    recall(other)
    join(first, other, 'event')
  }
  // An alias call without a usable user ID joins nothing.
  if (previous !== undefined && previous !== first.value && first.type === 'user_id') follow(first, previous)
}
