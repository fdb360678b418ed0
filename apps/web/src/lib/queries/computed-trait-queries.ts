import { type ComputedTraitDefinition, methods } from '@tributary/contract'
import { computedTraitIds, workspaceIds } from '../format/names.ts'
import { query, rowsQuery } from './query.ts'

/** How often what is being computed is looked at, and what is not, ms. */
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

/** ms that a definition has to be left alone before it is computed. */
const typingMs = 400

/** What a definition gives for some profiles now. */
export const computedTraitPreviewQuery = (workspace: string, definition: ComputedTraitDefinition) =>
  query(
    methods.computedTraits.preview,
    { params: workspaceIds(workspace), body: { definition } },
    { wait: typingMs, staleTime: 10_000 },
  )
