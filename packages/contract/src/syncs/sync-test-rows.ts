import { z } from 'zod'
import { workspaceEditors } from '../api/access.ts'
import { errors, reference, storableText } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { dataQueryErrors } from '../data-sources/data-sources.ts'
import { dataSourceLimits } from '../data-sources/queries.ts'
import { syncDefinition, syncLimits } from './syncs.ts'

/** Rows of a model that are read at most to find the one with a key. */
export const testRowsRead = 1_000_000

/** A sync, saved or not, and the row that it is tried with: the first one of the model, or the one with a primary key. */
const trial = z.object({
  model: reference,
  destination: reference,
  object: syncDefinition.object,
  object_name: syncDefinition.object_name,
  mode: syncDefinition.mode,
  identifier: syncDefinition.identifier,
  fields: syncDefinition.fields,
  /** Values of the primary key in the order of its columns, as the data source writes them. */
  key: z.array(storableText(syncLimits.keyCharacters)).min(1).max(dataSourceLimits.keyColumns).optional(),
})

/** What a run would send of a row. */
const tried = z.object({
  /** False where the model has no such row; `reason` says so. */
  found: z.boolean(),
  /** Its primary key in the model, several columns as a JSON list; and what it is known by at the destination, '' when that cannot be told. */
  source_key: z.string(),
  key: z.string(),
  /** What the mode does with a row that is not known yet. */
  operation: z.enum(['upsert', 'update', 'insert', 'event']),
  /** What the destination is given, as JSON text; empty when the row is not valid, of which `reason` says why. */
  payload: z.string(),
  /** Why there is nothing to send; of a row that was sent what the destination says, unless it has it now. */
  reason: z.string(),
})
export type SyncRowPreview = z.infer<typeof tried>

export const syncTestRows = {
  preview: defineMethod({
    name: 'syncTestRows.preview',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncs:previewRow',
    access: workspaceEditors,
    summary:
      'Reads one row of a model, the first or the one with a primary key, and shows what a run of a sync, saved or not, would send of it. Nothing is sent.',
    request: trial,
    response: tried,
    errors: [...dataQueryErrors],
  }),
  send: defineMethod({
    name: 'syncTestRows.send',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncs:sendTestRow',
    access: workspaceEditors,
    summary:
      'Reads one row of a model and writes it to the destination, with the operation of the mode, and returns the request and response. Not retried, not logged as a delivery, and unknown to the sync: its next run sends the row as if it had not been sent.',
    request: trial,
    response: tried.extend({
      /**
       * `delivered`, `retry` (would be tried again), `rejected`, `skipped` (an insert of what is there, or an update of what is
       * not), or `none` where nothing was sent.
       */
      outcome: z.enum(['delivered', 'retry', 'rejected', 'skipped', 'none']),
      /** 0 when there was no response, or the destination does not speak HTTP. */
      http_status: z.number().int(),
      latency_ms: z.number().int(),
      /** Without secrets. */
      request: z.string(),
      response: z.string(),
    }),
    errors: [...dataQueryErrors, errors.tooMany],
  }),
}
