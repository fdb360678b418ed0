const durable = 'non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1'

/**
 * How each event fitted the schema of its source, by which version, and what did not fit. `replayed_events` names the
 * blocked events that were sent again: nothing of `events` is ever changed. `integrations` is filled for blocked events
 * only: those of their batch are no part of their original, and are needed when they are sent again.
 */
export const statements = [
  `alter table events
  add column if not exists compatibility LowCardinality(String) after reason,
  add column if not exists schema_version UInt32 after compatibility,
  add column if not exists problems Array(Tuple(property String, kind LowCardinality(String))) after schema_version,
  add column if not exists integrations String CODEC(ZSTD(1)) after context`,
  `create table if not exists replayed_events (
  workspace_id LowCardinality(String),
  source_id LowCardinality(String),
  event_id String,
  time DateTime64(3, 'UTC')
) engine = MergeTree
order by (workspace_id, source_id, event_id)
settings ${durable}`,
]
