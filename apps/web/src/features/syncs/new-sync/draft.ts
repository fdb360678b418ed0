import { type CatalogDestination, type Destination, genericTitle, type Model, type SyncMode } from '@tributary/contract'
import {
  fieldsOfRows,
  type MappingProblems,
  type MappingRow,
  mappingProblems,
  suggestedIdentifier,
  suggestedRows,
} from '../mapping-rows.ts'
import { manual, type Schedule, scheduleInput, scheduleProblem } from '../schedule.ts'
import type { SyncInput } from '../sync-mutations.ts'
import { modeOrder } from '../sync-words.ts'

/** Something of a destination that rows are written to. */
export type RowObject = CatalogDestination['row_objects'][number]

/** A destination as a draft knows it. */
export type ChosenDestination = { name: string; title: string; app: Pick<Destination['app'], 'catalog_app'> }

/** What is chosen of a new sync so far. */
export type SyncDraft = {
  model: Model | undefined
  destination: ChosenDestination | undefined
  object: RowObject | undefined
  objectName: string
  mode: SyncMode | undefined
  rows: readonly MappingRow[]
  /** The place of the identifier in the rows; -1 for none. */
  identifier: number
  schedule: Schedule
  /** Undefined until somebody enters one: it is made of what is chosen. */
  title: string | undefined
}

export const emptyDraft: SyncDraft = {
  model: undefined,
  destination: undefined,
  object: undefined,
  objectName: '',
  mode: undefined,
  rows: [],
  identifier: -1,
  schedule: manual,
  title: undefined,
}

/** The steps in their order. */
export const steps = ['model', 'destination', 'mode', 'mapping', 'schedule', 'review'] as const
export type Step = (typeof steps)[number]

export const stepTitles: Readonly<Record<Step, string>> = {
  model: 'Model',
  destination: 'Destination',
  mode: 'Mode',
  mapping: 'Mapping',
  schedule: 'Schedule',
  review: 'Review',
}

/** A name as it can be one of a table or a file. */
const plainName = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')

/** A model is chosen: the mapping is suggested anew, and so is a name that nobody has changed. */
export const withModel = (draft: SyncDraft, model: Model): SyncDraft => {
  const untouched = draft.model === undefined || draft.objectName === plainName(draft.model.title)
  const identifier = suggestedIdentifier(model)
  return {
    ...draft,
    model,
    rows: suggestedRows(model),
    identifier: model.columns.findIndex(({ name }) => name === identifier),
    objectName: untouched ? plainName(model.title) : draft.objectName,
  }
}

/** An object of a destination is chosen; a mode that it does not have is not kept. */
export const withObject = (draft: SyncDraft, object: RowObject | undefined): SyncDraft => ({
  ...draft,
  object,
  mode:
    draft.mode !== undefined && object?.sync_modes.includes(draft.mode) === true
      ? draft.mode
      : modeOrder.find((mode) => object?.sync_modes.includes(mode)),
})

/** A destination is chosen, and its object when it has only one. */
export const withDestination = (
  draft: SyncDraft,
  destination: ChosenDestination,
  objects: readonly RowObject[],
): SyncDraft => ({ ...withObject(draft, objects.length === 1 ? objects[0] : undefined), destination })

/** The title, as it is entered or made of what is chosen. */
export const titleOf = ({ title, model, destination }: SyncDraft): string =>
  title ?? `${model?.title ?? ''} to ${destination?.title ?? ''}`.trim().slice(0, 100)

/** What is wrong with a step: in words, or in the mapping. */
export type StepProblem = { message?: string; mapping?: MappingProblems }

/** What keeps a step from being done; undefined when nothing does. */
export const problemOf = (draft: SyncDraft, step: Step): StepProblem | undefined => {
  const { model, destination, object, objectName, mode, rows, identifier } = draft
  if (step === 'model') return model === undefined ? { message: 'Choose a model' } : undefined
  if (step === 'destination') {
    if (destination === undefined) return { message: 'Choose a destination' }
    if (object === undefined) return { message: 'Choose what to write to' }
    return object.named && objectName.trim() === '' ? { message: 'Enter a name' } : undefined
  }
  if (step === 'mode') return mode === undefined ? { message: 'Choose a mode' } : undefined
  if (step === 'mapping') {
    const mapping = mappingProblems(rows, identifier)
    return mapping && { mapping }
  }
  if (step === 'schedule') {
    const message = scheduleProblem(draft.schedule)
    return message === undefined ? undefined : { message }
  }
  const title = genericTitle.safeParse(titleOf(draft))
  return title.success ? undefined : { message: title.error.issues[0]?.message ?? 'Required' }
}

/** The first step that is not done; undefined when all are. */
export const firstOpen = (draft: SyncDraft): Step | undefined =>
  steps.find((step) => problemOf(draft, step) !== undefined)

/** The sync that a complete draft is; undefined while something is open. */
export const inputOf = (draft: SyncDraft): SyncInput | undefined => {
  const { model, destination, object, objectName, mode, rows, identifier, schedule } = draft
  if (firstOpen(draft) !== undefined) return undefined
  if (model === undefined || destination === undefined || object === undefined || mode === undefined) return undefined
  return {
    title: titleOf(draft).trim(),
    model: model.name,
    destination: destination.name,
    object: object.name,
    object_name: object.named ? objectName.trim() : object.name,
    mode,
    identifier: rows[identifier]?.target.trim() ?? '',
    fields: fieldsOfRows(rows),
    ...scheduleInput(schedule),
  }
}

/** What a dry run of a draft is of, whatever its title is; undefined while something is open. */
export const dryRunInputOf = (draft: SyncDraft) => {
  const input = inputOf({ ...draft, title: 'Dry run', schedule: manual })
  if (input === undefined) return undefined
  const { title: _title, interval_minutes: _interval, ...definition } = input
  return definition
}
