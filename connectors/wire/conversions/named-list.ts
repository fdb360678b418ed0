import type { EventOutcome, OutgoingEvent } from '@tributary/connector-kit'

/** What names the list of an event: the settings (or a sync), a constant of the mapping, or the event itself. */
export type NamedBy = 'settings' | 'mapping' | 'event'

/** Returns the list of an event with what names it. `target` is the field of the action that can name another list. */
export const namedList = (
  { payload, fixedLists }: Pick<OutgoingEvent, 'payload' | 'fixedLists'>,
  target: string,
  ofSettings: string | undefined,
): { id: string; namedBy: NamedBy } => {
  const given = payload?.[target]
  const id = typeof given === 'string' ? given.trim() : ''
  if (id === '') return { id: ofSettings?.trim() ?? '', namedBy: 'settings' }
  return { id, namedBy: fixedLists?.includes(target) === true ? 'mapping' : 'event' }
}

/**
 * Returns the outcome of an event with a wrong list. A user can fix the mapping, so its events wait, and other events are
 * sent. A list that comes from the event itself stays wrong.
 */
export const wrongList = (namedBy: NamedBy, reason: string): EventOutcome =>
  namedBy === 'event'
    ? { kind: 'rejected', reason }
    : { kind: 'retry', misconfigured: true, ofEvent: true, reason: `${reason}. Change it in the ${namedBy}` }
