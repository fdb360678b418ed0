import { audit } from '@tributary/api-kit'
import type { methods, Signal } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { readPlatforms, readSignal, setSignal, signalName } from '@tributary/signals'
import { lastChangeOf, requireComplete } from './change.ts'
import { type PresentDeps, presentSignal } from './present.ts'

const change =
  (deps: PresentDeps, enabled: boolean) =>
  async ({
    workspace,
    params,
  }: Pick<
    Parameters<Handler<typeof methods.signals.enable>>[0],
    'actor' | 'workspace' | 'params'
  >): Promise<Signal> => {
    const { db, clock } = deps
    const { id } = await readSignal(db, workspace.id, params.signal)
    if (enabled) await requireComplete(deps, workspace.id, (await readPlatforms(db, [id])).get(id) ?? [])
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const row = await tx.selectFrom('signals').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
      if (row === undefined) throw notFound('signal not found')
      if (row.enabled === enabled) return
      await setSignal(tx, id, {
        enabled,
        ...(enabled ? { enable_time: time, seen_change: await lastChangeOf(tx, row.audience_id) } : {}),
        update_time: time,
      })
      const detail = { title: row.title }
      await audit(tx, signalName(workspace.id, id), detail)
    })
    return await presentSignal(deps, await readSignal(db, workspace.id, id))
  }

/** Enables a signal. Throws 400 if it could send nothing. */
export const enableSignal = (deps: PresentDeps): Handler<typeof methods.signals.enable> => change(deps, true)

/** Disables a signal. */
export const disableSignal = (deps: PresentDeps): Handler<typeof methods.signals.disable> => change(deps, false)
