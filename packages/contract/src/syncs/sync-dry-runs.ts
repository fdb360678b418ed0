import { z } from 'zod'
import { workspaceEditors } from '../api/access.ts'
import { errors, reference, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { syncChange, syncDefinition, syncLimits, syncRunRow } from './syncs.ts'

/** What a dry run is at; nothing happens any more in the last three. */
export const syncDryRunStates = ['queued', 'reading', 'comparing', 'done', 'failed', 'canceled'] as const
export type SyncDryRunState = (typeof syncDryRunStates)[number]

const count = z.number().int()

/** What is done about a row, in one word. */
export const sampleGroups = ['added', 'changed', 'removed', 'skipped', 'invalid'] as const

/** A row of which a run would do or say something. */
export const syncSample = z.object({
  group: z.enum(sampleGroups),
  ...syncRunRow.pick({ key: true, source_key: true, change: true, operation: true, reason: true, rows: true }).shape,
  /**
   * Values as JSON texts, cut after some hundred characters. `before` is what this sync sent last: null when the field was
   * not sent, or when that is not kept any more, as of every field of a row whose `before_known` is false. `after` is
   * null for a field that is not sent.
   */
  fields: z.array(z.object({ name: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
  before_known: z.boolean(),
})
export type SyncSample = z.infer<typeof syncSample>

/** What a run would do, without doing it. */
export const syncDryRun = z.object({
  /** `workspaces/{id}/syncDryRuns/{id}`. */
  name: z.string(),
  state: z.enum(syncDryRunStates),
  /** The sync it is of; '' for one that is not saved. */
  sync: z.string(),
  /** Rows that were read so far. */
  read: count,
  /**
   * Null until it is done. `read` is the sum of all others but `removed`. What the destination has, skips, and rejects is only
   * known when it is written to: of what is to be sent, some may be skipped or rejected then.
   */
  counts: z
    .object({
      read: count,
      added: count,
      changed: count,
      unchanged: count,
      skipped: count,
      invalid: count,
      removed: count,
    })
    .nullable(),
  /** What the run would ask before it sends; '' when it would not. */
  asks: z.string(),
  /** At most ten of each group. */
  samples: z.array(syncSample),
  /** Why it failed; '' otherwise. */
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
