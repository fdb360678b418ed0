import type { SyncRunCounts } from '@tributary/contract'
import type { ChangeCount } from './store.ts'

/**
 * What has become of the rows of a run: each of the `read` counts once, by its last outcome, and removals apart. Changes that
 * are not told are of rows that are as they were.
 */
export const countRows = (read: number, found: readonly ChangeCount[]): SyncRunCounts => {
  const counts = {
    read,
    added: 0,
    changed: 0,
    unchanged: 0,
    skipped: 0,
    invalid: 0,
    rejected: 0,
    waiting: 0,
    removed: 0,
    removals_rejected: 0,
    removals_waiting: 0,
  }
  let told = 0
  for (const { change, operation, status, keys, rows } of found) {
    if (change === 'removed') {
      if (status === 'delivered') counts.removed += keys
      else if (status === 'dead') counts.removals_rejected += keys
      else counts.removals_waiting += keys
      continue
    }
    told += rows
    if (change === 'invalid' || change === 'duplicate') counts.invalid += rows
    else if (operation === '' || status === 'filtered') counts.skipped += rows
    else if (status === 'delivered') counts[change === 'added' ? 'added' : 'changed'] += rows
    else if (status === 'dead' || status === 'blocked') counts.rejected += rows
    else counts.waiting += rows
  }
  return { ...counts, unchanged: read - told }
}
