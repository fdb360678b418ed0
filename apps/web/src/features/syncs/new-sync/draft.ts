import {
  type CatalogDestination,
  type Destination,
  type EventObject,
  eventIdentifier,
  eventObjects,
  genericTitle,
  type MethodRequest,
  type Model,
  methods,
  type SyncMode,
} from '@tributary/contract'
import { withoutEnds } from '@tributary/kernel/text-ends'
import { type CursorDraft, cursorColumns, cursorInput, modeTakesCursor } from '../cursor.ts'
import { eventMappingProblems, isSourceName, suggestedEventRows } from '../event-mapping.ts'
import {
  fieldsOfRows,
  type MappingProblems,
  type MappingRow,
  mappingProblems,
  suggestedIdentifier,
  suggestedRows,
} from '../mapping-rows.ts'
import { manual, type Schedule, scheduleInput, scheduleProblem } from '../schedule.ts'
import { modeOrder } from '../sync-words.ts'

/** The entered values of a sync. */
export type SyncInput = Omit<MethodRequest<typeof methods.syncs.create>, 'request_id'>

/** An object of a destination to which rows can be written. */
export type RowObject = CatalogDestination['row_objects'][number]

/** The destination of a draft, or a source for which rows become events. */
export type ChosenDestination = {
  name: string
  title: string
  app: Pick<Destination['app'], 'catalog_app'> & Partial<Pick<Destination['app'], 'people_lists'>>
}

/** The current choices for a new sync. */
export type SyncDraft = {
  model: Model | undefined
  destination: ChosenDestination | undefined
  object: RowObject | undefined
  objectName: string
  mode: SyncMode | undefined
  /**
   * Whether the sync also removes records that are not in the model and that other programs wrote. Applies only to a
   * mode and an object that allow it.
   */
  ownsObject: boolean
  /** The cursor of the draft; undefined if each run reads all rows. */
  cursor: CursorDraft | undefined
  rows: readonly MappingRow[]
  /** The index of the row that maps the identifier; -1 if there is none. */
  identifier: number
  /** For a sync of events: whether the destinations that are connected to the source receive the events, too. */
  toDestinations: boolean
  schedule: Schedule
  /** Undefined until a user enters a title: until then, the title follows from the other choices. */
  title: string | undefined
}

export const emptyDraft: SyncDraft = {
  model: undefined,
  destination: undefined,
  object: undefined,
  objectName: '',
  mode: undefined,
  ownsObject: false,
  cursor: undefined,
  rows: [],
  identifier: -1,
  toDestinations: false,
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

/** Returns a name that is valid for a table or a file. */
const plainName = (title: string): string => withoutEnds(title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_'), '_')

/** The event objects of a source, in the form of row objects. */
export const eventRowObjects: readonly RowObject[] = eventObjects.map(
  ({ name, title, description, type, syncModes }) => ({
    // Events can have any name. The profiles of a workspace need none.
    named: type === 'track',
    name,
    title,
    description,
    sync_modes: [...syncModes],
    listable: false,
  }),
)

/** Returns the kind of event that the rows of a draft become; undefined if they go to a destination. */
export const eventOf = ({ destination, object }: Pick<SyncDraft, 'destination' | 'object'>): EventObject | undefined =>
  destination !== undefined && isSourceName(destination.name)
    ? eventObjects.find(({ name }) => name === object?.name)
    : undefined

/**
 * Returns the suggested name of the object to which rows are written, or of the events that they become. A list of people
 * is named by its ID, so none is suggested.
 */
const nameOf = (draft: Pick<SyncDraft, 'model' | 'destination' | 'object'>): string => {
  const { model, destination } = draft
  if (model === undefined || (destination?.app.people_lists ?? null) !== null) return ''
  return eventOf(draft) === undefined ? plainName(model.title) : model.title
}

/** Chooses a model. The mapping gets new suggestions, and so does an object name that the user has not changed. */
export const withModel = (draft: SyncDraft, model: Model): SyncDraft => {
  const event = eventOf(draft)
  const untouched = draft.model === undefined || draft.objectName === nameOf(draft)
  const identifier = suggestedIdentifier(model)
  return {
    ...draft,
    model,
    cursor: model.name === draft.model?.name ? draft.cursor : undefined,
    rows: event === undefined ? suggestedRows(model) : suggestedEventRows(model, event),
    identifier: model.columns.findIndex(({ name }) => name === identifier),
    objectName: untouched ? nameOf({ ...draft, model }) : draft.objectName,
  }
}

/**
 * Suggests a new mapping if the rows now become another kind of object. Also suggests a new object name, unless the
 * user has changed it.
 */
const withMapping = (draft: SyncDraft, before: SyncDraft): SyncDraft => {
  const { model } = draft
  const objectName = before.objectName === nameOf(before) ? nameOf(draft) : draft.objectName
  if (model === undefined || eventOf(draft) === eventOf(before)) return { ...draft, objectName }
  return { ...withModel(draft, model), objectName }
}

/** Chooses an object of a destination. Drops the chosen mode if the object does not support it. */
export const withObject = (draft: SyncDraft, object: RowObject | undefined, before = draft): SyncDraft => {
  const next = { ...draft, object }
  const event = eventOf(next)
  const kept = event === eventOf(before) && draft.mode !== undefined && object?.sync_modes.includes(draft.mode) === true
  const usual = event === undefined ? modeOrder.find((mode) => object?.sync_modes.includes(mode)) : event.syncModes[0]
  return withMapping({ ...next, mode: kept ? draft.mode : usual }, before)
}

/** Chooses a destination. Also chooses its object if it has only one; for a source, the object is events. */
export const withDestination = (
  draft: SyncDraft,
  destination: ChosenDestination,
  objects: readonly RowObject[],
): SyncDraft =>
  withObject(
    { ...draft, destination, object: undefined },
    objects.length === 1 || isSourceName(destination.name) ? objects[0] : undefined,
    draft,
  )

/** Whether the sync that is created from a draft owns its object. */
export const ownsObjectOf = ({ mode, object, ownsObject }: SyncDraft): boolean =>
  ownsObject && mode === 'FULL_SYNC' && object?.listable === true

/** Returns the cursor of the sync that is created from a draft; undefined if the sync reads all rows. */
const cursorOf = ({ mode, cursor }: SyncDraft) =>
  cursor !== undefined && modeTakesCursor(mode) ? cursorInput(cursor) : undefined

/** Returns the error of the mode or of the cursor. */
const modeProblem = ({ model, mode, cursor }: SyncDraft): string | undefined => {
  if (mode === undefined) return 'Choose a mode'
  if (cursor === undefined || model === undefined || !modeTakesCursor(mode)) return undefined
  const known = cursorColumns(model).some(({ name }) => name === cursor.column)
  return known && cursorInput(cursor) !== undefined ? undefined : 'Complete the cursor'
}

/** The title: the entered one, or one that follows from the other choices. */
export const titleOf = ({ title, model, destination }: SyncDraft): string =>
  title ?? `${model?.title ?? ''} to ${destination?.title ?? ''}`.trim().slice(0, 100)

/** The errors of a step: one message, or the errors of the mapping. */
export type StepProblem = { message?: string; mapping?: MappingProblems }

/** The errors that block a step; undefined when it is complete. */
export const problemOf = (draft: SyncDraft, step: Step): StepProblem | undefined => {
  const { model, destination, object, objectName, rows, identifier } = draft
  if (step === 'model') return model === undefined ? { message: 'Choose a model' } : undefined
  if (step === 'destination') {
    if (destination === undefined) return { message: 'Choose a destination' }
    if (object === undefined) return { message: 'Choose what to write to' }
    return object.named && objectName.trim() === '' ? { message: 'Enter a name' } : undefined
  }
  if (step === 'mode') {
    const message = modeProblem(draft)
    return message === undefined ? undefined : { message }
  }
  if (step === 'mapping') {
    const event = eventOf(draft)
    const mapping = event === undefined ? mappingProblems(rows, identifier) : eventMappingProblems(rows, event)
    return mapping && { mapping }
  }
  if (step === 'schedule') {
    const message = scheduleProblem(draft.schedule)
    return message === undefined ? undefined : { message }
  }
  const title = genericTitle.safeParse(titleOf(draft))
  return title.success ? undefined : { message: title.error.issues[0]?.message ?? 'Required' }
}

/** Returns the first step that is not complete; undefined if all are complete. */
export const firstOpen = (draft: SyncDraft): Step | undefined =>
  steps.find((step) => problemOf(draft, step) !== undefined)

/** Returns the sync that a complete draft describes; undefined while a step is not complete. */
export const inputOf = (draft: SyncDraft): SyncInput | undefined => {
  const { model, destination, object, objectName, mode, rows, identifier, schedule } = draft
  if (firstOpen(draft) !== undefined) return undefined
  if (model === undefined || destination === undefined || object === undefined || mode === undefined) return undefined
  const event = eventOf(draft)
  const cursor = cursorOf(draft)
  return {
    title: titleOf(draft).trim(),
    model: model.name,
    destination: destination.name,
    object: object.name,
    object_name: object.named ? objectName.trim() : object.name,
    mode,
    identifier: event === undefined ? (rows[identifier]?.target.trim() ?? '') : eventIdentifier,
    fields: fieldsOfRows(rows),
    ...(event === undefined ? {} : { to_destinations: draft.toDestinations }),
    ...(ownsObjectOf(draft) ? { owns_object: true } : {}),
    ...(cursor === undefined ? {} : { cursor }),
    ...scheduleInput(schedule),
  }
}

/**
 * Returns the request for a dry run of a draft. The title can be missing. Undefined while another choice is missing.
 */
export const dryRunInputOf = (draft: SyncDraft) => {
  const input = inputOf({ ...draft, title: 'Dry run', schedule: manual })
  if (input === undefined) return undefined
  const { title: _title, interval_minutes: _interval, ...definition } = input
  return definition
}
