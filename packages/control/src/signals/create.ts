import { idFor } from '@tributary/api-kit'
import { type methods, signalLimits } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { auditSignal, lastChangeOf, requireComplete, writeParts } from './change.ts'
import { checkPlatforms } from './platforms.ts'
import { type PresentDeps, presentSignal } from './present.ts'
import { readSignal } from './read.ts'
import { checkRefunds, checkTrigger } from './references.ts'

/** Saves a signal. What comes from now on is a conversion, where it is enabled. */
export const createSignal =
  (deps: PresentDeps & Pick<ControlDeps, 'workShare'>): Handler<typeof methods.signals.create> =>
  async ({ actor, workspace, body }) => {
    const { db, clock } = deps
    const { title, enabled, request_id, platforms: given, ...definition } = body
    const id = idFor(request_id, 'signals', workspace.id)
    checkRefunds(definition.trigger, definition.refunds)
    const trigger = await checkTrigger(db, workspace.id, definition.trigger)
    const platforms = await checkPlatforms(deps, workspace.id, definition.conversion, given)
    if (enabled) await requireComplete(deps, workspace.id, platforms)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      // One after the other: of two who take the last place one is told.
      await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().execute()
      const known = await tx.selectFrom('signals').select('id').where('workspace_id', '=', workspace.id).execute()
      if (known.some((each) => each.id === id)) return
      if (known.length >= signalLimits.signals)
        throw badRequest('LIMIT_REACHED', `A workspace can have at most ${signalLimits.signals} signals`)
      await tx
        .insertInto('signals')
        .values({
          id,
          workspace_id: workspace.id,
          title,
          enabled,
          enable_time: enabled ? time : null,
          definition: JSON.stringify(definition),
          audience_id: trigger.audience,
          seen_change: await lastChangeOf(tx, trigger.audience),
          author_id: actor.userId,
          create_time: time,
          update_time: time,
        })
        .execute()
      await writeParts(tx, { id, workspaceId: workspace.id }, { trigger, platforms })
      await auditSignal(tx, 'create', { actor, workspace, id, detail: { title, enabled }, time })
    })
    return await presentSignal(deps, await readSignal(db, workspace.id, id))
  }
