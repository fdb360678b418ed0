import type { SyncSample, sampleGroups } from '@tributary/contract'

/** What would be done about the rows of each group. */
export const groupTitles: Readonly<Record<(typeof sampleGroups)[number], string>> = {
  added: 'Added',
  changed: 'Changed',
  removed: 'Removed',
  skipped: 'Skipped',
  invalid: 'Invalid',
}

/** The fields of a row that are worth showing: of a changed one those that differ, as far as that is known. */
export const changedFields = ({ group, fields, before_known }: SyncSample): SyncSample['fields'] =>
  group === 'changed' && before_known ? fields.filter(({ before, after }) => before !== after) : fields
