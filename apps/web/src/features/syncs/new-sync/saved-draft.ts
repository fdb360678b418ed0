import {
  type MethodRequest,
  type Model,
  type methods,
  type SyncDraft as SavedDraft,
  syncSchedule,
} from '@tributary/contract'
import { z } from 'zod'
import { manual } from '../schedule.ts'
import {
  emptyDraft,
  firstOpen,
  problemOf,
  type Step,
  type SyncDraft,
  steps,
  withDestination,
  withModel,
  withObject,
} from './draft.ts'
import type { RowDestination } from './use-row-destinations.ts'

const settings = z.object({
  object_name: z.string(),
  rows: z.array(z.object({ column: z.string(), type: z.string(), target: z.string(), included: z.boolean() })),
  identifier: z.number().int(),
  to_destinations: z.boolean().default(false),
  owns_object: z.boolean().default(false),
  cursor: z.object({ column: z.string(), overlap: z.string() }).nullable().default(null),
  schedule: z.object({
    interval_minutes: syncSchedule.shape.interval_minutes,
    cron: z.object({ expression: z.string(), time_zone: z.string() }).nullable(),
    after: z.object({ name: z.string(), title: z.string() }).nullable(),
  }),
  title: z.string().nullable(),
  step: z.enum(steps),
})

/** The saved form of a draft and its step. */
export const savedOf = (draft: SyncDraft, step: Step): MethodRequest<typeof methods.syncDrafts.update> => {
  const { model, destination, object, objectName, mode, rows, identifier, schedule, title } = draft
  const problem = problemOf(draft, step)?.message
  return {
    source: model?.name ?? null,
    catalog_destination: destination?.app.catalog_app ?? null,
    destination: destination?.name ?? null,
    target_object: object?.name ?? null,
    sync_type: mode ?? null,
    settings: {
      object_name: objectName,
      rows: rows.map((row) => ({ ...row })),
      identifier,
      to_destinations: draft.toDestinations,
      owns_object: draft.ownsObject,
      cursor: draft.cursor === undefined ? null : { ...draft.cursor },
      schedule: { ...schedule },
      title: title ?? null,
      step,
    },
    errors: problem === undefined ? {} : { [step]: problem },
    configuration_status: firstOpen(draft) === undefined ? 'valid' : 'none',
  }
}

/**
 * Returns a saved draft with the step at which to continue. Drops deleted objects and the choices that depend on them.
 * If the saved step can no longer be reached, continues at the first incomplete step.
 */
export const restored = (
  saved: SavedDraft,
  models: readonly Model[],
  destinations: readonly RowDestination[],
): { draft: SyncDraft; step: Step } => {
  const entered = settings.safeParse(saved.settings).data
  const model = models.find(({ name }) => name === saved.source)
  const to = destinations.find(({ destination }) => destination.name === saved.destination)
  let draft: SyncDraft = { ...emptyDraft, schedule: entered?.schedule ?? manual, title: entered?.title ?? undefined }
  if (model !== undefined) {
    draft = withModel(draft, model)
  }
  if (to !== undefined) {
    draft = withDestination({ ...draft, mode: saved.sync_type ?? undefined }, to.destination, to.objects)
    draft = withObject(draft, to.objects.find(({ name }) => name === saved.target_object) ?? draft.object)
    const { sync_type: mode } = saved
    if (mode !== null && draft.object?.sync_modes.includes(mode) === true) draft = { ...draft, mode }
  }
  if (model !== undefined) {
    const columns = new Set(model.columns.map(({ name }) => name))
    const known = entered?.rows.filter(({ column }) => columns.has(column)) ?? []
    // If the columns of the model have changed in the meantime, the mapping gets new suggestions.
    if (entered !== undefined && known.length === columns.size && known.length === entered.rows.length)
      draft = { ...draft, rows: known, identifier: entered.identifier }
  }
  if (entered !== undefined)
    draft = {
      ...draft,
      objectName: entered.object_name,
      toDestinations: entered.to_destinations,
      ownsObject: entered.owns_object,
      cursor: model === undefined ? undefined : (entered.cursor ?? undefined),
    }
  const open = firstOpen(draft)
  const reached = open === undefined ? steps.length - 1 : steps.indexOf(open)
  return { draft, step: steps[Math.min(reached, steps.indexOf(entered?.step ?? 'model'))] ?? 'model' }
}
