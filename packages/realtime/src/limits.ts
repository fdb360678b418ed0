/** The limits of a gateway. Sizes are in bytes, times in ms. */
export type RealtimeLimits = {
  connections: number
  /**
   * Maximum connections from one address, of one user, of listeners to one workspace, and of listeners to the
   * workspaces of one organization.
   */
  connectionsPerAddress: number
  connectionsPerUser: number
  connectionsPerWorkspace: number
  connectionsPerOrganization: number
  channelsPerConnection: number
  /** Maximum bytes of one event's data. */
  dataBytes: number
  /** Silence after which a client is pinged, and maximum time for its response. */
  activityMs: number
  pongMs: number
  /** Number of unsent bytes beyond which a socket misses live messages. */
  skipBytes: number
  /** Number of unsent bytes beyond which a socket is closed. */
  cutBytes: number
  clientEventsPerSecond: number
  /** Maximum messages of any kind from a client in a second. */
  messagesPerSecond: number
  /** Interval at which `live.occupied` is repeated without a change. */
  occupiedMs: number
}

/**
 * The default limits: those that Pusher documents, if there are any (data 10 kB, 10 client events a second, 120 s, 30
 * s).
 */
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
