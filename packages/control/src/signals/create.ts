import { audit, idFor } from '@tributary/api-kit'
import { type methods, signalLimits } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import { checkPlatforms, insertSignal, readSignal, signalName } from '@tributary/signals'
import { warnOfSignal } from '../audiences/never-received.ts'
import type { ControlDeps } from '../deps.ts'
import { lastChangeOf, requireComplete, writeParts } from './change.ts'
import { type PresentDeps, presentSignal } from './present.ts'
import { checkRefunds, checkTrigger } from './references.ts'

/** Stores a signal. If it is enabled, the next event can be a conversion. */
export const createSignal =
  (deps: PresentDeps & Pick<ControlDeps, 'eventStore' | 'workShare'>): Handler<typeof methods.signals.create> =>
  async ({ actor, workspace, body, signal }) => {
    const { db, clock } = deps
    const { title, enabled, request_id, platforms: given, ...definition } = body
    const id = idFor(request_id, 'signals', workspace.id)
    checkRefunds(definition.trigger, definition.refunds)
    const trigger = await checkTrigger(db, workspace.id, definition.trigger)
    const platforms = await checkPlatforms(deps, workspace.id, definition.conversion, given)
    if (enabled) await requireComplete(deps, workspace.id, platforms)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      // The lock makes concurrent calls run one after the other, so that only the first one gets the last place.
      await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().execute()
      const known = await tx.selectFrom('signals').select('id').where('workspace_id', '=', workspace.id).execute()
      if (known.some((each) => each.id === id)) return
      if (known.length >= signalLimits.signals)
        throw badRequest('LIMIT_REACHED', `A workspace can have at most ${signalLimits.signals} signals`)
      await insertSignal(tx, {
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
      await writeParts(tx, { id, workspaceId: workspace.id }, { trigger, platforms })
      await audit(tx, signalName(workspace.id, id), { title, enabled })
    })
    const created = await presentSignal(deps, await readSignal(db, workspace.id, id))
    const options = { workspaceId: workspace.id, signal }
    return { ...created, warnings: await warnOfSignal(deps, { ...definition, platforms: given }, options) }
  }
