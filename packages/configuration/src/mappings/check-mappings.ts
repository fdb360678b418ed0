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
 * Returns the result of `mappingProblems`, with each template checked in a turn of its own. Otherwise a hundred
 * thousand characters would block all other work for a tenth of a second. Rejects with 429 if the workspace has too
 * much work waiting.
 */
export const checkMappings = async (
  share: WorkShare,
  workspaceId: string,
  definition: Pick<DestinationDefinition, 'actions' | 'title' | 'settings'>,
  mappings: readonly EventMapping[],
  settings?: Readonly<Record<string, unknown>>,
): Promise<Record<string, string>> => {
  if (templatesTooLong(mappings) === undefined)
    // The result is cached for the check of all mappings.
    for (const text of new Set(templatesOf(mappings)))
      await takeTurn(share, workspaceId, () => templateProblem(text, 'text'))
  return await takeTurn(share, workspaceId, () => mappingProblems(definition, mappings, settings))
}
