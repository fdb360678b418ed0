import { type Db, readSuppressed } from '@tributary/api-kit'
import type { ComputedTraitDefinition } from '@tributary/contract'
import type { ComputedValue, EventStore } from '@tributary/storage'
import { compileComputedTrait, type Scope, type ValueRow, valueOf, windowMs } from './compile.ts'

/** Returns the number of a profile in the event store: the first 8 bytes of its ID. */
export const numberOfProfile = (profileId: string): bigint => BigInt(`0x${profileId.replaceAll('-', '').slice(0, 16)}`)

/** The profiles for which a trait is computed. `profiles` are the IDs of the profiles in the scope. */
export type ComputationRequest = {
  workspaceId: string
  definition: ComputedTraitDefinition
  profiles: readonly string[]
  scope: Scope
  /** Epoch ms. */
  asOf: number
  slot: 'short' | 'heavy'
  signal?: AbortSignal | undefined
}

/**
 * Computes a trait for profiles from the stored events. Profiles without a value are not in the result. Rejects with
 * the errors of the event store.
 */
export const computeValues = async (
  { db, eventStore }: { db: Db; eventStore: Pick<EventStore, 'query'> },
  { workspaceId, definition, profiles, scope, asOf, slot, signal }: ComputationRequest,
): Promise<Map<string, ComputedValue>> => {
  if (profiles.length === 0) return new Map()
  const suppressed = await readSuppressed(db, [workspaceId])
  const { text, params } = compileComputedTrait(definition, { workspaceId, asOf, scope, suppressed })
  const rows = await eventStore.query<ValueRow>(text, params, {
    owner: workspaceId,
    slot,
    ...(signal === undefined ? {} : { signal }),
  })
  const idOf = new Map(profiles.map((id) => [String(numberOfProfile(id)), id]))
  const window = windowMs(definition)
  const values = new Map<string, ComputedValue>()
  for (const row of rows) {
    const id = idOf.get(row.profile)
    if (id === undefined) continue
    const due = window === undefined ? undefined : Number(row.edge) + window
    values.set(id, { value: valueOf(definition.operation, row), due })
  }
  return values
}
