import type { ProfileEvent } from '@tributary/contract'

/**
 * The events that are listed, with those that came since in front and the outcomes of now; undefined when more came than the
 * newest page has, so that some between are not known. All lists are newest first.
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
