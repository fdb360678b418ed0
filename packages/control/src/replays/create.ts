import { audit, type Db, type Tx } from '@tributary/api-kit'
import { readDestination } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict, formatRecordPlaces, isEarlier, newId, parseRecordPlaces } from '@tributary/kernel'
import {
  countHistory,
  type DeadScope,
  deadLetters,
  type EventScope,
  insertReplay,
  refuseScope,
  scopeSource,
} from '@tributary/replays'
import { markAllDead, markChosenDead } from '@tributary/storage'
import type { ControlDeps } from '../deps.ts'
import { asksEvents, chooseDead } from './choose-dead.ts'
import { showReplay } from './get.ts'
import { deadScope, eventScope, historyScope } from './preview.ts'

const refuseSecond = async (db: Db, destinationId: string): Promise<void> => {
  const open = await db
    .selectFrom('replays')
    .select('state')
    .where('destination_id', '=', destinationId)
    .where('state', 'in', ['running', 'paused'])
    .executeTakeFirst()
  if (open === undefined) return
  const word = open.state === 'paused' ? 'paused' : 'running'
  throw conflict(
    'REPLAY_OPEN',
    `Another replay of this destination is ${word}. Let it finish or cancel it, then start this one`,
  )
}

/**
 * Makes the function that marks the dead letters of a request as part of a replay. It runs in the transaction of the
 * replay and returns the number of their events, so that the counted events are the sent ones. Single events are chosen
 * here, before the transaction, because a transaction must not wait for the log.
 */
const dead = async (
  deps: Pick<ControlDeps, 'db' | 'deliveries' | 'workShare'>,
  scope: DeadScope,
  asked: EventScope,
  signal: AbortSignal | undefined,
): Promise<(tx: Tx, replayId: string, time: Date) => Promise<number>> => {
  const which = deadLetters(scope)
  if (!asksEvents(asked)) return (tx, replayId, time) => markAllDead(tx, replayId, { which, time })
  const chosen = await chooseDead(deps, scope, asked, signal)
  return (tx, replayId, time) => markChosenDead(tx, replayId, chosen.rows, { which, time })
}

/**
 * Returns the earlier of two log positions for each partition. So a replay does not include events that were stored
 * after the preview counted them.
 */
const earlierOf = (counted: string, now: string): string => {
  const earlier = new Map(parseRecordPlaces(counted).map((place) => [place.partition, place]))
  const places = parseRecordPlaces(now).map((place) => {
    const before = earlier.get(place.partition)
    return before !== undefined && isEarlier(before, place) ? before : place
  })
  return formatRecordPlaces(places)
}

const refuseCount = (events: number, expected: number | undefined): void => {
  if (events === 0) throw refuseScope('start_time', 'There are no events to send')
  if (expected !== undefined && events !== expected)
    throw conflict('REPLAY_CHANGED', `There are now ${events} events to send, not ${expected}. Count them again`)
}

/** Starts a replay: counts its events and fixes which they are. A destination has at most one active replay. */
export const createReplay =
  (
    deps: Pick<ControlDeps, 'db' | 'eventStore' | 'storedBefore' | 'deliveries' | 'workShare' | 'clock'>,
  ): Handler<typeof methods.replays.create> =>
  async ({ actor, workspace, params, body, signal }) => {
    const { db, clock } = deps
    const destination = await readDestination(db, workspace.id, params.destination)
    const sourceId = await scopeSource(db, workspace.id, body)
    await refuseSecond(db, destination.id)
    const bound =
      body.kind === 'history'
        ? earlierOf(body.stored_before ?? '', (await deps.storedBefore?.(workspace.id)) ?? '')
        : ''
    const time = new Date(clock())
    const scope = historyScope(workspace.id, sourceId, body, { storedBefore: bound, now: time.getTime() })
    const count =
      body.kind === 'history'
        ? await countHistory(deps, scope, signal).then((counted) => async () => counted.count)
        : await dead(deps, deadScope(destination, sourceId, body), eventScope(body), signal)
    const id = newId()
    await db.transaction().execute(async (tx) => {
      const event_count = await count(tx, id, time)
      refuseCount(event_count, body.expected_event_count)
      const made = await insertReplay(tx, {
        id,
        workspace_id: workspace.id,
        destination_id: destination.id,
        kind: body.kind,
        start_time: new Date(body.start_time),
        end_time: new Date(body.end_time),
        time_by: body.time_by ?? 'receive_time',
        source_id: sourceId ?? null,
        event: body.event ?? null,
        event_type: body.event_type ?? null,
        filter: JSON.stringify(scope.filter),
        reason: body.reason ?? null,
        events_per_second: body.events_per_second,
        profile: body.profile,
        state: 'running',
        event_count,
        stored_before: bound,
        creator_id: actor.userId,
        create_time: time,
      })
      if (!made)
        throw conflict('REPLAY_OPEN', 'Another replay of this destination was just started. Wait for it to finish')
      const { stored_before: _, expected_event_count: __, ...detail } = body
      await audit(
        tx,
        resourceNames.replay.format({ workspace: workspace.id, destination: destination.id, replay: id }),
        { ...detail, event_count },
      )
    })
    return await showReplay(deps, destination, id, signal)
  }
