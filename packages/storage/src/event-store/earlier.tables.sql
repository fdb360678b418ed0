CREATE TABLE deliveries
(
    `workspace_id` LowCardinality(String),
    `source_id` LowCardinality(String),
    `destination_id` LowCardinality(String),
    `event_id` String,
    `message_id` String,
    `event_type` LowCardinality(String),
    `event` String,
    `time` DateTime64(3, 'UTC'),
    `attempt` UInt32,
    `status` LowCardinality(String),
    `http_status` UInt16,
    `latency_ms` UInt32,
    `reason` String,
    `request` String CODEC(ZSTD(1)),
    `response` String CODEC(ZSTD(1)),
    `replay_id` LowCardinality(String),
    `producer` LowCardinality(String),
    `operation` LowCardinality(String),
    `object` LowCardinality(String),
    `key` String,
    `version` UInt64,
    INDEX by_event_id event_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_replay replay_id TYPE set(8) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (workspace_id, destination_id, time, event_id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192, min_rows_to_fsync_after_merge = 1

CREATE TABLE dropped_events
(
    `workspace_id` LowCardinality(String),
    `source_id` LowCardinality(String),
    `hour` DateTime('UTC'),
    `reason` LowCardinality(String),
    `events` UInt64
)
ENGINE = SummingMergeTree
PARTITION BY toYYYYMM(hour)
ORDER BY (workspace_id, source_id, hour, reason)
SETTINGS non_replicated_deduplication_window = 100000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192, min_rows_to_fsync_after_merge = 1

CREATE TABLE erased_events
(
    `workspace_id` LowCardinality(String),
    `request_id` LowCardinality(String),
    `event_id` String
)
ENGINE = MergeTree
ORDER BY (workspace_id, request_id, event_id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192, min_rows_to_fsync_after_merge = 1

CREATE TABLE events
(
    `workspace_id` LowCardinality(String),
    `source_id` LowCardinality(String),
    `event_id` String,
    `message_id` String,
    `type` LowCardinality(String),
    `event` String,
    `user_id` String,
    `anonymous_id` String,
    `group_id` String,
    `previous_id` String,
    `test` Bool,
    `status` LowCardinality(String),
    `reason` String,
    `compatibility` LowCardinality(String),
    `schema_version` UInt32,
    `problems` Array(Tuple(
        property String,
        kind LowCardinality(String))),
    `receive_time` DateTime64(3, 'UTC'),
    `timestamp` DateTime64(3, 'UTC'),
    `original_timestamp` Nullable(DateTime64(3, 'UTC')),
    `sent_at` Nullable(DateTime64(3, 'UTC')),
    `ip` String,
    `properties` JSON(max_dynamic_paths = 256),
    `traits` JSON(max_dynamic_paths = 128),
    `context` String CODEC(ZSTD(1)),
    `integrations` String CODEC(ZSTD(1)),
    `original` String CODEC(ZSTD(1)),
    `owner` UInt64 MATERIALIZED if(multiIf(((NOT match(lower(user_id), '^[ \\t\\r\\n]*(|null|undefined|none|nil|nan|n/a|unknown|anonymous|guest|true|false|-1|[0-]+|\\[object object\\])[ \\t\\r\\n]*$')) AND (length(user_id) <= 512) AND (position(user_id, '\0') = 0) AND (position(user_id, '�') = 0)), concat('user_id:', user_id), ((NOT match(lower(anonymous_id), '^[ \\t\\r\\n]*(|null|undefined|none|nil|nan|n/a|unknown|anonymous|guest|true|false|-1|[0-]+|\\[object object\\])[ \\t\\r\\n]*$')) AND (length(anonymous_id) <= 512) AND (position(anonymous_id, '\0') = 0) AND (position(anonymous_id, '�') = 0)), concat('anonymous_id:', anonymous_id), '') = '', 0, bitOr(bitAnd(reinterpretAsUInt64(reverse(substring(SHA256(concat(workspace_id, '\0', multiIf(((NOT match(lower(user_id), '^[ \\t\\r\\n]*(|null|undefined|none|nil|nan|n/a|unknown|anonymous|guest|true|false|-1|[0-]+|\\[object object\\])[ \\t\\r\\n]*$')) AND (length(user_id) <= 512) AND (position(user_id, '\0') = 0) AND (position(user_id, '�') = 0)), concat('user_id:', user_id), ((NOT match(lower(anonymous_id), '^[ \\t\\r\\n]*(|null|undefined|none|nil|nan|n/a|unknown|anonymous|guest|true|false|-1|[0-]+|\\[object object\\])[ \\t\\r\\n]*$')) AND (length(anonymous_id) <= 512) AND (position(anonymous_id, '\0') = 0) AND (position(anonymous_id, '�') = 0)), concat('anonymous_id:', anonymous_id), ''))), 1, 8))), 18446744073709490175), 32768)),
    INDEX by_event_id event_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_message_id message_id TYPE bloom_filter(0.01) GRANULARITY 4,
    INDEX by_person (user_id, anonymous_id) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_event event TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_time least(timestamp, receive_time) TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(receive_time)
ORDER BY (workspace_id, source_id, receive_time, event_id)
SETTINGS non_replicated_deduplication_window = 100000, fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 134217728, object_shared_data_serialization_version = 'map_with_buckets', object_shared_data_serialization_version_for_zero_level_parts = 'map_with_buckets', index_granularity = 8192, min_rows_to_fsync_after_merge = 1

CREATE TABLE profile_owners
(
    `workspace_id` LowCardinality(String),
    `owner` UInt64,
    `profile` UInt64,
    `version` UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (workspace_id, owner)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192, min_rows_to_fsync_after_merge = 1

CREATE TABLE replayed_events
(
    `workspace_id` LowCardinality(String),
    `source_id` LowCardinality(String),
    `event_id` String,
    `time` DateTime64(3, 'UTC')
)
ENGINE = MergeTree
ORDER BY (workspace_id, source_id, event_id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192, min_rows_to_fsync_after_merge = 1

CREATE TABLE schema_versions
(
    `version` UInt32,
    `applied_at` DateTime64(3, 'UTC') DEFAULT now64(3),
    `oldest` UInt32
)
ENGINE = MergeTree
ORDER BY version
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192, min_rows_to_fsync_after_merge = 1

CREATE TABLE sync_changes
(
    `run_id` String,
    `number` UInt64,
    `key` String,
    `source_key` String,
    `change` LowCardinality(String),
    `operation` LowCardinality(String),
    `hash` FixedString(16),
    `rows` UInt64,
    `reason` LowCardinality(String),
    INDEX by_key key TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY run_id
ORDER BY number
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192, min_rows_to_fsync_after_merge = 1

CREATE TABLE sync_confirmed
(
    `sync_id` String,
    `key` String,
    `hash` FixedString(16),
    `held` UInt8,
    `version` UInt64
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY sync_id
ORDER BY key
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192, min_rows_to_fsync_after_merge = 1

CREATE TABLE sync_listed
(
    `run_id` String,
    `key` String
)
ENGINE = MergeTree
PARTITION BY run_id
ORDER BY key
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192, min_rows_to_fsync_after_merge = 1

CREATE TABLE sync_outcomes
(
    `run_id` String,
    `number` UInt64,
    `status` LowCardinality(String),
    `reason` String,
    `version` UInt64,
    `time` DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY run_id
ORDER BY number
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192, min_rows_to_fsync_after_merge = 1

CREATE TABLE sync_staged
(
    `run_id` String,
    `key` String,
    `source_key` String,
    `payload` String CODEC(ZSTD(1)),
    `problem` LowCardinality(String),
    `hash` FixedString(16) MATERIALIZED sipHash128(payload)
)
ENGINE = MergeTree
PARTITION BY run_id
ORDER BY key
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192, min_rows_to_fsync_after_merge = 1
