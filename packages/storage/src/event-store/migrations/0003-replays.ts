/**
 * Which replay an attempt belongs to; '' for events on their first way. Few granules hold replayed events: the index
 * lets a count of one replay skip the others.
 */
export const statements = [
  `alter table deliveries
  add column if not exists replay_id LowCardinality(String) after response,
  add index if not exists by_replay replay_id type set(8) granularity 1`,
]
