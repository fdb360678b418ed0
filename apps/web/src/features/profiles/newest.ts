import type { ProfileEvent } from '@tributary/contract'

/**
 * Returns the listed events with newer events added at the front, and with current outcomes. Returns undefined if the
 * newest page does not reach the listed events: then events between them are missing. All lists are newest first.
 */
export const withNewest = (
  listed: readonly ProfileEvent[],
  newest: readonly ProfileEvent[],
  pageSize: number,
): ProfileEvent[] | undefined => {
  const known = new Set(listed.map(({ event_id }) => event_id))
  const added = newest.filter(({ event_id }) => !known.has(event_id))
  if (listed.length > 0 && added.length === newest.length && newest.length === pageSize) return undefined
  const now = new Map(newest.map((event) => [event.event_id, event]))
  return [...added, ...listed.map((event) => now.get(event.event_id) ?? event)]
}
