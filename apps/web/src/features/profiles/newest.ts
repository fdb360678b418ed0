import type { ProfileEvent } from '@tributary/contract'

/**
 * The listed events with newer ones at the front and current outcomes. Undefined if there are more newer ones than fit
 * on the newest page, so that some between are missing. All lists are newest first.
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
