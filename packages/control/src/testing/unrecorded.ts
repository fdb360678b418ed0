/**
 * Writes without an audit record, and calls with a body that write nothing. A code that is asked for: nobody has done anything yet, and the mail itself is kept. The
 * inbox: what one has read concerns nobody else.
 */
export const unrecorded: readonly string[] = [
  'users.sendOtp',
  'sources.previewTemplate',
  'mappings.suggest',
  'mappings.preview',
  'replays.preview',
  'notifications.markRead',
  'notifications.markAllRead',
]

/** Reads with an audit record: they tell staff of people in organizations that are not theirs. */
export const recordedReads: readonly string[] = ['workspaces.find']
