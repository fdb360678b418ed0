import { existsSync } from 'node:fs'
import type { Logger } from '@tributary/kernel'
import { rebuildProfiles } from '@tributary/profiles'
import { folders } from '../boot/engines.ts'
import { openDatabase } from '../boot/open-database.ts'
import type { Config } from '../config/config.ts'

/** Progress for the profiles of a workspace: the applied and total entries of its ledger. */
export type RebuildProgress = { title: string; applied: number; entries: number }

/** Thrown if there are no profiles to rebuild. */
export class NothingToRebuild extends Error {
  override readonly name = 'NothingToRebuild'
}

/**
 * Rebuilds the profiles of one workspace or of all from their ledgers, whether or not the product is running. Each
 * workspace is one transaction: after a kill at any moment it has its former profiles, or the new ones.
 *
 * @throws NothingToRebuild if no profile exists yet, and errors of opening the data folder and the database
 */
export const rebuildAllProfiles = async (
  config: Config,
  deps: { workspaceId?: string | undefined; logger: Logger; onProgress(progress: RebuildProgress): void },
): Promise<{ workspaces: number; entries: number }> => {
  if (config.relational.kind === 'embedded' && !existsSync(folders(config.dataDir).postgres))
    throw new NothingToRebuild(`There are no profiles in ${config.dataDir} yet.`)
  await using store = await openDatabase(config, { logger: deps.logger, statementMs: 0 })
  const { db } = store.relational
  const ledgers = await db
    .selectFrom('identity_ledgers')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_id')
    .select(['workspace_id', 'title', 'sequence'])
    .where('sequence', '>', '0')
    .orderBy('title')
    .execute()
  const asked = ledgers.filter(({ workspace_id }) => [undefined, workspace_id].includes(deps.workspaceId))
  if (asked.length === 0)
    throw new NothingToRebuild(
      deps.workspaceId === undefined ? 'There are no profiles yet.' : `No workspace ${deps.workspaceId} has profiles.`,
    )
  let entries = 0
  for (const { workspace_id, title, sequence } of asked)
    entries += await rebuildProfiles(db, workspace_id, (applied) =>
      deps.onProgress({ title, applied, entries: Number(sequence) }),
    )
  return { workspaces: asked.length, entries }
}
