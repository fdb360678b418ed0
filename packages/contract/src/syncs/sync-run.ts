import { z } from 'zod'
import { time } from '../api/fields.ts'
import { runCursor } from './sync-cursors.ts'

/** The states of a run. `partial`: the run ended, but some rows were rejected. */
export const syncRunStates = [
  'queued',
  'extracting',
  'diffing',
  'needs_approval',
  'sending',
  'canceling',
  'succeeded',
  'partial',
  'failed',
  'canceled',
] as const
export type SyncRunState = (typeof syncRunStates)[number]

/** Final states of a run. */
export const endedSyncRuns: readonly SyncRunState[] = ['succeeded', 'partial', 'failed', 'canceled']

/** States of runs that sent everything. */
export const sentSyncRuns: readonly SyncRunState[] = ['succeeded', 'partial']

const count = z.number().int()

/**
 * The outcomes of the rows of a run. Each read row counts once, by its last outcome: `read` is the sum of `added`,
 * `changed`, `unchanged`, `skipped`, `invalid`, `rejected` and `waiting`. Removals are of rows that are no longer in
 * the model.
 */
export const syncRunCounts = z.object({
  read: count,
  added: count,
  changed: count,
  /** In a sync that only updates: number of existing rows. */
  updated: count.default(0),
  /** In a resync: number of rows that equal their confirmed state. */
  sent_again: count.default(0),
  unchanged: count,
  skipped: count,
  invalid: count,
  rejected: count,
  waiting: count,
  /** In a canceled run: number of planned rows that were not sent. */
  not_sent: count.default(0),
  removed: count,
  removals_rejected: count,
  removals_waiting: count,
  removals_not_sent: count.default(0),
})
export type SyncRunCounts = z.infer<typeof syncRunCounts>

/** One run of a sync. */
export const syncRun = z.object({
  /** `workspaces/{id}/syncs/{id}/runs/{id}`. */
  name: z.string(),
  state: z.enum(syncRunStates),
  trigger: z.enum(['manual', 'schedule', 'after', 'api']),
  /** Whether all rows are sent again, even confirmed ones. */
  resync: z.boolean(),
  /** The run whose rejected rows are sent again; '' for a run of all rows. */
  rerun_of: z.string(),
  create_time: time,
  start_time: time.nullable(),
  finish_time: time.nullable(),
  /** The time when the run last entered each of its states. */
  state_times: z.partialRecord(z.enum(syncRunStates), time),
  /** Number of rows read until now. Other responses than that of `syncRuns.get` have 0 until all rows are read. */
  rows_read: count,
  /** The planned changes; null before the plan is computed. */
  planned: z.object({ added: count, changed: count, removed: count }).nullable(),
  /** Outcomes of the rows; null until all rows are read. */
  counts: syncRunCounts.nullable(),
  /** The range that the run read; null before all rows are read, and for a sync without a cursor. */
  cursor: runCursor.nullable(),
  /** Why the run failed, or the question that it asks; '' otherwise. */
  message: z.string(),
  /** The message that the sync's alerts sent about the run; '' if there was none. */
  alert: z.string(),
  /** Name of the user who approved the run; '' if no approval was needed. */
  approved_by: z.string(),
})
export type SyncRun = z.infer<typeof syncRun>

/** A row of a run whose change is not `unchanged`. */
export const syncRunRow = z.object({
  /** Position of the row in the run, from 1. */
  number: count,
  /** Identifier of the row at the destination; '' if it has none. */
  key: z.string(),
  /** Primary key of the row in the model; '' for a removal. */
  source_key: z.string(),
  change: z.enum(['added', 'changed', 'updated', 'sent_again', 'foreign', 'removed', 'duplicate', 'invalid']),
  /** The operation at the destination; '' if nothing is sent. */
  operation: z.enum(['', 'upsert', 'update', 'insert', 'delete']),
  outcome: z.enum(['waiting', 'delivered', 'retrying', 'rejected', 'skipped', 'invalid', 'not_sent']),
  reason: z.string(),
  /** Number of rows of the model with this key. */
  rows: count,
})
export type SyncRunRow = z.infer<typeof syncRunRow>

/** The last attempt to deliver a row. */
export const syncRowAttempt = z.object({
  time,
  /** Number of the attempt, from 1. */
  attempt: count,
  /** HTTP status of the response; 0 when there was none, or the destination does not use HTTP. */
  http_status: count,
  latency_ms: count,
  reason: z.string(),
  /**
   * Request and response of a failed attempt, at most some kilobytes and without secrets. A request can include other
   * rows.
   */
  request: z.string(),
  response: z.string(),
})
export type SyncRowAttempt = z.infer<typeof syncRowAttempt>
