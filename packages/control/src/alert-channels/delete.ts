import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { alertChannelName, readAlertChannel, removeAlertChannel } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Deletes a channel with its secrets and its unsent messages. */
export const deleteAlertChannel =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.alertChannels.delete> =>
  ({ workspace, params }) =>
    db.transaction().execute(async (tx) => {
      const { id, title } = await readAlertChannel(tx, workspace.id, params.alert_channel)
      if (!(await removeAlertChannel(tx, id))) throw notFound('alert channel not found')
      await audit(tx, alertChannelName(workspace.id, id), { title })
      return {}
    })
