import type { MethodRequest, MethodResponse, methods, SyncField, SyncRowPreview } from '@tributary/contract'
import type { BadgeTone } from '../../../ui/badge.tsx'

/** A saved or unsaved sync with the primary key of the row to test. If there is no key, the first row is tested. */
export type RowTrial = MethodRequest<typeof methods.syncTestRows.preview>
export type SentTestRow = MethodResponse<typeof methods.syncTestRows.send>

/** The fields of a sync that decide the payload of its rows. */
export type TestedSync = {
  model: string
  destination: string
  object: string
  object_name: string
  mode: RowTrial['mode']
  identifier: string
  fields: readonly SyncField[]
}

/** Returns the test of the row with a key or, if `key` is undefined, of the first row. */
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

/** Describes the effect that sending a row has at the destination, as a sentence. */
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
