import { audit, changesOf, isId } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/** Revokes a write key for good. */
export const deleteWriteKey =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.writekeys.delete> =>
  async ({ workspace, params }) => {
    if (!isId(params.writekey)) throw notFound('write key not found')
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const revoked = await tx
        .updateTable('write_keys')
        .set({ revoke_time: time })
        .where('id', '=', params.writekey)
        .where('workspace_id', '=', workspace.id)
        .where('revoke_time', 'is', null)
        .returning(['id', 'source_id', 'title'])
        .executeTakeFirst()
      if (revoked === undefined) throw notFound('write key not found')
      await audit(
        tx,
        resourceNames.writekey.format({ workspace: workspace.id, writekey: revoked.id }),
        { source_id: revoked.source_id, title: revoked.title },
        { changes: changesOf({ title: revoked.title }, { title: null }) },
      )
    })
    return {}
  }
