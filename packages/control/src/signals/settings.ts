import { audit, changesOf, type Db } from '@tributary/api-kit'
import {
  defaultConsentPath,
  type methods,
  resourceNames,
  type SignalSettings,
  withoutConsentChoices,
} from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Reads the settings that apply to all signals of a workspace, with defaults for unset ones. */
export const readSignalSettings = async (db: Db, workspaceId: string): Promise<SignalSettings> => {
  const row = await db
    .selectFrom('signal_settings')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return {
    name: resourceNames.signalSettings.format({ workspace: workspaceId }),
    without_consent: withoutConsentChoices.find((each) => each === row?.without_consent) ?? 'send',
    consent_path: row?.consent_path ?? defaultConsentPath,
    update_time: row?.update_time.toISOString() ?? null,
  }
}

/** Returns the settings that apply to all signals of a workspace. */
export const getSignalSettings =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.signalSettings.get> =>
  ({ workspace }) =>
    readSignalSettings(db, workspace.id)

/** Changes the settings of all signals of a workspace. The change applies from the next event on. */
export const updateSignalSettings =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.signalSettings.update> =>
  async ({ workspace, body }) => {
    const changes = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    if (Object.keys(changes).length > 0)
      await db.transaction().execute(async (tx) => {
        await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().execute()
        const before = await readSignalSettings(tx, workspace.id)
        const time = new Date(clock())
        const next = {
          without_consent: body.without_consent ?? before.without_consent,
          consent_path: body.consent_path ?? before.consent_path,
          update_time: time,
        }
        await tx
          .insertInto('signal_settings')
          .values({ workspace_id: workspace.id, ...next })
          .onConflict((on) => on.column('workspace_id').doUpdateSet(next))
          .execute()
        await audit(tx, before.name, changes, { changes: changesOf({ ...before }, changes) })
      })
    return await readSignalSettings(db, workspace.id)
  }
