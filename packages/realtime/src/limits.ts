/** Sizes in bytes, times in milliseconds. */
export type RealtimeLimits = {
  connections: number
  /**
   * Maximum of these from one address, of one user, and of listeners to one workspace, or to workspaces of one
   * organization.
   */
  connectionsPerAddress: number
  connectionsPerUser: number
  connectionsPerWorkspace: number
  connectionsPerOrganization: number
  channelsPerConnection: number
  /** One event's data. */
  dataBytes: number
  /** Silence after which the client is pinged, and the maximum time of its answer. */
  activityMs: number
  pongMs: number
  /** Live messages are skipped for a socket that has more than this unsent … */
  skipBytes: number
  /** … and a socket with more than this unsent is cut. */
  cutBytes: number
  clientEventsPerSecond: number
  /** Maximum of messages of any kind from a client in a second. */
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
  connectionsPerOrganization: 5000,
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
