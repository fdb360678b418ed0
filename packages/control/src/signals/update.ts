import { audit, changesOf } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict, notFound } from '@tributary/kernel'
import {
  checkPlatforms,
  definitionOf,
  readPlatforms,
  readSignal,
  type StoredDefinition,
  setSignal,
  signalName,
} from '@tributary/signals'
import { warnOfSignal } from '../audiences/never-received.ts'
import type { ControlDeps } from '../deps.ts'
import { lastChangeOf, requireComplete, writeParts } from './change.ts'
import { type PresentDeps, presentSignal } from './present.ts'
import { checkRefunds, checkTrigger } from './references.ts'

const asInput = (rows: Awaited<ReturnType<typeof readPlatforms>>, id: string, workspaceId: string) =>
  (rows.get(id) ?? []).map((row) => ({
    destination: `workspaces/${workspaceId}/destinations/${row.destination_id}`,
    event_name: row.event_name,
    test_event_code: row.test_event_code,
    field_mappings: row.field_mappings === null ? null : JSON.parse(row.field_mappings),
  }))

/**
 * Changes a signal from the next event on. If two changes are based on the same revision, the second one fails with
 * 409.
 */
export const updateSignal =
  (deps: PresentDeps & Pick<ControlDeps, 'eventStore' | 'workShare'>): Handler<typeof methods.signals.update> =>
  async ({ actor, workspace, params, body, signal }) => {
    const { db, clock } = deps
    const { id } = await readSignal(db, workspace.id, params.signal)
    const { title, revision, platforms: given, ...rest } = body
    const asked = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
    const time = new Date(clock())
    const changed = await db.transaction().execute(async (tx) => {
      const row = await tx.selectFrom('signals').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
      if (row === undefined) throw notFound('signal not found')
      const changes = given !== undefined || Object.keys(asked).length > 0
      if (changes && revision !== undefined && revision !== row.revision)
        throw conflict('SIGNAL_CHANGED', 'Someone else changed this signal. Reload it', {
          revision: String(row.revision),
        })
      const before = definitionOf(row)
      const next: StoredDefinition = { ...before, ...(asked as Partial<StoredDefinition>) }
      checkRefunds(next.trigger, next.refunds)
      const trigger = asked['trigger'] === undefined ? undefined : await checkTrigger(tx, workspace.id, next.trigger)
      const stored = await readPlatforms(tx, [id])
      const known = asInput(stored, id, workspace.id)
      const wanted = given ?? known
      // The platforms are checked again, because another kind of conversion has another name at each platform.
      const platforms = changes
        ? await checkPlatforms({ ...deps, db: tx }, workspace.id, next.conversion, wanted)
        : undefined
      if (row.enabled && platforms !== undefined) await requireComplete(deps, workspace.id, platforms)
      await setSignal(tx, id, {
        ...(title === undefined ? {} : { title }),
        definition: JSON.stringify(next),
        revision: row.revision + 1,
        ...(trigger === undefined
          ? {}
          : { audience_id: trigger.audience, seen_change: await lastChangeOf(tx, trigger.audience) }),
        author_id: actor.userId,
        update_time: time,
      })
      await writeParts(tx, { id, workspaceId: workspace.id }, { trigger, platforms })
      const after = {
        ...asked,
        ...(title === undefined ? {} : { title }),
        ...(given === undefined ? {} : { platforms: given }),
      }
      const written = changesOf({ ...before, title: row.title, platforms: known }, after)
      await audit(tx, signalName(workspace.id, id), { revision: row.revision + 1 }, { changes: written })
      return changes ? { ...next, platforms: wanted } : undefined
    })
    const updated = await presentSignal(deps, await readSignal(db, workspace.id, id))
    const warnings = changed && (await warnOfSignal(deps, changed, { workspaceId: workspace.id, signal }))
    return { ...updated, warnings: warnings ?? [] }
  }
