const durable = 'non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1'

/**
 * How each event fitted the schema of its source, by which version, and what did not fit. `replayed_events` names the
 * blocked events that were sent again: nothing of `events` is ever changed. `integrations` is filled for blocked events
 * and where a batch had some: those are no part of their original, and are needed when they are sent again.
 *
 * A person is looked for by user id or anonymous id. One index of both prunes for either (two indexes of one column each
 * prune nothing in a disjunction): 20 ms instead of 120 to count the events of one among 3 million. A filter for each
 * granule is hardly larger than one for four, and the few events of a person lie far apart. `by_event` finds a rare name
 * among 3 million events with 24 ms of processor time instead of 340. What both add to an insert is less than can be
 * measured (27 to 29 µs of processor time a row of 800 bytes, with and without).
 */
export const statements = [
  `alter table events
  add column if not exists compatibility LowCardinality(String) after reason,
  add column if not exists schema_version UInt32 after compatibility,
  add column if not exists problems Array(Tuple(property String, kind LowCardinality(String))) after schema_version,
  add column if not exists integrations String CODEC(ZSTD(1)) after context,
  drop index if exists by_user_id,
  add index if not exists by_person (user_id, anonymous_id) type bloom_filter(0.01) granularity 1,
  add index if not exists by_event event type bloom_filter(0.01) granularity 1`,
  `create table if not exists replayed_events (
  workspace_id LowCardinality(String),
  source_id LowCardinality(String),
  event_id String,
  time DateTime64(3, 'UTC')
) engine = MergeTree
order by (workspace_id, source_id, event_id)
settings ${durable}`,
]
