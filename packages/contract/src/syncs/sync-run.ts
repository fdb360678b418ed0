import { z } from 'zod'
import { time } from '../api/fields.ts'
import { runCursor } from './sync-cursors.ts'

/** The states of a run. `partial`: it ended, and rows were rejected. */
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
  /** In a sync that only updates: existing rows. */
  updated: count.default(0),
  /** In a resync: rows that equal their confirmed state. */
  sent_again: count.default(0),
  unchanged: count,
  skipped: count,
  invalid: count,
  rejected: count,
  waiting: count,
  /** In a canceled run: planned rows. */
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
  /** All rows are sent again, even confirmed ones. */
  resync: z.boolean(),
  /** The run whose rejected rows are sent again; '' for a run of all rows. */
  rerun_of: z.string(),
  create_time: time,
  start_time: time.nullable(),
  finish_time: time.nullable(),
  /** The time when it last entered each of its states. */
  state_times: z.partialRecord(z.enum(syncRunStates), time),
  /** Number of rows read until now, in the response of `syncRuns.get`; 0 elsewhere until all rows are read. */
  rows_read: count,
  /** Its plan; null before that is computed. */
  planned: z.object({ added: count, changed: count, removed: count }).nullable(),
  /** Null until all rows are read. */
  counts: syncRunCounts.nullable(),
  /** Null before all rows are read, and for a sync without a cursor. */
  cursor: runCursor.nullable(),
  /** Why it failed, or what it asks; '' otherwise. */
  message: z.string(),
  /** The message of the sync's alerts about it; '' when there was none. */
  alert: z.string(),
  /** Name of the user who approved it; '' when no approval was needed. */
  approved_by: z.string(),
})
export type SyncRun = z.infer<typeof syncRun>

/** A row of a run that was not unchanged. */
export const syncRunRow = z.object({
  /** Its place in the run, from 1. */
  number: count,
  /** Its identifier at the destination; '' when it has none. */
  key: z.string(),
  /** Its primary key in the model; '' for a removal. */
  source_key: z.string(),
  change: z.enum(['added', 'changed', 'updated', 'sent_again', 'foreign', 'removed', 'duplicate', 'invalid']),
  /** '' when nothing is sent. */
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
  /** Counts from 1. */
  attempt: count,
  /** 0 when there was no response, or the destination does not use HTTP. */
  http_status: count,
  latency_ms: count,
  reason: z.string(),
  /** At most some kilobytes, without secrets, and stored for failures only; a request can include other rows. */
  request: z.string(),
  response: z.string(),
})
export type SyncRowAttempt = z.infer<typeof syncRowAttempt>
