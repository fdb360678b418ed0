import { editors, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict, newId } from '@tributary/kernel'
import { sql } from 'kysely'
import { audit } from '../audit.ts'
import type { ControlDeps, Db, Tx } from '../deps.ts'
import { readDestination } from '../destinations/read.ts'
import { requireWorkspace } from '../workspace-access.ts'
import { showReplay } from './get.ts'
import { countHistory } from './history.ts'
import { deadScope, historyScope } from './preview.ts'
import { type DeadScope, deadLetters, refuseScope, scopeSource } from './scope.ts'

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

/** Marks the dead letters of a scope as those of a replay, so that what is counted is what is sent. */
const markDead = async (tx: Tx, replayId: string, scope: DeadScope, time: Date): Promise<number> => {
  const { rows } = await sql<{ events: string }>`
    with marked as (
      update parked_deliveries set replay_id = ${replayId}::uuid
      where ${deadLetters(scope)} and first_time <= ${time}::timestamptz returning event_count)
    select coalesce(sum(event_count), 0) as events from marked`.execute(tx)
  return Number(rows[0]?.events ?? 0)
}

/** The lower of two places of the same partition: events stored after the preview are no part of what it counted. */
const lowerOf = (told: string | undefined, now: string): string => {
  const partition = now.slice(0, now.indexOf('-') + 1)
  return told?.startsWith(partition) && partition !== '' && told < now ? told : now
}

const nothingThere = () => refuseScope('start_time', 'Nothing is there to be sent')

/** Starts a replay: counts what it is about, and fixes that for good. One at a time for a destination. */
export const createReplay =
  (deps: Pick<ControlDeps, 'db' | 'eventStore' | 'storedBefore' | 'clock'>): Handler<typeof methods.replays.create> =>
  async ({ actor, params, body, signal }) => {
    const { db, eventStore, clock } = deps
    const workspace = await requireWorkspace(db, actor, params.workspace, editors)
    const destination = await readDestination(db, workspace.id, params.destination)
    const sourceId = await scopeSource(db, workspace.id, body)
    await refuseSecond(db, destination.id)
    const bound =
      body.kind === 'history' ? lowerOf(body.stored_before, (await deps.storedBefore?.(workspace.id)) ?? '') : ''
    const scope = historyScope(workspace.id, sourceId, body, bound)
    const counted = body.kind === 'history' ? (await countHistory(eventStore, scope, signal)).count : 0
    if (body.kind === 'history' && counted === 0) throw nothingThere()
    const id = newId()
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const event_count =
        body.kind === 'history' ? counted : await markDead(tx, id, deadScope(destination, sourceId, body), time)
      if (event_count === 0) throw nothingThere()
      const made = await tx
        .insertInto('replays')
        .values({
          id,
          workspace_id: workspace.id,
          destination_id: destination.id,
          kind: body.kind,
          start_time: new Date(body.start_time),
          end_time: new Date(body.end_time),
          source_id: sourceId ?? null,
          event: body.event ?? null,
          event_type: body.event_type ?? null,
          filter: JSON.stringify(scope.filter),
          reason: body.reason ?? null,
          events_per_second: body.events_per_second,
          state: 'running',
          event_count,
          stored_before: bound,
          creator_id: actor.userId,
          create_time: time,
        })
        .onConflict((conflicting) =>
          conflicting.columns(['destination_id']).where('state', 'in', ['running', 'paused']).doNothing(),
        )
        .returning('id')
        .executeTakeFirst()
      if (made === undefined)
        throw conflict('REPLAY_OPEN', 'Another replay of this destination was started meanwhile. Let it finish first')
      const { stored_before: _, ...detail } = body
      await audit(tx, {
        actor,
        action: 'replays.create',
        resource: resourceNames.replay.format({ workspace: workspace.id, destination: destination.id, replay: id }),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { ...detail, event_count },
        time,
      })
    })
    return await showReplay(deps, destination, id, signal)
  }
