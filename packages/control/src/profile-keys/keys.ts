import { audit, isId, newKey, requireRoomForKey, type Tx } from '@tributary/api-kit'
import {
  maxProfileKeys,
  type NewProfileKey,
  type ProfileKey,
  type ProfileKeyKind,
  resourceNames,
} from '@tributary/contract'
import type { WorkspaceRef } from '@tributary/http'
import { newId, notFound } from '@tributary/kernel'
import type { ProfileKeysTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

export type ProfileKeyRow = Selectable<ProfileKeysTable>

/** Returns a key of the Profile API as the API shows it, without its secret. */
export const presentProfileKey = (row: ProfileKeyRow): ProfileKey => ({
  name: resourceNames.profileKey.format({ workspace: row.workspace_id, profile_key: row.id }),
  title: row.title,
  kind: row.kind,
  traits: row.traits,
  hint: row.hint,
  create_time: row.create_time.toISOString(),
})

/** Locks a key of a workspace. Throws 404 if it does not exist or is revoked. */
export const lockProfileKey = async (tx: Tx, workspaceId: string, id: string): Promise<ProfileKeyRow> => {
  const row = isId(id)
    ? await tx
        .selectFrom('profile_keys')
        .selectAll()
        .where('id', '=', id)
        .where('workspace_id', '=', workspaceId)
        .where('revoke_time', 'is', null)
        .forUpdate()
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('key not found')
  return row
}

/** Records an action of a user on a key of the Profile API. The record never contains the key itself. */
export const auditKey = (tx: Tx, workspace: WorkspaceRef, id: string, detail: Record<string, unknown>): Promise<void> =>
  audit(tx, resourceNames.profileKey.format({ workspace: workspace.id, profile_key: id }), detail)

/** Makes a key of the Profile API. Throws 400 if the workspace has the maximum number of keys. */
export const makeProfileKey = async (
  tx: Tx,
  workspaceId: string,
  { kind, title, traits, time }: { kind: ProfileKeyKind; title: string; traits: readonly string[]; time: Date },
): Promise<NewProfileKey & { id: string }> => {
  // The lock makes concurrent calls count one after the other, so that they cannot exceed the limit.
  await tx.selectFrom('workspaces').select('id').where('id', '=', workspaceId).forUpdate().executeTakeFirst()
  const { count } = await tx
    .selectFrom('profile_keys')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('revoke_time', 'is', null)
    .executeTakeFirstOrThrow()
  requireRoomForKey(Number(count), maxProfileKeys, { of: 'A workspace', called: 'keys' })
  const { key, hash, hint } = newKey(`profile_${kind}`)
  const row = await tx
    .insertInto('profile_keys')
    .values({
      id: newId(),
      workspace_id: workspaceId,
      title,
      kind,
      traits: [...traits],
      key_hash: hash,
      hint,
      create_time: time,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...presentProfileKey(row), key, id: row.id }
}
