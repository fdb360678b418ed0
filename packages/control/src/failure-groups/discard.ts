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

/** Maximum number of rows that one insert writes to the delivery log. */
const rowsPerInsert = 5000

/**
 * Records in the delivery log that the events of these rows are not tried again. Repeating the call does not write the
 * records twice.
 */
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

/** Selects the dead letters of a group. */
const selectDead = (db: Db | Tx, destinationId: string, group: string) =>
  db
    .selectFrom('parked_deliveries')
    .selectAll()
    .where('destination_id', '=', destinationId)
    .where('state', '=', 'dead')
    .where(inGroup(group))
    .orderBy('id')

/** Reads the names of the events in dead letters, by event ID. */
const namesOf = (eventStore: EventStore, rows: readonly Parked[], signal: AbortSignal) => {
  const sources = [...new Set(rows.map((row) => row.source_id))]
  const ids = rows.flatMap((row) => row.event_ids)
  return readEventNames(eventStore, rows[0]?.workspace_id ?? '', sources, ids, signal)
}

/**
 * Removes the dead letters of a group for good. Writes to the delivery log first: if a later step fails, the group
 * still exists. Waiting events cannot be discarded, because they may be in transit.
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
    // This happens before the transaction: reading names needs a database connection, which a transaction that waits
    // for a lock would occupy.
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
