import { lockOrganizationFor, newKey } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { auditApiKey, lockApiKey, presentApiKey, selectApiKeys, writeKeysMadeBy } from './keys.ts'

const hourMs = 3_600_000

/**
 * Gives an API key a new secret, which only this response contains. The previous secret stays valid for some hours;
 * older secrets become invalid. Throws 409 for an expired key, because a new secret would not make it valid.
 */
export const rotateApiKey =
  ({
    db,
    clock,
    keysChanged,
  }: Pick<ControlDeps, 'db' | 'clock'> & { keysChanged: () => void }): Handler<typeof methods.apiKeys.rotate> =>
  async ({ actor, organization, params, body }) => {
    const made = await db.transaction().execute(async (tx) => {
      await lockOrganizationFor(tx, actor, organization)
      const known = await lockApiKey(tx, organization.id, params.api_key)
      const time = new Date(clock())
      if (known.expire_time !== null && known.expire_time <= time)
        throw conflict('KEY_EXPIRED', 'This API key has expired. Create another one')
      const { key, hash, hint } = newKey('api')
      const overlaps = body.overlap_hours > 0
      await tx
        .updateTable('api_keys')
        .set({
          key_hash: hash,
          hint,
          previous_hash: overlaps ? known.key_hash : null,
          previous_expire_time: overlaps ? new Date(time.getTime() + body.overlap_hours * hourMs) : null,
        })
        .where('id', '=', known.id)
        .execute()
      await auditApiKey(tx, known, { title: known.title, overlap_hours: body.overlap_hours })
      const row = await selectApiKeys(tx).where('api_keys.id', '=', known.id).executeTakeFirstOrThrow()
      const writekeys = (await writeKeysMadeBy(tx, [known.id])).get(known.id)
      return { ...presentApiKey(row, time.getTime(), writekeys), key }
    })
    keysChanged()
    return made
  }
