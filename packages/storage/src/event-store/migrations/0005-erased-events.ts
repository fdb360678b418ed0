/** Events of people who are being deleted, by the request that asks for it: hidden from then on, and removed with their deliveries. */
export const statements = [
  `create table if not exists erased_events (
  workspace_id LowCardinality(String),
  request_id LowCardinality(String),
  event_id String
) engine = MergeTree
order by (workspace_id, request_id, event_id)
settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`,
]
