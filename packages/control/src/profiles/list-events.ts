import { openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type EventsOf, eventCursor, eventCursorOf, presentEvent, readEvents } from '@tributary/replays'
import type { ControlDeps } from '../deps.ts'
import { isMasked, maskEvent } from './mask.ts'
import { readOutcomes } from './outcomes.ts'
import { currentProfileId, readIdentifiers } from './read.ts'

/** Returns the condition that an event belongs to one of the identifiers of a profile. */
export const ofProfile = async (
  { db, profileLedger }: Pick<ControlDeps, 'db' | 'profileLedger'>,
  workspaceId: string,
  profileId: string,
): Promise<EventsOf> => {
  const identifiers = await readIdentifiers(db, workspaceId, [profileId])
  const own = identifiers.filter(({ type }) => type === 'user_id' || type === 'anonymous_id')
  return {
    // `first` selects the events of the profile. `where` lets the event store use an index; alone it would also find
    // events of an anonymous ID with another person's user ID.
    first: 'owner in {profile_owners:Array(UInt64)}',
    where: '(user_id in {profile_ids:Array(String)} or anonymous_id in {profile_ids:Array(String)})',
    params: {
      profile_ids: own.map(({ value }) => value),
      profile_owners: own.map((each) => BigInt(profileLedger.ownerOf(workspaceId, each))),
    },
  }
}

/**
 * Lists the accepted events of a profile, newest first by the requested time. An event belongs to a profile through one
 * of its identifiers.
 */
export const listProfileEvents =
  ({
    db,
    eventStore,
    profileLedger,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'profileLedger' | 'clock'>): Handler<typeof methods.profiles.listEvents> =>
  async ({ actor, workspace, params, query, signal }) => {
    const page = openPage('profiles.listEvents', params, query, eventCursor)
    const id = await currentProfileId(db, workspace.id, params.profile)
    const of = await ofProfile({ db, profileLedger }, workspace.id, id)
    const found = await readEvents(eventStore, workspace.id, { status: 'accepted', time_by: query.time_by }, page, {
      now: clock(),
      signal,
      of,
    })
    const { rows, next } = page.cut(found, eventCursorOf(query.time_by))
    const outcomes = await readOutcomes(eventStore, workspace.id, rows, signal)
    const events = rows.map((row) => ({
      ...presentEvent(workspace.id, row),
      outcomes: outcomes.get(row.event_id) ?? [],
    }))
    return { events: isMasked(actor, workspace) ? events.map(maskEvent) : events, next_page_token: next }
  }
