import { createHash } from 'node:crypto'
import { audit, type Db, type Tx } from '@tributary/api-kit'
import { readDestination } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, notFound } from '@tributary/kernel'
import { deleteParked, type EventStore, insertDeliveries, type ParkedDeliveriesTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { type EventName, readEventNames } from '../deliveries/event-names.ts'
import type { ControlDeps } from '../deps.ts'
import { inGroup, readGroups } from './read.ts'

type Parked = Selectable<ParkedDeliveriesTable>

/** Rows of the delivery log in one insert. */
const rowsPerInsert = 5000

/** Records for every event of these rows that it is not tried again; a repetition writes them once. */
const writeOutcomes = async (
  eventStore: EventStore,
  rows: readonly Parked[],
  names: ReadonlyMap<string, EventName>,
  time: number,
): Promise<void> => {
  const lines = rows.flatMap((row) =>
    row.event_ids.map((event_id) => {
      const name = names.get(event_id)
      return JSON.stringify({
        workspace_id: row.workspace_id,
        source_id: row.source_id,
        destination_id: row.destination_id,
        event_id,
        message_id: name?.message_id ?? '',
        event_type: name?.type ?? '',
        event: name?.event ?? '',
        time,
        attempt: row.attempts,
        status: 'dead',
        http_status: row.last_status ?? 0,
        latency_ms: 0,
        reason: `Discarded. ${row.last_reason}`.trim(),
      })
    }),
  )
  const token = createHash('sha256')
    .update(rows.map((row) => `${row.id} ${row.attempts}`).join())
    .digest('hex')
  for (let at = 0; at < lines.length; at += rowsPerInsert)
    await insertDeliveries(eventStore, lines.slice(at, at + rowsPerInsert), { token: `discard-${token}-${at}` })
}

/** The dead letters of a group. */
const selectDead = (db: Db | Tx, destinationId: string, group: string) =>
  db
    .selectFrom('parked_deliveries')
    .selectAll()
    .where('destination_id', '=', destinationId)
    .where('state', '=', 'dead')
    .where(inGroup(group))
    .orderBy('id')

/** The names of the events of dead letters, by ID. */
const namesOf = (eventStore: EventStore, rows: readonly Parked[], signal: AbortSignal) => {
  const sources = [...new Set(rows.map((row) => row.source_id))]
  const ids = rows.flatMap((row) => row.event_ids)
  return readEventNames(eventStore, rows[0]?.workspace_id ?? '', sources, ids, signal)
}

/**
 * Removes the dead letters of a group for good. The delivery log is written first: when the rest fails, the group is still there and the
 * log has the request. Waiting events cannot be discarded, since they may be under way.
 */
export const discardFailureGroup =
  ({
    db,
    eventStore,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.failureGroups.discard> =>
  async ({ workspace, params, signal }) => {
    const { id } = await readDestination(db, workspace.id, params.destination)
    const time = new Date(clock())
    // Before the transaction: reading events takes a connection of its own, and each lock would keep one from it.
    const seen = await selectDead(db, id, params.failure_group).execute()
    const names = await namesOf(eventStore, seen, signal)
    const ids = new Set(seen.map((row) => row.id))
    return await db.transaction().execute(async (tx) => {
      const locked = await selectDead(tx, id, params.failure_group).forUpdate().execute()
      const rows = locked.filter((row) => ids.has(row.id))
      if (rows.length === 0) {
        const found = await readGroups(
          tx,
          { workspaceId: workspace.id, destinationId: id },
          { id: params.failure_group },
        )
        if (found.length === 0) throw notFound('failure group not found')
        throw badRequest('VALIDATION', 'Only dead letters can be discarded. These events are still being retried')
      }
      const event_count = rows.reduce((sum, row) => sum + row.event_count, 0)
      await writeOutcomes(eventStore, rows, names, time.getTime())
      await deleteParked(
        tx,
        rows.map((row) => row.id),
      )
      await audit(tx, resourceNames.destination.format({ workspace: workspace.id, destination: id }), {
        event_count,
        reason: rows[0]?.last_reason ?? '',
      })
      return { event_count }
    })
  }
