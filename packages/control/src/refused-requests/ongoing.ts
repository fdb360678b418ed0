/** Why collection refuses what goes beyond a workspace's share of events that wait for processing. */
export const backlogReason = 'WORKSPACE_BACKLOG'

/** For how long after the last one refusals are taken to go on, ms: SDKs that are told to wait come back well before. */
export const ongoingMs = 2 * 60_000
