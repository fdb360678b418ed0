import { openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { eventCursor, presentEvent, readEvents } from '../events/read.ts'
import { isMasked, maskEvent } from './mask.ts'
import { currentProfileId, readIdentifiers } from './read.ts'

/** The accepted events of a profile, newest first: those of its user ids, and those of its anonymous ids without a user id. */
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
    const identifiers = await readIdentifiers(db, workspace.id, [id])
    const valuesOf = (type: string): string[] =>
      identifiers.filter((each) => each.type === type).map(({ value }) => value)
    const of = {
      where: `(user_id in {profile_users:Array(String)} or (anonymous_id in {profile_devices:Array(String)}
        and ${profileLedger.unusableInEvents('user_id')}))`,
      params: { profile_users: valuesOf('user_id'), profile_devices: valuesOf('anonymous_id') },
    }
    const found = await readEvents(eventStore, workspace.id, { status: 'accepted' }, page, { now: clock(), signal, of })
    const { rows, next } = page.cut(found, (row) => [Number(row.receive_ms), row.event_id])
    const events = rows.map((row) => presentEvent(workspace.id, row))
    return { events: isMasked(actor, workspace) ? events.map(maskEvent) : events, next_page_token: next }
  }
