import type { SyncRunCounts } from '@tributary/contract'
import type { ChangeCount } from './store.ts'

/** Returns the group in which a written row is counted. */
export const groupOf = ({ change, operation }: Pick<ChangeCount, 'change' | 'operation'>) => {
  if (change === 'sent_again') return 'sent_again'
  if (operation === 'update') return 'updated'
  return change === 'added' ? 'added' : 'changed'
}

/** Returns the counts of a canceled run: rows without an outcome count as not sent. */
export const countsOfCanceled = ({ waiting, removals_waiting, ...counts }: SyncRunCounts): SyncRunCounts => ({
  ...counts,
  waiting: 0,
  not_sent: counts.not_sent + waiting,
  removals_waiting: 0,
  removals_not_sent: counts.removals_not_sent + removals_waiting,
})

/** Returns the number of rows if none of them could be sent; 0 for a run that sent some rows or had none. */
export const unsentRows = ({
  read,
  invalid,
  rejected,
}: Pick<SyncRunCounts, 'read' | 'invalid' | 'rejected'>): number => (read > 0 && invalid + rejected === read ? read : 0)

/**
 * Counts the rows of a run: each of the `read` rows once, by its last outcome, and removals separately. Rows without a
 * change are unchanged.
 */
export const countRows = (read: number, found: readonly ChangeCount[]): SyncRunCounts => {
  const counts = {
    read,
    added: 0,
    changed: 0,
    updated: 0,
    sent_again: 0,
    unchanged: 0,
    skipped: 0,
    invalid: 0,
    rejected: 0,
    waiting: 0,
    not_sent: 0,
    removed: 0,
    removals_rejected: 0,
    removals_waiting: 0,
    removals_not_sent: 0,
  }
  let changedRows = 0
  for (const { change, operation, status, keys, rows } of found) {
    if (change === 'removed') {
      if (status === 'delivered') counts.removed += keys
      else if (status === 'dead') counts.removals_rejected += keys
      else counts.removals_waiting += keys
      continue
    }
    changedRows += rows
    if (change === 'invalid' || change === 'duplicate') counts.invalid += rows
    else if (status === 'dead' || status === 'blocked') counts.rejected += rows
    else if (operation === '' || status === 'filtered') counts.skipped += rows
    else if (status === 'delivered') counts[groupOf({ change, operation })] += rows
    else counts.waiting += rows
  }
  return { ...counts, unchanged: read - changedRows }
}
