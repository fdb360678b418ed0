const tables = [
  'events',
  'deliveries',
  'dropped_events',
  'replayed_events',
  'erased_events',
  'profile_owners',
  'sync_staged',
  'sync_confirmed',
  'sync_changes',
  'sync_outcomes',
  'sync_listed',
  'schema_versions',
]

/**
 * What merges and removals write is synced, too: the parts that it is made of are removed some minutes later, and a removal
 * that was acknowledged holds from then on.
 */
export const statements = tables.map((table) => `alter table ${table} modify setting min_rows_to_fsync_after_merge = 1`)
