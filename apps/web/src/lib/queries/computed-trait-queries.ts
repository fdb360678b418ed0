import { type ComputedTraitDefinition, methods } from '@tributary/contract'
import { computedTraitIds, workspaceIds } from '../format/names.ts'
import { query, rowsQuery } from './query.ts'

/** Pauses between reads, in ms: `soon` while a trait is being computed, otherwise `later`. */
const looks = { soon: 1_000, later: 10_000 }
const intervalOf = (found: readonly { state: string }[]): number =>
  found.some(({ state }) => state === 'computing') ? looks.soon : looks.later

/** The computed traits of a workspace, newest first. */
export const computedTraitsQuery = (workspace: string) =>
  rowsQuery(
    methods.computedTraits.list,
    { params: workspaceIds(workspace) },
    ({ computed_traits }) => computed_traits,
    { staleTime: 0, refetchInterval: ({ state: { data } }) => intervalOf(data ?? []) },
  )

/** One computed trait by resource name. */
export const computedTraitQuery = (computedTrait: string) =>
  query(
    methods.computedTraits.get,
    { params: computedTraitIds(computedTrait) },
    { staleTime: 0, refetchInterval: ({ state: { data } }) => intervalOf(data === undefined ? [] : [data]) },
  )

/** Time in ms without typing before a definition is computed. */
const typingMs = 400

/** The results of a definition for some profiles now. */
export const computedTraitPreviewQuery = (workspace: string, definition: ComputedTraitDefinition) =>
  query(
    methods.computedTraits.preview,
    { params: workspaceIds(workspace), body: { definition } },
    { wait: typingMs, staleTime: 10_000 },
  )
