import { ownerOfEvent } from './owner.ts'

/**
 * Settings by which an acknowledged insert or merge is on disk. The engine removes the parts from which a merge was
 * made some minutes later.
 */
const synced = 'fsync_after_insert = 1, fsync_part_directory = 1'
/** Settings by which an acknowledged merge is on disk. */
const syncedMerges = 'index_granularity = 8192, min_rows_to_fsync_after_merge = 1'

/** Settings of a table in which the engine drops an insert that repeats one of the last `tokens` tokens. */
const durable = (tokens: number): string =>
  `non_replicated_deduplication_window = ${tokens}, ${synced}, ${syncedMerges}`

/**
 * Number of remembered tokens of tables into which the owners of all groups of partitions insert, twice a second each.
 * The ranges of a killed owner are repeated with their tokens. With 32 groups the tokens last for 26 minutes, with one
 * group for 14 hours.
 */
const manyTokens = 100_000

/**
 * Parts below 128 MiB are written as few files. With a file for each JSON path, an insert of 10,000 rows of 1.5 kB took
 * 45 to 50 µs of processor time a row. With 5,000 different property names it took 135 µs. With compact parts, it takes
 * 22 and 37 µs. Paths beyond `max_dynamic_paths` are stored together, in buckets. The 'advanced' form reads a rare path
 * faster, but merging two parts with 200,000 names that occur once each (ids as names) needed more than 2 GiB and never
 * ended. Buckets took 110 MB. With 1,024 paths instead of 256, an insert with 5,000 names would take twice as long.
 */
const compact = `min_bytes_for_wide_part = 134217728, object_shared_data_serialization_version = 'map_with_buckets',
  object_shared_data_serialization_version_for_zero_level_parts = 'map_with_buckets'`

/**
 * Every event of an accepted request, rejected ones included (`status`), so that a range of log positions is one
 * insert. A stored event never changes.
 *
 * - JSON columns serve queries only; `original` is the event as received.
 * - `context` is JSON text, read with JSONExtract. It has half a dozen paths that every SDK sends and few queries read.
 *   As a JSON column they would cost a third of an insert (38 against 25 µs of processor time a row of 800 bytes).
 * - `integrations` has a value for blocked events, and for events of a batch that had some. It is not part of
 *   `original`, and is needed when an event is sent again.
 * - `imported` says that a sync made the event of a row.
 * - A user is searched by user ID or anonymous ID. One index over both columns serves both conditions. With an index
 *   for each column, the engine would skip nothing in a disjunction. The count of one user's events among 3 million
 *   takes 20 ms instead of 120.
 * - `by_event` finds a rare name with 24 ms of processor time instead of 340.
 * - `by_time` has the times at which events happened. It finds the profiles that left the time span of a condition.
 */
const events = `create table if not exists events (
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
  compatibility LowCardinality(String),
  schema_version UInt32,
  problems Array(Tuple(property String, kind LowCardinality(String))),
  receive_time DateTime64(3, 'UTC'),
  timestamp DateTime64(3, 'UTC'),
  original_timestamp Nullable(DateTime64(3, 'UTC')),
  sent_at Nullable(DateTime64(3, 'UTC')),
  ip String,
  properties JSON(max_dynamic_paths=256),
  traits JSON(max_dynamic_paths=128),
  context String CODEC(ZSTD(1)),
  integrations String CODEC(ZSTD(1)),
  original String CODEC(ZSTD(1)),
  owner UInt64 materialized ${ownerOfEvent},
  imported Bool default false,
  index by_event_id event_id type bloom_filter(0.01) granularity 1,
  index by_message_id message_id type bloom_filter(0.01) granularity 4,
  index by_person (user_id, anonymous_id) type bloom_filter(0.01) granularity 1,
  index by_event event type bloom_filter(0.01) granularity 1,
  index by_time least(timestamp, receive_time) type minmax granularity 1
) engine = MergeTree
partition by toYYYYMM(receive_time)
order by (workspace_id, source_id, receive_time, event_id)
settings non_replicated_deduplication_window = ${manyTokens}, ${synced}, ${compact},
  ${syncedMerges}`

/**
 * Delivery attempts. `replay_id` is '' for events that are not replayed. Few granules contain replayed events, and the
 * index lets a count skip the others. Rows of producers have the kind of producer, the operation, the object and the
 * key. The later one of two changes of a record has the higher `version`.
 */
const deliveries = `create table if not exists deliveries (
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
  replay_id LowCardinality(String),
  producer LowCardinality(String),
  operation LowCardinality(String),
  object LowCardinality(String),
  key String,
  version UInt64,
  index by_event_id event_id type bloom_filter(0.01) granularity 1,
  index by_replay replay_id type set(8) granularity 1
) engine = MergeTree
partition by toYYYYMM(time)
order by (workspace_id, destination_id, time, event_id)
settings ${durable(10_000)}`

/** Counts, by source and hour, of events that are left out of `events` on purpose: repetitions of a message ID. */
const droppedEvents = `create table if not exists dropped_events (
  workspace_id LowCardinality(String),
  source_id LowCardinality(String),
  hour DateTime('UTC'),
  reason LowCardinality(String),
  events UInt64
) engine = SummingMergeTree
partition by toYYYYMM(hour)
order by (workspace_id, source_id, hour, reason)
settings ${durable(manyTokens)}`

/** Blocked events that were sent again. */
const replayedEvents = `create table if not exists replayed_events (
  workspace_id LowCardinality(String),
  source_id LowCardinality(String),
  event_id String,
  time DateTime64(3, 'UTC')
) engine = MergeTree
order by (workspace_id, source_id, event_id)
settings ${durable(10_000)}`

/**
 * Events of users who are being deleted, by the ID of the deletion request. They are hidden from then on, and removed
 * with their deliveries.
 */
const erasedEvents = `create table if not exists erased_events (
  workspace_id LowCardinality(String),
  request_id LowCardinality(String),
  event_id String
) engine = MergeTree
order by (workspace_id, request_id, event_id)
settings ${durable(10_000)}`

/**
 * The profiles of identifiers that did not begin a profile or have left it, by the first 8 bytes of their IDs. For each
 * owner, the row with the highest version counts. The row of owner 0 has the entry of the workspace's ledger up to
 * which the other rows are made.
 */
const profileOwners = `create table if not exists profile_owners (
  workspace_id LowCardinality(String),
  owner UInt64,
  profile UInt64,
  version UInt64
) engine = ReplacingMergeTree(version)
order by (workspace_id, owner)
settings ${durable(10_000)}`

/**
 * Returns the statement that creates a table of syncs. The engine does not deduplicate inserts into such a table: equal
 * blocks are stored as often as they are inserted.
 */
const ofSyncs = (name: string, columns: string, engine: string, partition: string, order: string): string =>
  `create table if not exists ${name} (
${columns}
) engine = ${engine}
partition by ${partition}
order by ${order}
settings ${synced}, ${syncedMerges}`

/**
 * Returns the statement that creates a table of keys, partitioned by run and sorted by key. Unlike the other statements,
 * it does not set `index_granularity`.
 */
const ofKeys = (name: string, columns: string): string =>
  `create table if not exists ${name} (
${columns}
) engine = MergeTree
partition by run_id
order by key
settings ${synced}, min_rows_to_fsync_after_merge = 1`

/**
 * Tables of syncs:
 * - `sync_staged`: the rows that a run has read, with the hash of what the destination should contain.
 * - `sync_confirmed`: what the destination is known to contain, in the highest version of a key. The value `held` is 0
 *   for nothing, 1 for what the sync wrote, and 2 for what was there before.
 * - `sync_changes`: the operations of a run, by number. The key of a removed row is also kept as JSON, in its original
 *   type.
 * - `sync_outcomes`: the outcomes of the operations, by number.
 * - `sync_listed`: the keys that the destination contains, if the sync owns its object.
 */
const syncs = [
  ofSyncs(
    'sync_staged',
    `  run_id String,
  key String,
  source_key String,
  payload String codec(ZSTD(1)),
  problem LowCardinality(String),
  hash FixedString(16) materialized sipHash128(payload)`,
    'MergeTree',
    'run_id',
    'key',
  ),
  ofSyncs(
    'sync_confirmed',
    `  sync_id String,
  key String,
  hash FixedString(16),
  held UInt8,
  version UInt64`,
    'ReplacingMergeTree(version)',
    'sync_id',
    'key',
  ),
  ofSyncs(
    'sync_changes',
    `  run_id String,
  number UInt64,
  key String,
  source_key String,
  change LowCardinality(String),
  operation LowCardinality(String),
  hash FixedString(16),
  rows UInt64,
  reason LowCardinality(String),
  key_json String,
  index by_key key type bloom_filter(0.01) granularity 1`,
    'MergeTree',
    'run_id',
    'number',
  ),
  ofSyncs(
    'sync_outcomes',
    `  run_id String,
  number UInt64,
  status LowCardinality(String),
  reason String,
  version UInt64,
  time DateTime64(3, 'UTC')`,
    'ReplacingMergeTree(version)',
    'run_id',
    'number',
  ),
  ofSyncs('sync_listed', '  run_id String,\n  key String', 'MergeTree', 'run_id', 'key'),
]

/**
 * Keys of a run that its destination regards as the same key. The table `sync_key_forms` has the forms by which the
 * destination compares keys. The table `sync_same_keys` has the keys that share a form:
 * - `kept` is the key whose row is written, '' for none,
 * - `refused` marks a row that is not sent because of the kept row,
 * - `again` means that the kept row is sent even if it is confirmed,
 * - `held` is what the destination contains of the key, `group_held` of all keys of the form.
 */
const keysOfSyncs = [
  ofKeys('sync_key_forms', '  run_id String,\n  key String,\n  form String'),
  ofKeys(
    'sync_same_keys',
    `  run_id String,
  key String,
  kept String,
  refused UInt8,
  again UInt8,
  held UInt8,
  group_held UInt8`,
  ),
]

/** The whole schema of version 0.2.0. */
export const statements = [
  events,
  deliveries,
  droppedEvents,
  replayedEvents,
  erasedEvents,
  profileOwners,
  ...syncs,
  ...keysOfSyncs,
]

/**
 * Statements that bring an event store of the last commit of version 0.1 to the same schema. Stored rows do not change.
 * They keep their owner, by which the profiles were made.
 */
export const completeEarlier = [
  `alter table events modify column owner UInt64 materialized ${ownerOfEvent}`,
  'alter table events add column if not exists imported Bool default false',
  'alter table sync_changes add column if not exists key_json String',
  ...keysOfSyncs,
]
