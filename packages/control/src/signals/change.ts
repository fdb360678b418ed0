import type { Tx } from '@tributary/api-kit'
import type {} from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import type { CheckedPlatform } from '@tributary/signals'
import { sql } from 'kysely'
import type { PresentDeps } from './present.ts'
import { platformProblem } from './present.ts'
import type { TriggerIds } from './references.ts'

const incomplete = (text: string): Error => badRequest('SIGNAL_INCOMPLETE', text)

/** Throws 400 if a signal could send nothing. */
export const requireComplete = async (
  deps: PresentDeps,
  workspaceId: string,
  platforms: readonly { destination_id: string }[],
): Promise<void> => {
  if (platforms.length === 0) throw incomplete('Add a platform before you enable the signal')
  for (const each of platforms) {
    const problem = await platformProblem(deps, workspaceId, each)
    if (problem !== '') throw incomplete(problem)
  }
}

/** Replaces the sources and platforms of a signal. */
export const writeParts = async (
  tx: Tx,
  { id, workspaceId }: { id: string; workspaceId: string },
  parts: { trigger?: TriggerIds | undefined; platforms?: readonly CheckedPlatform[] | undefined },
): Promise<void> => {
  if (parts.trigger !== undefined) {
    await tx.deleteFrom('signal_sources').where('signal_id', '=', id).execute()
    if (parts.trigger.sources.length > 0)
      await tx
        .insertInto('signal_sources')
        .values(parts.trigger.sources.map((source_id) => ({ signal_id: id, source_id })))
        .execute()
  }
  if (parts.platforms === undefined) return
  await tx.deleteFrom('signal_platforms').where('signal_id', '=', id).execute()
  if (parts.platforms.length > 0)
    await tx
      .insertInto('signal_platforms')
      .values(parts.platforms.map((each) => ({ ...each, signal_id: id, workspace_id: workspaceId })))
      .execute()
}

/**
 * Reads the ID of the last entry or exit of an audience. Later entries become conversions; profiles that entered before
 * a signal was enabled do not.
 */
export const lastChangeOf = async (tx: Tx, audienceId: string | null): Promise<string> => {
  if (audienceId === null) return '0'
  const { rows } = await sql<{ change: string }>`
    select coalesce(max(id), 0)::text as change from audience_changes where audience_id = ${audienceId}::uuid`.execute(
    tx,
  )
  return rows[0]?.change ?? '0'
}
