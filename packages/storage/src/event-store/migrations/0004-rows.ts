/** Of a row that a producer other than events sent: the producer's kind, what was asked for, of which object, by which key. */
export const statements = [
  `alter table deliveries
  add column if not exists producer LowCardinality(String) after replay_id,
  add column if not exists operation LowCardinality(String) after producer,
  add column if not exists object LowCardinality(String) after operation,
  add column if not exists key String after object`,
]
