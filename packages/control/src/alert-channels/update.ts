import { audit, changesOf } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { alertChannelName, changeAlertChannel, presentChannels, readAlertChannel } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'
import { namedSyncs } from './named-syncs.ts'

/** Changes the title of a channel, or the syncs whose alerts it gets. */
export const updateAlertChannel =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.alertChannels.update> =>
  ({ workspace, params, body }) =>
    db.transaction().execute(async (tx) => {
      const before = await readAlertChannel(tx, workspace.id, params.alert_channel)
      const { id } = before
      if (Object.keys(body).length > 0) {
        await changeAlertChannel(tx, id, {
          ...(body.title === undefined ? {} : { title: body.title }),
          ...(body.syncs === undefined ? {} : { sync_ids: await namedSyncs(tx, workspace.id, body.syncs) }),
        })
        await audit(
          tx,
          alertChannelName(workspace.id, id),
          { changed: Object.keys(body) },
          { changes: changesOf({ title: before.title, syncs: before.sync_ids }, body) },
        )
      }
      const [channel] = await presentChannels(tx, [await readAlertChannel(tx, workspace.id, id)])
      if (channel === undefined) throw notFound('alert channel not found')
      return channel
    })
