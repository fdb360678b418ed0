/** The reason of refusals if a workspace has used up its share of the events that wait for processing. */
export const backlogReason = 'WORKSPACE_BACKLOG'

/**
 * Time after the last refusal during which refusals count as ongoing, ms. An SDK that must wait tries again well before
 * its end.
 */
export const ongoingMs = 2 * 60_000
