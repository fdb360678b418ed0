import { requirePerson } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { auditKey, lockProfileKey, presentProfileKey } from './keys.ts'

/** Changes the title of a key, or the traits that a public key can read. Only a signed-in user can add traits. */
export const updateProfileKey =
  ({ db }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.profileKeys.update> =>
  ({ actor, workspace, params, body: { title, traits } }) =>
    db.transaction().execute(async (tx) => {
      const key = await lockProfileKey(tx, workspace.id, params.profile_key)
      if (traits !== undefined && key.kind === 'secret') {
        const text = 'A secret key reads all traits'
        throw badRequest('VALIDATION', `traits: ${text}`, { traits: text })
      }
      if (traits?.some((trait) => !key.traits.includes(trait))) requirePerson(actor)
      const changes = { ...(title === undefined ? {} : { title }), ...(traits === undefined ? {} : { traits }) }
      if (Object.keys(changes).length === 0) return presentProfileKey(key)
      const row = await tx
        .updateTable('profile_keys')
        .set(changes)
        .where('id', '=', key.id)
        .returningAll()
        .executeTakeFirstOrThrow()
      await auditKey(tx, workspace, key.id, changes)
      return presentProfileKey(row)
    })
