/** Sizes in bytes, times in milliseconds. */
export type RealtimeLimits = {
  connections: number
  /** Of these the ones from one address, of one user, and of those who listen to one workspace. */
  connectionsPerAddress: number
  connectionsPerUser: number
  connectionsPerWorkspace: number
  channelsPerConnection: number
  /** One event's data. */
  dataBytes: number
  /** Silence after which the other side is asked whether it is there, and how long its answer may take. */
  activityMs: number
  pongMs: number
  /** Live messages are left out for a socket that has more than this unsent … */
  skipBytes: number
  /** … and a socket with more than this unsent is cut. */
  cutBytes: number
  clientEventsPerSecond: number
  /** Messages of any kind that a client may send in a second. */
  messagesPerSecond: number
  /** How often `live.occupied` is repeated without a change. */
  occupiedMs: number
}

/** Pusher's documented figures where it has some (data 10 kB, 10 client events a second, 120 s, 30 s). */
export const defaultRealtimeLimits: RealtimeLimits = {
  connections: 10_000,
  connectionsPerAddress: 1000,
  connectionsPerUser: 100,
  connectionsPerWorkspace: 2500,
  channelsPerConnection: 100,
  dataBytes: 10 * 1024,
  activityMs: 120_000,
  pongMs: 30_000,
  skipBytes: 256 * 1024,
  cutBytes: 1024 * 1024,
  clientEventsPerSecond: 10,
  messagesPerSecond: 100,
  occupiedMs: 2000,
}
