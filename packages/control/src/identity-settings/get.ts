import type { Db } from '@tributary/api-kit'
import { defaultIdentityRules, type IdentitySettings, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** The identity settings of a workspace, with defaults for unset ones. */
export const readIdentitySettings = async (db: Db, workspaceId: string): Promise<IdentitySettings> => {
  const row = await db
    .selectFrom('identity_settings')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return {
    ...defaultIdentityRules,
    ...row?.rules,
    name: resourceNames.identitySettings.format({ workspace: workspaceId }),
    update_time: row?.update_time.toISOString() ?? null,
  }
}

/** The rules by which identifiers are linked to profiles. */
export const getIdentitySettings =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.identitySettings.get> =>
  ({ workspace }) =>
    readIdentitySettings(db, workspace.id)
