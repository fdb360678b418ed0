/**
 * Tokens of so many inserts are remembered. Owners of other groups of partitions go on inserting, each twice a second, while one that was killed has
 * ranges to be repeated under theirs: with 32 groups this lasts for 26 minutes, with one for 14 hours.
 */
export const statements = ['events', 'dropped_events'].map(
  (table) => `alter table ${table} modify setting non_replicated_deduplication_window = 100000`,
)
