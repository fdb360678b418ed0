/** Keys that the destination has, as a run of a sync that owns its object has listed them. */
export const statements = [
  `create table if not exists sync_listed (
  run_id String,
  key String
) engine = MergeTree
partition by run_id
order by key
settings fsync_after_insert = 1, fsync_part_directory = 1`,
]
