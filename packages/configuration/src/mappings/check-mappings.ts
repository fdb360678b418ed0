import {
  type DestinationDefinition,
  mappingProblems,
  templateProblem,
  templatesOf,
  templatesTooLong,
} from '@tributary/connector-kit'
import type { EventMapping } from '@tributary/contract'
import { takeTurn, type WorkShare } from '@tributary/kernel'

/**
 * The result of `mappingProblems`, with each template checked in a turn of its own: a hundred thousand characters would hold up all other
 * work for a tenth of a second. Rejects with 429 when the workspace has too much waiting.
 */
export const checkMappings = async (
  share: WorkShare,
  workspaceId: string,
  definition: Pick<DestinationDefinition, 'actions' | 'title'>,
  mappings: readonly EventMapping[],
): Promise<Record<string, string>> => {
  if (templatesTooLong(mappings) === undefined)
    // The answer is remembered for the check of the whole.
    for (const text of new Set(templatesOf(mappings)))
      await takeTurn(share, workspaceId, () => templateProblem(text, 'text'))
  return await takeTurn(share, workspaceId, () => mappingProblems(definition, mappings))
}
