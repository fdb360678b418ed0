import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import {
  empty,
  errors,
  line,
  maskQuery,
  nextPageToken,
  pageQuery,
  reference,
  requestId,
  storableText,
  time,
} from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { syncMode, syncModeInput } from '../rules/catalog.ts'
import { genericTitle } from '../rules/value-rules.ts'
import { syncCursor, syncCursorInput } from './sync-cursors.ts'
import { syncRowAttempt, syncRun, syncRunRow } from './sync-run.ts'

/** Limits of syncs. */
export const syncLimits = {
  /** Maximum syncs of a workspace. */
  syncs: 100,
  /** Maximum fields of a mapping. */
  fields: 500,
  /** Maximum rows of a run. */
  rows: 100_000_000,
  /** Maximum characters of a key, and of a row in its payload. */
  keyCharacters: 1000,
  rowCharacters: 128 * 1024,
  /** Number of runs of a sync whose rows are stored. */
  runs: 20,
  /** Maximum dry runs of a workspace at a time. */
  dryRuns: 4,
} as const

/** The possible intervals between scheduled runs, in minutes. */
export const syncIntervals = [15, 60, 360, 1440] as const

const name = storableText(300).min(1, 'Required')

/** A column of the model, and its field at the destination. */
export const syncField = z.object({ column: name, target: name })
export type SyncField = z.infer<typeof syncField>

const fields = z
  .array(syncField)
  .min(1, 'Map at least one column')
  .max(syncLimits.fields, `At most ${syncLimits.fields} fields`)
  .refine((list) => new Set(list.map(({ target }) => target)).size === list.length, 'Map each field once')

const interval = z.union(syncIntervals.map((minutes) => z.literal(minutes))).nullable()
const guardPercent = z.number().int().min(0, 'At least 0').max(100, 'At most 100')

/** The schedule of a sync. At most one field is set; no field is set for a sync that users start. */
export const syncSchedule = z.object({
  interval_minutes: interval,
  /**
   * A cron expression (minute, hour, day of the month, month, day of the week), and its time zone such as
   * `Europe/Berlin`.
   */
  cron: z.object({ expression: line(100).min(1, 'Required'), time_zone: line(100).min(1, 'Required') }).nullable(),
  /** Name of another sync. This sync runs after each run of that sync that did not fail. */
  after: reference.nullable(),
})
export type SyncSchedule = z.infer<typeof syncSchedule>

const percent = (max: number) =>
  z.number().int('Enter a whole number').min(0, 'At least 0').max(max, `At most ${max}`).nullable()

/**
 * The conditions that notify administrators and collaborators of a run; null for never. They are notified again when
 * the runs recover.
 */
export const syncAlerts = z.object({
  failed: z.boolean(),
  /** Notify if more than this percentage of the rows was rejected. */
  rejected_percent: percent(100),
  /** Notify if the run took longer than this number of minutes. */
  minutes: percent(10_000),
  /**
   * Notify if the number of read rows differs by this percentage from the median of the previous runs, of which there
   * must be three.
   */
  rows_percent: percent(1000),
})
export type SyncAlerts = z.infer<typeof syncAlerts>

/** The alerts of a sync that has not changed them. */
export const defaultSyncAlerts: SyncAlerts = { failed: true, rejected_percent: null, minutes: null, rows_percent: null }

/** The configuration of a sync; `fields` map columns of a model. */
export const syncDefinition = {
  object: name,
  object_name: name,
  mode: syncModeInput,
  identifier: name,
  fields,
  guard_percent: guardPercent.default(20),
  /** For a sync to events of a source: whether connected destinations also receive the events. */
  to_destinations: z.boolean().default(false),
  /**
   * With the mode FULL_SYNC: whether a run removes all records of the object that are not in the model, even records
   * that the sync did not write.
   */
  owns_object: z.boolean().default(false),
  /** The cursor, for rows of databases in a mode that does not remove rows. Null: each run reads all rows. */
  cursor: syncCursorInput.nullable().default(null),
}
/** The fields that users can change later. */
export const syncChange = {
  mode: syncModeInput.optional(),
  fields: fields.optional(),
  guard_percent: guardPercent.optional(),
  to_destinations: z.boolean().optional(),
  owns_object: z.boolean().optional(),
  cursor: syncCursorInput.nullable().optional(),
}

/** Fields of a complete sync. Tests and dry runs accept them in the same form as a saved sync. */
export const wholeSync: readonly string[] = [
  'title',
  'model',
  'destination',
  ...Object.keys(syncDefinition),
  ...Object.keys(syncSchedule.shape),
  'alerts',
  'request_id',
]

/** A sync of the rows of a model to a destination. */
export const sync = z.object({
  /** `workspaces/{id}/syncs/{id}`. */
  name: z.string(),
  title: z.string(),
  /**
   * The model of the sync. `audience` is the resource name of the audience whose members the model reads; '' for none.
   */
  model: z.object({ name: z.string(), title: z.string(), audience: z.string() }),
  /** The destination, or the source of the workspace if rows become events. */
  destination: z.object({ name: z.string(), title: z.string() }),
  /**
   * A row object of the destination's app, and its name at the destination, such as a table name. For a source,
   * `events` and the default name of the events, or `profiles`.
   */
  object: z.string(),
  object_name: z.string(),
  mode: syncMode,
  /** The field that identifies a record. */
  identifier: z.string(),
  fields: z.array(syncField),
  /** Maximum percentage of the rows that a run can remove or change without approval. */
  guard_percent: z.number().int(),
  to_destinations: z.boolean(),
  owns_object: z.boolean(),
  /** The cursor by which only new and changed rows are read; null when each run reads all rows. */
  cursor: syncCursor.nullable(),
  interval_minutes: syncSchedule.shape.interval_minutes,
  cron: syncSchedule.shape.cron,
  /** The sync after whose runs this sync runs. */
  after: z.object({ name: z.string(), title: z.string() }).nullable(),
  paused: z.boolean(),
  /** The time of the next scheduled run; null without a schedule, or if the sync runs after another sync. */
  next_run_time: time.nullable(),
  /** Why the last scheduled time started no run, or that the sync before it was deleted; '' otherwise. */
  schedule_note: z.string(),
  alerts: syncAlerts,
  last_run: syncRun.nullable(),
  create_time: time,
  update_time: time,
})
export type Sync = z.infer<typeof sync>

const changed = {
  code: 409,
  reason: 'SYNC_RUN_STATE',
  when: 'The run is in a state in which this cannot be done.',
} as const
const sentOnce = {
  code: 409,
  reason: 'SYNC_OF_EVENTS',
  when: 'Rows of the sync become events. They are not sent again.',
} as const
const active = { code: 409, reason: 'SYNC_RUNNING', when: 'A run of the sync has not ended.' } as const

export const syncs = {
  list: defineMethod({
    name: 'syncs.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/syncs',
    access: workspaceMembers,
    summary: 'Lists the syncs of a workspace, newest first, each with its last run.',
    query: pageQuery,
    response: z.object({ syncs: z.array(sync), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'syncs.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/syncs/{sync}',
    access: workspaceMembers,
    summary: 'Gets a sync with its last run.',
    response: sync,
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'syncs.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncs',
    access: workspaceEditors,
    summary:
      'Creates a sync of a model to a row object of a destination, or to events of a source: then `destination` names the source, `object` is `events` or `profiles`, and `identifier` is `messageId`. Nothing runs yet.',
    request: z.object({
      title: genericTitle,
      model: reference,
      destination: reference,
      ...syncDefinition,
      interval_minutes: interval.default(null),
      cron: syncSchedule.shape.cron.default(null),
      after: syncSchedule.shape.after.default(null),
      alerts: syncAlerts.default(defaultSyncAlerts),
      request_id: requestId,
    }),
    response: sync,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  update: defineMethod({
    name: 'syncs.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/syncs/{sync}',
    access: workspaceEditors,
    summary:
      'Changes title, mode, fields, guard, cursor, schedule, or alerts of a sync, whether its events go to connected destinations, or whether it owns its object. A changed mapping marks rows changed at the next run. One of `interval_minutes`, `cron`, and `after` replaces the schedule.',
    query: maskQuery,
    request: z.object({
      title: genericTitle.optional(),
      ...syncChange,
      ...syncSchedule.partial().shape,
      alerts: syncAlerts.optional(),
    }),
    response: sync,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'syncs.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/syncs/{sync}',
    access: workspaceEditors,
    summary: 'Deletes a sync with its runs. Rows stay at the destination, and what was already sent may still arrive.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
  run: defineMethod({
    name: 'syncs.run',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncs/{sync}:run',
    access: workspaceEditors,
    summary: 'Runs a sync now. With `resync`, every row is read and sent again, not only those that changed.',
    request: z.object({ resync: z.boolean().default(false) }),
    response: syncRun,
    errors: [errors.forbidden, errors.notFound, active, sentOnce],
  }),
  pause: defineMethod({
    name: 'syncs.pause',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncs/{sync}:pause',
    access: workspaceEditors,
    summary: 'Pauses the schedule of a sync. A run that has begun goes on.',
    request: z.object({}),
    response: sync,
    errors: [errors.forbidden, errors.notFound],
  }),
  resume: defineMethod({
    name: 'syncs.resume',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncs/{sync}:resume',
    access: workspaceEditors,
    summary: 'Resumes the schedule of a sync.',
    request: z.object({}),
    response: sync,
    errors: [errors.forbidden, errors.notFound],
  }),
  reset: defineMethod({
    name: 'syncs.reset',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncs/{sync}:reset',
    access: workspaceEditors,
    summary:
      'Forgets which rows the destination has confirmed. The next run counts as the first one: it sends everything and removes nothing.',
    request: z.object({}),
    response: sync,
    errors: [errors.forbidden, errors.notFound, active, sentOnce],
  }),
}

export const syncRuns = {
  list: defineMethod({
    name: 'syncRuns.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/syncs/{sync}/runs',
    access: workspaceMembers,
    summary: 'Lists the runs of a sync, newest first. Rows of a run that is sending count as waiting.',
    query: pageQuery,
    response: z.object({ runs: z.array(syncRun), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'syncRuns.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/syncs/{sync}/runs/{run}',
    access: workspaceMembers,
    summary: 'Gets a run with what has become of its rows so far.',
    response: syncRun,
    errors: [errors.notFound, errors.unavailable],
  }),
  listRows: defineMethod({
    name: 'syncRuns.listRows',
    verb: 'GET',
    path: '/workspaces/{workspace}/syncs/{sync}/runs/{run}/rows',
    access: workspaceEditors,
    summary: `Lists the rows of a run that were not unchanged, in the order in which they are sent; those of one key with \`key\`, those with one outcome with \`outcome\`. Rows of the last ${syncLimits.runs} runs are kept.`,
    query: pageQuery.extend({
      key: storableText(syncLimits.keyCharacters).optional(),
      outcome: syncRunRow.shape.outcome.optional(),
    }),
    response: z.object({ rows: z.array(syncRunRow), next_page_token: nextPageToken }),
    errors: [errors.invalid, errors.forbidden, errors.notFound, errors.unavailable],
  }),
  getRowAttempt: defineMethod({
    name: 'syncRuns.getRowAttempt',
    verb: 'GET',
    path: '/workspaces/{workspace}/syncs/{sync}/runs/{run}/rows/{row}:attempt',
    access: workspaceEditors,
    summary:
      "Gets the last attempt to deliver a row of a run, by the row's number, with request and response of one that failed. Null while there is none, and when it is no longer kept.",
    response: z.object({ attempt: syncRowAttempt.nullable() }),
    errors: [errors.forbidden, errors.notFound, errors.unavailable],
  }),
  approve: defineMethod({
    name: 'syncRuns.approve',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncs/{sync}/runs/{run}:approve',
    access: workspaceEditors,
    summary: 'Approves a run that asks: it goes on with what it has planned.',
    request: z.object({}),
    response: syncRun,
    errors: [errors.forbidden, errors.notFound, changed],
  }),
  cancel: defineMethod({
    name: 'syncRuns.cancel',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncs/{sync}/runs/{run}:cancel',
    access: workspaceEditors,
    summary: 'Cancels a run. Rows already handed to delivery still go, and the run waits for them.',
    request: z.object({}),
    response: syncRun,
    errors: [errors.forbidden, errors.notFound, changed],
  }),
  rerun: defineMethod({
    name: 'syncRuns.rerun',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncs/{sync}/runs/{run}:rerun',
    access: workspaceEditors,
    summary: `Begins a run of the rows that this run had rejected, with their latest values. The last ${syncLimits.runs - 1} runs can be rerun.`,
    request: z.object({}),
    response: syncRun,
    errors: [errors.forbidden, errors.notFound, changed, active],
  }),
}
