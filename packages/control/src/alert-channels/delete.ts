import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { alertChannelName, readAlertChannel } from './read.ts'

/** Deletes a channel with its secrets, and with what was not sent yet. */
export const deleteAlertChannel =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.alertChannels.delete> =>
  ({ actor, workspace, params }) =>
    db.transaction().execute(async (tx) => {
      const { id, title } = await readAlertChannel(tx, workspace.id, params.alert_channel)
      const deleted = await tx.deleteFrom('alert_channels').where('id', '=', id).returning('id').executeTakeFirst()
      if (deleted === undefined) throw notFound('alert channel not found')
      await audit(tx, {
        actor,
        action: 'alertChannels.delete',
        resource: alertChannelName(workspace.id, id),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { title },
        time: new Date(clock()),
      })
      return {}
    })
