import { type Identifier, identifierKey } from './identifiers.ts'

/** Why identifiers were not joined: a limit of the profile, or an earlier split. */
export type Refusal = 'limit' | 'split'

/** A change of identities. Profiles are computed from these alone, in their order. */
export type Learned =
  /** An identifier was seen for the first time, without a known profile. */
  | { kind: 'create'; profile: string; identifier: Identifier }
  /** An identifier was seen for the first time, in an event with an identifier (`by`) of a profile. */
  | { kind: 'link'; profile: string; identifier: Identifier; by: Identifier; alias: boolean }
  /**
   * Two profiles became one, because an event had `identifier` of one profile and `by` of the other. The profile that
   * was seen first stays.
   */
  | { kind: 'merge'; profile: string; merged: string; identifier: Identifier; by: Identifier; alias: boolean }
  /** An event had an identifier and `by` of a profile, but the identifier was not added to that profile. */
  | { kind: 'refuse'; profile: string; identifier: Identifier; by: Identifier; reason: Refusal }
  /** A user split identifiers from a profile into a new profile (`made`). */
  | { kind: 'split'; profile: string; made: string; identifiers: readonly Identifier[] }
  /** A person is to be deleted: the operation removes all identifiers from the profile. */
  | { kind: 'erase'; profile: string }

/** A change with its position in the ledger of its workspace. */
export type Operation = Learned & { readonly sequence: number }

/** A profile, with the data that identity resolution needs. */
export type Known = {
  readonly id: string
  /** The sequence of the operation that created the profile. */
  readonly sequence: number
  readonly identifiers: Map<string, Identifier>
  /** Keys of rejected identifiers. */
  readonly refused: Set<string>
}

/** The profiles of a workspace, or the needed part of them. */
export type IdentityGraph = {
  readonly profiles: Map<string, Known>
  /** The profile ID of each identifier, by key. */
  readonly owners: Map<string, string>
  /**
   * The keys of identifiers that must never share a profile with an identifier, by the key of that identifier. Each
   * pair is stored in both directions.
   */
  readonly apart: Map<string, Set<string>>
}

/** Creates a graph without profiles. */
export const emptyGraph = (): IdentityGraph => ({ profiles: new Map(), owners: new Map(), apart: new Map() })

const keepApart = ({ apart }: IdentityGraph, one: string, other: string): void => {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    const keys = apart.get(from) ?? new Set()
    apart.set(from, keys.add(to))
  }
}

const profileOf = ({ profiles }: IdentityGraph, id: string): Known => {
  const found = profiles.get(id)
  if (found === undefined) throw new Error(`An operation names the profile ${id}, which is not known`)
  return found
}

/** Adds an empty profile to a graph. */
export const addProfile = (graph: IdentityGraph, id: string, sequence: number): Known => {
  const made: Known = { id, sequence, identifiers: new Map(), refused: new Set() }
  graph.profiles.set(id, made)
  return made
}

/** Adds an identifier to a profile. */
export const giveIdentifier = (graph: IdentityGraph, profile: Known, identifier: Identifier): void => {
  const key = identifierKey(identifier)
  profile.identifiers.set(key, identifier)
  graph.owners.set(key, profile.id)
}

const split = (graph: IdentityGraph, operation: Operation & { kind: 'split' }): void => {
  const from = profileOf(graph, operation.profile)
  const made = addProfile(graph, operation.made, operation.sequence)
  for (const identifier of operation.identifiers) {
    from.identifiers.delete(identifierKey(identifier))
    giveIdentifier(graph, made, identifier)
  }
  for (const staying of from.identifiers.keys())
    for (const leaving of made.identifiers.keys()) keepApart(graph, staying, leaving)
}

const erase = (graph: IdentityGraph, id: string): void => {
  for (const key of profileOf(graph, id).identifiers.keys()) {
    graph.owners.delete(key)
    for (const other of graph.apart.get(key) ?? []) graph.apart.get(other)?.delete(key)
    graph.apart.delete(key)
  }
  graph.profiles.delete(id)
}

/**
 * Applies an operation to a graph. All operations of a workspace, applied in order to an empty graph, result in its
 * profiles. Throws if the operation names a profile that does not exist.
 */
export const applyOperation = (graph: IdentityGraph, operation: Operation): void => {
  if (operation.kind === 'create')
    giveIdentifier(graph, addProfile(graph, operation.profile, operation.sequence), operation.identifier)
  else if (operation.kind === 'link') giveIdentifier(graph, profileOf(graph, operation.profile), operation.identifier)
  else if (operation.kind === 'refuse')
    profileOf(graph, operation.profile).refused.add(identifierKey(operation.identifier))
  else if (operation.kind === 'split') split(graph, operation)
  else if (operation.kind === 'erase') erase(graph, operation.profile)
  else {
    const [stays, goes] = [profileOf(graph, operation.profile), profileOf(graph, operation.merged)]
    for (const identifier of goes.identifiers.values()) giveIdentifier(graph, stays, identifier)
    for (const key of goes.refused) stays.refused.add(key)
    graph.profiles.delete(goes.id)
  }
}
