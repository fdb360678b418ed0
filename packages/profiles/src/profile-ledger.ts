import type { Database } from '@tributary/storage'
import type { Kysely } from 'kysely'
import { forgetPeople, forgetValues, hashesOfValue, releaseSuppression } from './forget.ts'
import { restoreHashes } from './forgotten-file.ts'
import { type Identifier, identifierKey } from './identifiers.ts'
import { derivedId } from './ids.ts'
import { appendEntries, type LedgerTx, loadGraph, lockLedger } from './ledger.ts'
import { ownerOf } from './owners/owner.ts'

type SplitRequest = {
  readonly profileId: string
  readonly identifiers: readonly Identifier[]
  /** The requesting user. */
  readonly actorId: string
  readonly time: Date
}

/** Why a split is rejected: an identifier is not in the profile, or no identifier would stay. */
type SplitRefusal = 'unknown_identifier' | 'nothing_left'

/**
 * Splits identifiers from a profile, in this transaction. The identifiers get a new profile and are never joined with
 * the remaining identifiers again. Resolves to the ID of the new profile.
 */
const splitProfile = async (
  tx: LedgerTx,
  workspaceId: string,
  { profileId, identifiers, actorId, time }: SplitRequest,
): Promise<{ made: string } | { refused: SplitRefusal }> => {
  const ledger = await lockLedger(tx, workspaceId)
  if (ledger === undefined) return { refused: 'unknown_identifier' }
  const leaving = new Map(identifiers.map((each) => [identifierKey(each), each]))
  const { graph } = await loadGraph(tx, workspaceId, [...leaving.values()], ledger.hasSplits)
  const profile = graph.profiles.get(profileId)
  if (profile === undefined || [...leaving.keys()].some((key) => !profile.identifiers.has(key)))
    return { refused: 'unknown_identifier' }
  if (profile.identifiers.size === leaving.size) return { refused: 'nothing_left' }
  const sequence = ledger.sequence + 1
  const made = derivedId(workspaceId, 'split', String(sequence))
  const operation = { kind: 'split', sequence, profile: profileId, made, identifiers: [...leaving.values()] } as const
  const cause = { eventId: '', sourceId: null, actorId, time: time.toISOString() }
  await appendEntries(tx, workspaceId, [{ operation, cause }])
  return { made }
}

/** Creates the operations of the API on ledgers and on the profiles made from them. */
export const createProfileLedger = (db: Kysely<Database>) => ({
  split: splitProfile,
  ownerOf,
  forget: forgetPeople,
  forgetValues: (workspaceId: string, request: Parameters<typeof forgetValues>[2]): Promise<void> =>
    forgetValues(db, workspaceId, request),
  release: releaseSuppression,
  restoreHashes,
  hashesOf: (workspaceId: string, value: string): Promise<string[]> => hashesOfValue(db, workspaceId, value),
})
