/** The reason for refusals beyond a workspace's share of events that wait for processing. */
export const backlogReason = 'WORKSPACE_BACKLOG'

/** How long after the last refusal refusals count as ongoing, ms. An SDK that has to wait retries well before. */
export const ongoingMs = 2 * 60_000
