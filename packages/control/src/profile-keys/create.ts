import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { auditKey, makeProfileKey } from './keys.ts'

/** Makes a key of the Profile API; only this response contains it. */
export const createProfileKey =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.profileKeys.create> =>
  ({ workspace, body }) =>
    db.transaction().execute(async (tx) => {
      const time = new Date(clock())
      const { title, kind } = body
      // A secret key can read all traits, so it needs no list.
      const traits = kind === 'public' ? body.traits : []
      const { id, ...made } = await makeProfileKey(tx, workspace.id, { kind, title, traits, time })
      await auditKey(tx, workspace, id, { title, kind, traits })
      return made
    })
