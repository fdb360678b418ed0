import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'
import { draftOwner } from '../../draft-owner.ts'
import { readSignalDraft } from './read.ts'

/** Changes the caller's draft of a signal. */
export const updateSignalDraft =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.signalDrafts.update> =>
  async ({ actor, workspace, body }) => {
    const of = draftOwner(workspace.id, actor)
    if (body.entered !== undefined) {
      const [draft, update_time] = [JSON.stringify(body.entered), new Date(clock())]
      await db
        .insertInto('signal_drafts')
        .values({ workspace_id: of.workspace, user_id: of.user, key_id: of.key, draft, update_time })
        .onConflict((on) =>
          on.expression(sql`workspace_id, coalesce(key_id, user_id)`).doUpdateSet({ draft, update_time }),
        )
        .execute()
    }
    return await readSignalDraft(db, of)
  }
