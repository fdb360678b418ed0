import { audit } from '@tributary/api-kit'
import { maxAlertChannels, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, newId, randomToken } from '@tributary/kernel'
import { alertChannelName, insertAlertChannel, presentChannels, sealChannel } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'
import { namedSyncs } from './named-syncs.ts'

/**
 * Makes an alert channel. Seals its URL, and makes the secret that signs the messages of a webhook: 32 random bytes,
 * which only this response contains. Sends nothing. Throws 400 if the workspace has the maximum number of channels.
 */
export const createAlertChannel =
  ({
    db,
    secretBox,
    clock,
  }: Pick<ControlDeps, 'db' | 'secretBox' | 'clock'>): Handler<typeof methods.alertChannels.create> =>
  ({ workspace, body: { title, kind, url, syncs } }) =>
    db.transaction().execute(async (tx) => {
      // The lock makes concurrent calls count one after the other, so that they cannot exceed the limit.
      await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().execute()
      const known = await tx
        .selectFrom('alert_channels')
        .select('id')
        .where('workspace_id', '=', workspace.id)
        .execute()
      if (known.length >= maxAlertChannels)
        throw badRequest('LIMIT_REACHED', `A workspace can have at most ${maxAlertChannels} alert channels`)
      const id = newId()
      const time = new Date(clock())
      const signing_secret = kind === 'webhook' ? randomToken(32) : ''
      const row = await insertAlertChannel(tx, {
        id,
        workspace_id: workspace.id,
        title,
        kind,
        host: new URL(url).host,
        secrets_encrypted: sealChannel(secretBox, id, { url, signing_secret }),
        sync_ids: await namedSyncs(tx, workspace.id, syncs),
        create_time: time,
      })
      await audit(tx, alertChannelName(workspace.id, id), { title, kind, host: row.host })
      const [channel] = await presentChannels(tx, [row])
      if (channel === undefined) throw new Error('A channel that was made is not shown')
      return { ...channel, signing_secret }
    })
