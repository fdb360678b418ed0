import { z } from 'zod'
import { workspaceEditors } from '../api/access.ts'
import { errors, reference, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { syncRunRow } from './sync-run.ts'
import { syncChange, syncDefinition, syncLimits, wholeSync } from './syncs.ts'

/** The states of a dry run; the last three are final. */
export const syncDryRunStates = ['queued', 'reading', 'comparing', 'done', 'failed', 'canceled'] as const
export type SyncDryRunState = (typeof syncDryRunStates)[number]

const count = z.number().int()

/** The action of a run on a row. */
export const sampleGroups = ['added', 'changed', 'updated', 'sent_again', 'removed', 'skipped', 'invalid'] as const

/** A row that a run would act on or report. */
export const syncSample = z.object({
  group: z.enum(sampleGroups),
  ...syncRunRow.pick({ key: true, source_key: true, change: true, operation: true, reason: true, rows: true }).shape,
  /**
   * Values as JSON texts, truncated after some hundred characters.
   * - `before` is the value that this sync sent last. It is null when the field was not sent or its value is no longer
   * stored, as for all fields of a row with `before_known` false.
   * - `after` is null for a field that is not sent.
   */
  fields: z.array(z.object({ name: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
  before_known: z.boolean(),
})
export type SyncSample = z.infer<typeof syncSample>

/** A preview of a run. */
export const syncDryRun = z.object({
  /** `workspaces/{id}/syncDryRuns/{id}`. */
  name: z.string(),
  state: z.enum(syncDryRunStates),
  /** Name of the sync; '' for a sync that is not saved. */
  sync: z.string(),
  /** Number of rows read until now. */
  read: count,
  /**
   * Numbers of rows; null until the dry run is done. `read` is the sum of all others except `removed` and `history`.
   * Rows that the destination already has, skips, or rejects are unknown before a real run.
   */
  counts: z
    .object({
      read: count,
      added: count,
      changed: count,
      updated: count.default(0),
      sent_again: count.default(0),
      unchanged: count,
      skipped: count,
      invalid: count,
      removed: count,
      /** Rows among them that become events before the current usage period: they are stored and do not count in it. */
      history: count.default(0),
    })
    .nullable(),
  /**
   * The maximum number of events that the run adds to the usage of the current period; 0 for rows of a destination,
   * null until the dry run is done. Events from before the period, rejected, blocked, or duplicate ones add nothing.
   */
  usage_events: count.nullable(),
  /** The question that a run would ask before it sends; '' for none. */
  asks: z.string(),
  /** Sample rows, at most ten of each group. */
  samples: z.array(syncSample),
  /** Why the dry run failed; '' otherwise. */
  message: z.string(),
  create_time: time,
  finish_time: time.nullable(),
})
export type SyncDryRun = z.infer<typeof syncDryRun>

const busy = {
  code: 429,
  reason: 'WORKSPACE_BUSY',
  when: `The workspace has ${syncLimits.dryRuns} dry runs that have not ended.`,
} as const

export const syncDryRuns = {
  create: defineMethod({
    name: 'syncDryRuns.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncDryRuns',
    access: workspaceEditors,
    summary:
      'Begins a dry run of a sync that is not saved: reads the model and shows what the first run would send. Nothing is sent.',
    request: z.object({ ...syncDefinition, model: reference, destination: reference }),
    alsoKnown: wholeSync,
    response: syncDryRun,
    errors: [errors.invalid, errors.forbidden, errors.notFound, busy],
  }),
  createForSync: defineMethod({
    name: 'syncDryRuns.createForSync',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncs/{sync}:dryRun',
    access: workspaceEditors,
    summary:
      'Begins a dry run of a sync: reads the model and shows what the next run would do. With `mode`, `fields`, `guard_percent`, `owns_object`, or `cursor`, as if the sync were changed so; with `resync`, as a run that sends every row again. Nothing is sent.',
    request: z.object({ ...syncChange, resync: z.boolean().default(false) }),
    alsoKnown: wholeSync,
    response: syncDryRun,
    errors: [errors.invalid, errors.forbidden, errors.notFound, busy],
  }),
  get: defineMethod({
    name: 'syncDryRuns.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/syncDryRuns/{dry_run}',
    access: workspaceEditors,
    summary: 'Gets a dry run, with its progress or what it found. It can be read for an hour.',
    response: syncDryRun,
    errors: [errors.forbidden, errors.notFound],
  }),
  cancel: defineMethod({
    name: 'syncDryRuns.cancel',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncDryRuns/{dry_run}:cancel',
    access: workspaceEditors,
    summary: 'Cancels a dry run; nothing happens to one that has ended.',
    request: z.object({}),
    response: syncDryRun,
    errors: [errors.forbidden, errors.notFound],
  }),
}
