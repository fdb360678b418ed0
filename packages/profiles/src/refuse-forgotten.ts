import { valuesOf } from '@tributary/storage'
import { sql } from 'kysely'
import { identifierHash } from './forget.ts'
import { type Identifier, previousId } from './identifiers.ts'
import type { LedgerState, LedgerTx } from './ledger.ts'
import type { Observed } from './observe.ts'

/**
 * Why an event with identifiers has no profile: its user was deleted after the event was received, or is suppressed.
 */
export type Forgotten = 'deleted' | 'suppressed'

type HashRow = { hash: string; delete_time: Date | null; suppress_time: Date | null }

/** Returns the identifiers that the previous ID of an alias call can stand for. */
const previousOf = (previous: string): Identifier[] =>
  ['user_id', 'anonymous_id', previousId].map((type) => ({ type, value: previous }))

export type Remaining = {
  /** Observations to learn, without the identifiers of deleted or suppressed people. */
  observations: readonly Observed[]
  /** Observations without a profile, with the reason. */
  refused: Map<Observed, Forgotten>
  /** Observations that lost an identifier. A later event with the same facts may add the identifier. */
  shortened: Set<Observed>
}

/**
 * Leaves out facts of people who were deleted after the events were received, or are suppressed. An event that belongs
 * to such a person gets no profile; any other event only loses the identifier. Counts rejected events of suppressed
 * people.
 */
export const withoutForgotten = async (
  tx: LedgerTx,
  workspaceId: string,
  { privacyKey: key }: LedgerState,
  observations: readonly Observed[],
): Promise<Remaining> => {
  const refused = new Map<Observed, Forgotten>()
  const shortened = new Set<Observed>()
  if (key === undefined) return { observations, refused, shortened }
  const hashes = new Map<Identifier, string>()
  for (const { identifiers, previous } of observations)
    for (const each of previous === undefined ? identifiers : [...identifiers, ...previousOf(previous)])
      hashes.set(each, identifierHash(key, each))
  const { rows } = await sql<HashRow>`
    select hash, delete_time, suppress_time from privacy_hashes
    where workspace_id = ${workspaceId}::uuid and hash = any(${[...new Set(hashes.values())]}::text[])`.execute(tx)
  if (rows.length === 0) return { observations, refused, shortened }
  const known = new Map(rows.map((row) => [row.hash, row]))
  const suppressed = new Map<string, number>()
  const remaining: Observed[] = []
  for (const observed of observations) {
    const receivedAt = Date.parse(valuesOf(observed.event).receivedAt)
    const reasonOf = (hash: string): Forgotten | undefined => {
      const row = known.get(hash)
      if (row === undefined) return undefined
      if (row.suppress_time !== null) return 'suppressed'
      return row.delete_time !== null && receivedAt <= row.delete_time.getTime() ? 'deleted' : undefined
    }
    const hashOf = (identifier: Identifier): string => hashes.get(identifier) ?? ''
    const [first] = observed.identifiers
    const reason = first === undefined ? undefined : reasonOf(hashOf(first))
    if (first !== undefined && reason !== undefined) {
      refused.set(observed, reason)
      if (reason === 'suppressed') suppressed.set(hashOf(first), (suppressed.get(hashOf(first)) ?? 0) + 1)
      continue
    }
    const { previous } = observed
    const left = observed.identifiers.filter((each) => reasonOf(hashOf(each)) === undefined)
    const isPreviousForgotten =
      previous !== undefined && previousOf(previous).some((each) => reasonOf(identifierHash(key, each)) !== undefined)
    if (left.length === observed.identifiers.length && !isPreviousForgotten) {
      remaining.push(observed)
      continue
    }
    shortened.add(observed)
    remaining.push({ ...observed, identifiers: left, previous: isPreviousForgotten ? undefined : previous })
  }
  if (suppressed.size > 0)
    await sql`update privacy_hashes h set refused_events = h.refused_events + row.events
      from unnest(${[...suppressed.keys()]}::text[], ${[...suppressed.values()]}::bigint[]) as row (hash, events)
      where h.workspace_id = ${workspaceId}::uuid and h.hash = row.hash`.execute(tx)
  return { observations: remaining, refused, shortened }
}
