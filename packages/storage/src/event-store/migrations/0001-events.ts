/** An acknowledged insert is on disk, and one repeated with its token is dropped by the engine. */
const durable = 'non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1'

/**
 * Parts below 128 MiB are written as few files. With a file for each JSON path an insert of 10,000 rows of 1.5 kB took
 * 45 to 50 µs of processor time a row (135 with 5,000 different property names), compact parts take 22 (37). Paths
 * beyond `max_dynamic_paths` are stored together, in buckets: the 'advanced' form reads a rare path faster, but merging
 * two parts with 200,000 names that occur once each (ids as names) needed more than 2 GiB and never ended; buckets took
 * 110 MB. 1,024 paths instead of 256 would make an insert with 5,000 names take twice as long.
 */
const compact = `min_bytes_for_wide_part = 134217728, object_shared_data_serialization_version = 'map_with_buckets',
  object_shared_data_serialization_version_for_zero_level_parts = 'map_with_buckets'`

/**
 * Events and delivery attempts. `events` holds every event of an accepted request, rejected ones included (status), so
 * that a range of log positions is one insert. JSON columns serve queries only; `original` is the event as received.
 * `context` is JSON text, read with JSONExtract: half a dozen paths that every SDK sends and few queries ask for cost a
 * third of an insert as a JSON column (38 against 25 µs of processor time a row of 800 bytes).
 * `dropped_events` counts per source and hour what was left out of `events` on purpose: repetitions of a message id.
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
  traits JSON(max_dynamic_paths=128),
  context String CODEC(ZSTD(1)),
  original String CODEC(ZSTD(1)),
  index by_event_id event_id type bloom_filter(0.01) granularity 1,
  index by_message_id message_id type bloom_filter(0.01) granularity 4,
  index by_user_id user_id type bloom_filter(0.01) granularity 4
) engine = MergeTree
partition by toYYYYMM(receive_time)
order by (workspace_id, source_id, receive_time, event_id)
settings ${durable}, ${compact}`,
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
settings ${durable}`,
  `create table if not exists dropped_events (
  workspace_id LowCardinality(String),
  source_id LowCardinality(String),
  hour DateTime('UTC'),
  reason LowCardinality(String),
  events UInt64
) engine = SummingMergeTree
partition by toYYYYMM(hour)
order by (workspace_id, source_id, hour, reason)
settings ${durable}`,
]
