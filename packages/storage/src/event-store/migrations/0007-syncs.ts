const table = (columns: string, engine: string, partition: string, order: string): string => `(
${columns}
) engine = ${engine}
partition by ${partition}
order by ${order}
settings fsync_after_insert = 1, fsync_part_directory = 1`

/**
 * Rows of syncs. What a run has read is staged with the hash of what is to be there; `sync_confirmed` has, of the highest version of
 * a key, what the destination is known to hold (0 nothing, 1 what the sync has put there, 2 what was there before). What is to
 * be done in a run, and what became of it, is by its number there. Nothing of these is told from repeated inserts by the
 * engine: blocks that are the same are stored as often as they are inserted.
 */
export const statements = [
  `create table if not exists sync_staged ${table(
    `  run_id String,
  key String,
  source_key String,
  payload String codec(ZSTD(1)),
  problem LowCardinality(String),
  hash FixedString(16) materialized sipHash128(payload)`,
    'MergeTree',
    'run_id',
    'key',
  )}`,
  `create table if not exists sync_confirmed ${table(
    `  sync_id String,
  key String,
  hash FixedString(16),
  held UInt8,
  version UInt64`,
    'ReplacingMergeTree(version)',
    'sync_id',
    'key',
  )}`,
  `create table if not exists sync_changes ${table(
    `  run_id String,
  number UInt64,
  key String,
  source_key String,
  change LowCardinality(String),
  operation LowCardinality(String),
  hash FixedString(16),
  rows UInt64,
  reason LowCardinality(String),
  index by_key key type bloom_filter(0.01) granularity 1`,
    'MergeTree',
    'run_id',
    'number',
  )}`,
  `create table if not exists sync_outcomes ${table(
    `  run_id String,
  number UInt64,
  status LowCardinality(String),
  reason String,
  version UInt64,
  time DateTime64(3, 'UTC')`,
    'ReplacingMergeTree(version)',
    'run_id',
    'number',
  )}`,
]
