import type { MethodRequest, MethodResponse, methods, SyncField, SyncMode, SyncRowPreview } from '@tributary/contract'
import type { BadgeTone } from '../../../ui/badge.tsx'

/** A sync, saved or not, that a row is tried with, and the row's primary key; without one the first row. */
export type RowTrial = MethodRequest<typeof methods.syncTestRows.preview>
export type SentTestRow = MethodResponse<typeof methods.syncTestRows.send>

/** What of a sync decides what its rows become. */
export type TestedSync = {
  model: string
  destination: string
  object: string
  object_name: string
  mode: SyncMode
  identifier: string
  fields: readonly SyncField[]
}

/** A trial with the first row, or the one with a key. */
export const trialOf = (of: TestedSync, key: readonly string[] | undefined): RowTrial => ({
  model: of.model,
  destination: of.destination,
  object: of.object,
  object_name: of.object_name,
  mode: of.mode,
  identifier: of.identifier,
  fields: of.fields.map(({ column, target }) => ({ column, target })),
  ...(key === undefined ? {} : { key: [...key] }),
})

/** What sending does at the destination, in a sentence. */
export const operationSentences: Readonly<Record<Exclude<SyncRowPreview['operation'], 'event'>, string>> = {
  upsert: 'The row is added there, or replaces the one with this key.',
  update: 'The row with this key is updated there, if there is one.',
  insert: 'The row is added there, unless there is one with this key.',
}

export const operationTitles: Readonly<Record<SyncRowPreview['operation'], string>> = {
  upsert: 'Create or update',
  update: 'Update',
  insert: 'Insert',
  event: 'Event',
}

export const outcomeBadges: Readonly<Record<SentTestRow['outcome'], { label: string; tone: BadgeTone }>> = {
  delivered: { label: 'Delivered', tone: 'success' },
  retry: { label: 'Would be retried', tone: 'warning' },
  rejected: { label: 'Rejected', tone: 'danger' },
  skipped: { label: 'Skipped', tone: 'neutral' },
  none: { label: 'Nothing sent', tone: 'neutral' },
}
