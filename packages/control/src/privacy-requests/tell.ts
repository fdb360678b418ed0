import type { Db } from '@tributary/api-kit'
import { type DeliveryMeta, type OutboundRow, outboundBody } from '@tributary/contract'
import { faultPoint } from '@tributary/kernel'
import type { EventStore, LogWriter } from '@tributary/storage'
import { sql } from 'kysely'
import { createFarewells } from '../audiences/destinations/farewells.ts'

/** By which deliveries know who makes these rows. */
const producer = { k: 'privacy', n: 'privacy' } as const
/** Rows of one record of the stream. */
const rowsPerRecord = 50

/** The id of a row: of one person of a request, whatever the destination. */
const recordIdOf = (requestId: string, person: number): string => `${requestId}.${person}`

type Identifier = { type: string; value: string }

/** What a destination is told: to delete whoever it knows by one of these. */
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
 * Tells to delete them by rows of the stream, which delivery sends and tries again like events. What was appended and not written
 * down, since the process was killed, is appended again under the same ids: deleting somebody twice is the same.
 */
const createDeletionTelling =
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
 * Makes the function that has destinations told of the people of a request: to delete them, and that they have left their audiences.
 */
export const createTelling = (deps: { db: Db; stream: Pick<LogWriter, 'appendGroup'> }) => {
  const tells = [createFarewells(deps), createDeletionTelling(deps)]
  return async (requestId: string): Promise<void> => {
    for (const tell of tells) await tell(requestId)
  }
}

type Outcome = { destination_id: string; event_id: string; status: string; reason: string }

const states: Readonly<Record<string, 'done' | 'failed'>> = { delivered: 'done', filtered: 'done', dead: 'failed' }

/**
 * Notes what became of what destinations were told, by the delivery log, and takes out of the log whom it was about when
 * nothing is open any more: then it resolves to true.
 */
export const learnTold = async (
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
  await eventStore.command(
    `alter table deliveries update key = '', request = '', response = ''
     where workspace_id = {workspace:String} and producer = 'privacy' and source_id = {request:String}`,
    { workspace: workspaceId, request: id },
  )
  return true
}
