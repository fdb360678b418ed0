/** Why collection refuses what goes beyond a workspace's share of events that wait for processing. */
export const backlogReason = 'WORKSPACE_BACKLOG'

/** How long after the last refusal refusals count as ongoing, ms: an SDK that was asked to wait comes back well before. */
export const ongoingMs = 2 * 60_000
