/**
 * When events happened: the time that they say, and never after they were received. Who left the time that a condition looks at is asked
 * of the few events that lie around its end, wherever they were received; the order of the table knows the times of receipt alone.
 */
export const statements = [
  `alter table events
  add index if not exists by_time least(timestamp, receive_time) type minmax granularity 1`,
  'alter table events materialize index by_time',
]
