/** Of two changes of one record that a producer sent, the later has the higher version; 0 for events of sources, and what is older than this. */
export const statements = [
  `alter table deliveries
  add column if not exists version UInt64 after key`,
]
