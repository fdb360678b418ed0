import { parseReference, type Tx } from '@tributary/api-kit'
import { resourceNames } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import { readSync } from '@tributary/syncs'

/**
 * Returns the IDs of the syncs of this workspace that the names refer to, each ID once. Throws 404 if a sync does not
 * exist or belongs to another workspace.
 */
export const namedSyncs = async (
  tx: Tx,
  workspaceId: string,
  names: readonly string[] | null,
): Promise<string[] | null> => {
  if (names === null) return null
  const ids = new Set<string>()
  for (const name of names) {
    const { workspace, sync } = parseReference(resourceNames.sync, 'syncs', name)
    if (workspace !== workspaceId) throw notFound('sync not found')
    ids.add((await readSync(tx, workspaceId, sync)).id)
  }
  return [...ids]
}
