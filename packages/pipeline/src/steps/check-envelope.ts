import type { NormalEvent } from '../event-types.ts'
import { ok, type Reject, reject, type Step } from '../outcome.ts'

const unknownType = reject('unknown_type', 'The type must be track, page, screen, identify, group, or alias.')
const noIds = reject('missing_ids', 'An event needs a userId or an anonymousId.')
const noName = reject('missing_event_name', 'A track event needs its name in event.')
const noGroup = reject('missing_group_id', 'A group event needs a groupId.')
const noUser = reject('missing_ids', 'An alias event needs the new userId.')
const noPrevious = reject('missing_previous_id', 'An alias event needs the previousId.')

const problemOf = (event: NormalEvent): Reject | undefined => {
  if (event.problem !== undefined) return event.problem
  if (event.type === '') return unknownType
  if (event.type === 'alias') {
    if (event.userId === '') return noUser
    return event.previousId === '' ? noPrevious : undefined
  }
  if (event.userId === '' && event.anonymousId === '') return noIds
  if (event.type === 'track' && event.event === '') return noName
  return event.type === 'group' && event.groupId === '' ? noGroup : undefined
}

/**
 * Rejects an event that lacks the required parts of its type: a known type, the user, and the action. Source: Segment
 * spec, common fields and the pages of the six calls.
 */
export const checkEnvelope = (): Step<NormalEvent, NormalEvent> =>
  function checkEventEnvelope(event) {
    return problemOf(event) ?? ok(event)
  }
