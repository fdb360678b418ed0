import type { Db } from '@tributary/api-kit'
import { createFarewells } from '@tributary/audiences'
import { type DeliveryMeta, type OutboundRow, outboundBody } from '@tributary/contract'
import { faultPoint } from '@tributary/kernel'
import { clearDeletionDeliveries, type EventStore, type LogWriter } from '@tributary/storage'
import { sql } from 'kysely'

/** The producer name of deletions in the stream. */
const producer = { k: 'privacy', n: 'privacy' } as const
/** Number of rows per record of the stream. */
const rowsPerRecord = 50

/**
 * Returns the ID of the row that deletes a person. It depends on the request and the person, not on the destination.
 */
const recordIdOf = (requestId: string, person: number): string => `${requestId}.${person}`

type Identifier = { type: string; value: string }

/** Returns the row for a destination: it deletes the user with any of these identifiers. */
const rowOf = (requestId: string, person: number, identifiers: readonly Identifier[]): OutboundRow => {
  const valuesOf = (type: string): string[] =>
    identifiers.filter((each) => each.type === type).map(({ value }) => value)
  const payload = {
    userIds: valuesOf('user_id'),
    anonymousIds: valuesOf('anonymous_id'),
    externalIds: identifiers
      .filter(({ type }) => !['user_id', 'anonymous_id', 'previous_id'].includes(type))
      .map(({ type, value }) => ({ type, id: value })),
  }
  const key = payload.userIds[0] ?? payload.anonymousIds[0] ?? identifiers[0]?.value ?? ''
  return { recordId: recordIdOf(requestId, person), operation: 'delete', object: 'users', key, payload }
}

/**
 * Creates the function that sends deletions to destinations as rows of the stream. Delivery sends and retries them like
 * events. A row that was appended but not recorded, because the process was killed, is appended again under the same
 * ID: a second deletion changes nothing.
 */
const createDeletionNotices =
  ({ db, stream }: { db: Db; stream: Pick<LogWriter, 'appendGroup'> }) =>
  async (requestId: string): Promise<void> => {
    const waiting = await db
      .selectFrom('privacy_tellings')
      .innerJoin('privacy_requests', 'privacy_requests.id', 'privacy_tellings.request_id')
      .select(['privacy_tellings.destination_id', 'privacy_tellings.person', 'privacy_requests.workspace_id'])
      .where('privacy_tellings.request_id', '=', requestId)
      .where('privacy_tellings.state', '=', 'waiting')
      .orderBy('privacy_tellings.person')
      .execute()
    if (waiting.length === 0) return
    const identifiers = await db
      .selectFrom('privacy_identifiers')
      .select(['type', 'value', 'person'])
      .where('request_id', '=', requestId)
      .execute()
    const people = Map.groupBy(identifiers, ({ person }) => person)
    for (const [destinationId, tellings] of Map.groupBy(waiting, ({ destination_id }) => destination_id))
      for (let at = 0; at < tellings.length; at += rowsPerRecord) {
        const some = tellings.slice(at, at + rowsPerRecord)
        const rows = some.map(({ person }) => rowOf(requestId, person, people.get(person) ?? []))
        const key = some[0]?.workspace_id ?? ''
        const meta: DeliveryMeta = { w: key, s: requestId, d: [destinationId], n: rows.length, b: producer }
        await stream.appendGroup([{ key, meta: JSON.stringify(meta), body: Buffer.from(outboundBody(rows)) }])
        faultPoint('erasure.after-telling')
        await db
          .updateTable('privacy_tellings')
          .set({ state: 'sent' })
          .where('request_id', '=', requestId)
          .where('destination_id', '=', destinationId)
          .where(
            'person',
            'in',
            some.map(({ person }) => person),
          )
          .where('state', '=', 'waiting')
          .execute()
      }
  }

/**
 * Creates the function that notifies destinations about the people of a request: it sends their deletion, and their
 * exits from audiences.
 */
export const createDestinationNotices = (deps: { db: Db; stream: Pick<LogWriter, 'appendGroup'> }) => {
  const notices = [createFarewells(deps), createDeletionNotices(deps)]
  return async (requestId: string): Promise<void> => {
    for (const notify of notices) await notify(requestId)
  }
}

type Outcome = { destination_id: string; event_id: string; status: string; reason: string }

const states: Readonly<Record<string, 'done' | 'failed'>> = { delivered: 'done', filtered: 'done', dead: 'failed' }

/**
 * Reads the outcomes of the deletions of a request from the delivery log, and stores them. Resolves to true if no
 * deletion is open. In that case it also removes the people from the delivery log.
 */
export const readDeletionOutcomes = async (
  { db, eventStore }: { db: Db; eventStore: EventStore },
  { id, workspaceId }: { id: string; workspaceId: string },
): Promise<boolean> => {
  const open = await db
    .selectFrom('privacy_tellings')
    .select(['destination_id', 'person'])
    .where('request_id', '=', id)
    .where('state', 'in', ['sent', 'failed'])
    .execute()
  if (open.length === 0) return true
  const outcomes = await eventStore.query<Outcome>(
    `select destination_id, event_id, argMax(status, (time, attempt)) as status, argMax(reason, (time, attempt)) as reason
     from deliveries where workspace_id = {workspace:String} and producer = 'privacy' and source_id = {request:String}
     group by destination_id, event_id`,
    { workspace: workspaceId, request: id },
    { owner: 'system' },
  )
  const rows = outcomes.flatMap(({ destination_id, event_id, status, reason }) => {
    const state = states[status]
    const person = Number(event_id.slice(id.length + 1))
    return state === undefined ? [] : [{ destination_id, person, state, reason: state === 'done' ? '' : reason }]
  })
  await sql`
    update privacy_tellings t set state = row.state, reason = row.reason
    from json_to_recordset(${JSON.stringify(rows)}::json) as row
      (destination_id uuid, person integer, state text, reason text)
    where t.request_id = ${id}::uuid and t.destination_id = row.destination_id and t.person = row.person`.execute(db)
  const left = await db
    .selectFrom('privacy_tellings')
    .select('person')
    .where('request_id', '=', id)
    .where('state', 'not in', ['done', 'not_told'])
    .executeTakeFirst()
  if (left !== undefined) return false
  await clearDeletionDeliveries(eventStore, { workspace: workspaceId, request: id })
  return true
}
