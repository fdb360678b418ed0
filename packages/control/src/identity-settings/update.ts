import { audit, changesOf } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { readIdentitySettings } from './get.ts'

/** Changes the rules by which identifiers are linked to profiles. Existing links stay. */
export const updateIdentitySettings =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.identitySettings.update> =>
  async ({ workspace, body }) => {
    const changes = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    if (Object.keys(changes).length > 0)
      await db.transaction().execute(async (tx) => {
        const time = new Date(clock())
        const before = await readIdentitySettings(tx, workspace.id)
        const rules = JSON.stringify(changes)
        // Changes run one after the other and get different times, because profiles distinguish rules by their time.
        await sql`
          insert into identity_settings (workspace_id, rules, update_time)
          values (${workspace.id}::uuid, ${rules}::jsonb, ${time})
          on conflict (workspace_id) do update set rules = identity_settings.rules || excluded.rules,
            update_time = greatest(excluded.update_time, identity_settings.update_time + interval '1 ms')`.execute(tx)
        await audit(tx, resourceNames.identitySettings.format({ workspace: workspace.id }), changes, {
          changes: changesOf({ ...before }, changes),
        })
      })
    return await readIdentitySettings(db, workspace.id)
  }
