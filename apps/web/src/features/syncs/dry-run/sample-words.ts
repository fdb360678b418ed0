import type { SyncSample, sampleGroups } from '@tributary/contract'

/** The titles of the groups of rows. */
export const groupTitles: Readonly<Record<(typeof sampleGroups)[number], string>> = {
  added: 'Added',
  changed: 'Changed',
  updated: 'Updated',
  sent_again: 'Sent again',
  removed: 'Removed',
  skipped: 'Skipped',
  invalid: 'Invalid',
}

/**
 * Returns the fields of a row to show: for a changed row those that differ (if the previous ones are known), otherwise
 * all.
 */
export const changedFields = ({ group, fields, before_known }: SyncSample): SyncSample['fields'] =>
  (group === 'changed' || group === 'updated') && before_known
    ? fields.filter(({ before, after }) => before !== after)
    : fields
