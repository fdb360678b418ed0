/**
 * Events and delivery attempts. `events` holds every event of an accepted request, rejected ones included (status), so
 * that a range of log positions is one insert. JSON columns serve queries only; `original` is the event as received.
 */
export const statements = [
  `create table if not exists events (
  workspace_id LowCardinality(String),
  source_id LowCardinality(String),
  event_id String,
  message_id String,
  type LowCardinality(String),
  event String,
  user_id String,
  anonymous_id String,
  group_id String,
  previous_id String,
  test Bool,
  status LowCardinality(String),
  reason String,
  receive_time DateTime64(3, 'UTC'),
  timestamp DateTime64(3, 'UTC'),
  original_timestamp Nullable(DateTime64(3, 'UTC')),
  sent_at Nullable(DateTime64(3, 'UTC')),
  ip String,
  properties JSON(max_dynamic_paths=256),
  traits JSON(max_dynamic_paths=256),
  context JSON(max_dynamic_paths=256),
  original String CODEC(ZSTD(1)),
  index by_event_id event_id type bloom_filter(0.01) granularity 1,
  index by_message_id message_id type bloom_filter(0.01) granularity 4,
  index by_user_id user_id type bloom_filter(0.01) granularity 4
) engine = MergeTree
partition by toYYYYMM(receive_time)
order by (workspace_id, source_id, receive_time, event_id)
settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`,
  `create table if not exists deliveries (
  workspace_id LowCardinality(String),
  source_id LowCardinality(String),
  destination_id LowCardinality(String),
  event_id String,
  message_id String,
  event_type LowCardinality(String),
  event String,
  time DateTime64(3, 'UTC'),
  attempt UInt32,
  status LowCardinality(String),
  http_status UInt16,
  latency_ms UInt32,
  reason String,
  request String CODEC(ZSTD(1)),
  response String CODEC(ZSTD(1)),
  index by_event_id event_id type bloom_filter(0.01) granularity 1
) engine = MergeTree
partition by toYYYYMM(time)
order by (workspace_id, destination_id, time, event_id)
settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`,
]
