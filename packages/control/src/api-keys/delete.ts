import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { lockOrganizationFor } from '../organizations/lock.ts'
import { auditApiKey, lockApiKey } from './keys.ts'

/** Revokes an API key for good. */
export const deleteApiKey =
  ({
    db,
    clock,
    keysChanged,
  }: Pick<ControlDeps, 'db' | 'clock'> & { keysChanged: () => void }): Handler<typeof methods.apiKeys.delete> =>
  async ({ actor, organization, params }) => {
    await db.transaction().execute(async (tx) => {
      await lockOrganizationFor(tx, actor, organization)
      const key = await lockApiKey(tx, organization.id, params.api_key)
      const time = new Date(clock())
      await tx.updateTable('api_keys').set({ revoke_time: time }).where('id', '=', key.id).execute()
      await auditApiKey(tx, 'apiKeys.delete', { actor, organization, key, detail: { title: key.title }, time })
    })
    keysChanged()
    return {}
  }
