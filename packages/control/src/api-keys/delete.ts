import { lockOrganizationFor } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { auditApiKey, lockApiKey, writeKeysMadeBy } from './keys.ts'

/** Revokes an API key for good. Returns the active write keys that the API key has created, which stay valid. */
export const deleteApiKey =
  ({
    db,
    clock,
    keysChanged,
  }: Pick<ControlDeps, 'db' | 'clock'> & { keysChanged: () => void }): Handler<typeof methods.apiKeys.delete> =>
  async ({ actor, organization, params }) => {
    const writekeys = await db.transaction().execute(async (tx) => {
      await lockOrganizationFor(tx, actor, organization)
      const key = await lockApiKey(tx, organization.id, params.api_key)
      await tx
        .updateTable('api_keys')
        .set({ revoke_time: new Date(clock()) })
        .where('id', '=', key.id)
        .execute()
      await auditApiKey(tx, key, { title: key.title })
      return (await writeKeysMadeBy(tx, [key.id])).get(key.id) ?? []
    })
    keysChanged()
    return { writekeys }
  }
