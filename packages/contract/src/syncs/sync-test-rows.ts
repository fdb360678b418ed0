import { z } from 'zod'
import { workspaceEditors } from '../api/access.ts'
import { errors, reference, storableText } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { dataQueryErrors } from '../data-sources/data-sources.ts'
import { dataSourceLimits } from '../data-sources/queries.ts'
import { syncDefinition, syncLimits, wholeSync } from './syncs.ts'

/** Maximum rows of a model that are read to find the row with a given key. */
export const testRowsRead = 1_000_000

/** A sync, saved or not, and its test row: the first row of the model, or the row with the given primary key. */
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

/** The payload that a run would send for a row. */
const tried = z.object({
  /** False when the model has no such row; `reason` says so. */
  found: z.boolean(),
  /**
   * Primary key of the row in the model (several columns as a JSON list), and identifier of the row at the destination;
   * '' if it has none.
   */
  source_key: z.string(),
  key: z.string(),
  /** The operation that the mode uses for a new row. */
  operation: z.enum(['upsert', 'update', 'insert', 'event']),
  /** The payload for the destination, as JSON text; empty for an invalid row, whose `reason` says why. */
  payload: z.string(),
  /** Why nothing was sent, or the destination's message about a row that was not delivered. */
  reason: z.string(),
})
export type SyncRowPreview = z.infer<typeof tried>

export const syncTestRows = {
  preview: defineMethod({
    name: 'syncTestRows.preview',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncs:previewRow',
    access: workspaceEditors,
    places: 'abroad',
    summary:
      'Reads one row of a model, the first or the one with a primary key, and shows what a run of a sync, saved or not, would send of it. Nothing is sent.',
    request: trial,
    alsoKnown: wholeSync,
    response: tried,
    errors: [...dataQueryErrors],
  }),
  send: defineMethod({
    name: 'syncTestRows.send',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncs:sendTestRow',
    access: workspaceEditors,
    places: 'abroad',
    summary:
      'Reads one row of a model and writes it to the destination, with the operation of the mode, and returns the request and response. Not retried, not logged as a delivery, and unknown to the sync: its next run sends the row as if it had not been sent.',
    request: trial,
    alsoKnown: wholeSync,
    response: tried.extend({
      /**
       * The outcome of the sent row. `retry`: a run would retry it. `skipped`: an insert of an existing record, or an
       * update of a missing one. `none`: nothing was sent.
       */
      outcome: z.enum(['delivered', 'retry', 'rejected', 'skipped', 'none']),
      /** HTTP status of the response; 0 when there was none, or the destination does not use HTTP. */
      http_status: z.number().int(),
      latency_ms: z.number().int(),
      /** Without secrets. */
      request: z.string(),
      response: z.string(),
    }),
    errors: [...dataQueryErrors, errors.tooMany],
  }),
}
