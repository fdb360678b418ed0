import { createHash } from 'node:crypto'
import { audit, type Tx } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, notFound } from '@tributary/kernel'
import type { EventStore, ParkedDeliveriesTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { readEventNames } from '../deliveries/event-names.ts'
import type { ControlDeps } from '../deps.ts'
import { readDestination } from '../destinations/read.ts'
import { inGroup, readGroups } from './read.ts'

type Parked = Selectable<ParkedDeliveriesTable>

/** Rows of the delivery log in one insert. */
const rowsPerInsert = 5000

/** Writes for every event of these rows that nobody tries it again; a repetition writes them once. */
const writeOutcomes = async (
  eventStore: EventStore,
  rows: readonly Parked[],
  time: number,
  signal: AbortSignal,
): Promise<void> => {
  const [first] = rows
  if (first === undefined) return
  const sources = [...new Set(rows.map((row) => row.source_id))]
  const ids = rows.flatMap((row) => row.event_ids)
  const names = await readEventNames(eventStore, first.workspace_id, sources, ids, signal)
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
    await eventStore.insert('deliveries', lines.slice(at, at + rowsPerInsert), { token: `discard-${token}-${at}` })
}

const lockDead = (tx: Tx, destinationId: string, group: string): Promise<Parked[]> =>
  tx
    .selectFrom('parked_deliveries')
    .selectAll()
    .where('destination_id', '=', destinationId)
    .where('state', '=', 'dead')
    .where(inGroup(group))
    .orderBy('id')
    .forUpdate()
    .execute()

/**
 * Takes the dead letters of a group away for good. The delivery log is written first: when the rest fails, the group is
 * still there and the log says what was wanted. What waits cannot be discarded, since it may be under way.
 */
export const discardFailureGroup =
  ({
    db,
    eventStore,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.failureGroups.discard> =>
  async ({ actor, workspace, params, signal }) => {
    const { id } = await readDestination(db, workspace.id, params.destination)
    const time = new Date(clock())
    return await db.transaction().execute(async (tx) => {
      const rows = await lockDead(tx, id, params.failure_group)
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
      await writeOutcomes(eventStore, rows, time.getTime(), signal)
      await tx
        .deleteFrom('parked_deliveries')
        .where(
          'id',
          'in',
          rows.map((row) => row.id),
        )
        .execute()
      await audit(tx, {
        actor,
        action: 'failureGroups.discard',
        resource: resourceNames.destination.format({ workspace: workspace.id, destination: id }),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { event_count, reason: rows[0]?.last_reason ?? '' },
        time,
      })
      return { event_count }
    })
  }
