import { audit, changesOf } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { namedSyncs } from './named-syncs.ts'
import { alertChannelName, presentChannels, readAlertChannel } from './read.ts'

/** Changes the title of a channel, or of which syncs it is told. */
export const updateAlertChannel =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.alertChannels.update> =>
  ({ actor, workspace, params, body }) =>
    db.transaction().execute(async (tx) => {
      const before = await readAlertChannel(tx, workspace.id, params.alert_channel)
      const { id } = before
      if (Object.keys(body).length > 0) {
        await tx
          .updateTable('alert_channels')
          .set({
            ...(body.title === undefined ? {} : { title: body.title }),
            ...(body.syncs === undefined ? {} : { sync_ids: await namedSyncs(tx, workspace.id, body.syncs) }),
          })
          .where('id', '=', id)
          .execute()
        await audit(tx, {
          actor,
          action: 'alertChannels.update',
          resource: alertChannelName(workspace.id, id),
          organizationId: workspace.organizationId,
          workspaceId: workspace.id,
          detail: { changed: Object.keys(body) },
          changes: changesOf({ title: before.title, syncs: before.sync_ids }, body),
          time: new Date(clock()),
        })
      }
      const [channel] = await presentChannels(tx, [await readAlertChannel(tx, workspace.id, id)])
      if (channel === undefined) throw notFound('alert channel not found')
      return channel
    })
