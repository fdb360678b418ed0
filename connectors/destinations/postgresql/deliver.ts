import {
  type DeliverContext,
  type DeliverResult,
  type EventOutcome,
  type OutgoingEvent,
  type OutgoingRow,
  parseExactJson,
} from '@tributary/connector-kit'
import { type Asked, addressText, exchange } from '../../wire/access/exchange.ts'
import { tableOf } from '../../wire/access/table-object.ts'
import { isStale, stateOf } from '../../wire/postgresql/failures.ts'
import { rowsOf, type WrittenEvent } from '../../wire/warehouse/event-rows.ts'
import { upsertRows } from '../../wire/warehouse/keyed-rows.ts'
import { prepareRows } from '../../wire/warehouse/prepare-rows.ts'
import { deleteUsers } from './delete-users.ts'
import { type Session, useSession } from './session.ts'
import type { PostgresqlSettings } from './settings.ts'
import { compileStatement, runStatement } from './statement.ts'
import { writeTableRows } from './table-rows.ts'
import { rules } from './tables.ts'
import { insertRows, inTransaction } from './write-rows.ts'

/** Parses an event that the pipeline wrote; numbers stay exact. */
const written = (event: OutgoingEvent): WrittenEvent => parseExactJson(event.json) as WrittenEvent

type Context = DeliverContext<PostgresqlSettings>

type Action = (session: Session, events: readonly OutgoingEvent[]) => Promise<EventOutcome[]>

const rejectAll = (events: readonly OutgoingEvent[], reason: string): EventOutcome[] =>
  events.map(() => ({ kind: 'rejected', reason }))

const writeEvents =
  (schema: string): Action =>
  async ({ client, tables }, events) => {
    const rows = await prepareRows(
      tables,
      events.map((event) => rowsOf(written(event), event.payload)),
      rules,
    )
    return await inTransaction(client, rows, (some) => insertRows(client, schema, some.flat()))
  }

const upsert =
  (schema: string, table: string, key: string): Action =>
  async ({ client, tables }, events) => {
    const prepared = await upsertRows(tables, { table, key }, events, rules)
    const rows = prepared.flatMap((item) => ('row' in item ? [item.row] : []))
    const outcomes =
      rows.length === 0 ? [] : await inTransaction(client, rows, (some) => insertRows(client, schema, some))
    let next = 0
    return prepared.map((item) =>
      'problem' in item
        ? { kind: 'rejected', reason: item.problem }
        : (outcomes[next++] ?? { kind: 'retry', reason: 'Not written' }),
    )
  }

const runStatements =
  (statement: string): Action =>
  async ({ client }, events) => {
    const compiled = compileStatement(statement)
    if (statement === '' || compiled === undefined)
      return rejectAll(events, 'The custom SQL statement is empty or uses an unknown parameter')
    return await inTransaction(client, events, async (some) => {
      for (const event of some) await runStatement(client, compiled, written(event), event)
    })
  }

const actionOf = (name: string, { settings }: Context): Action => {
  if (name === 'upsert_row') return upsert(settings.schema, settings.row_table, settings.row_key)
  if (name === 'run_statement') return runStatements(settings.statement ?? '')
  return writeEvents(settings.schema)
}

/** Repeats the action once if the tables have changed since they were read. */
const withFreshTables = async <T>(
  action: (session: Session, items: readonly T[]) => Promise<EventOutcome[]>,
  session: Session,
  items: readonly T[],
): Promise<EventOutcome[]> => {
  try {
    return await action(session, items)
  } catch (error) {
    if (!isStale(stateOf(error))) throw error
    await session.client.query('rollback')
    session.tables.forget()
    return await action(session, items)
  }
}

const askedOf = (batch: readonly OutgoingEvent[]): Asked => {
  const actions = [...new Set(batch.map(({ action }) => action))].join(', ')
  return {
    what: `${actions}: ${batch.length === 1 ? '1 event' : `${batch.length} events`}`,
    textOf: (index) => {
      const event = batch[index]
      return event?.payload === undefined ? (event?.json ?? '') : JSON.stringify(event.payload)
    },
  }
}

/** Runs work on the destination's connection. */
const write = (asked: Asked, context: Context, work: (session: Session) => Promise<EventOutcome[]>) => {
  const address = `${addressText(context.settings)}, schema ${context.settings.schema}`
  return exchange(asked, context, address, () => useSession(context, work))
}

/**
 * Writes a batch in one transaction for each of its actions. Only an event that the database refuses is rejected. A
 * temporary error, or an error of the set-up, rejects with a DeliveryError for all events.
 */
export const deliver = (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> =>
  write(askedOf(batch), context, async (session) => {
    const results = new Map<OutgoingEvent, EventOutcome>()
    for (const [name, events] of Map.groupBy(batch, ({ action }) => action)) {
      const found = await withFreshTables(actionOf(name, context), session, events)
      for (const [index, event] of events.entries()) {
        const outcome = found[index]
        if (outcome !== undefined) results.set(event, outcome)
      }
    }
    return batch.map((event) => results.get(event) ?? { kind: 'retry' as const, reason: 'Not written' })
  })

/**
 * Writes rows of a table, see `writeTableRows`. For all other rows, deletes the users that they name, see
 * `deleteUsers`.
 */
export const deliverRows = (batch: readonly OutgoingRow[], context: Context): Promise<DeliverResult> =>
  write(
    { what: batch.length === 1 ? '1 row' : `${batch.length} rows`, textOf: (index) => batch[index]?.json ?? '' },
    context,
    async (session) => {
      const { schema } = context.settings
      const keyed = tableOf(batch[0]?.object ?? '')
      if (keyed === undefined) return await deleteUsers(session, schema, batch)
      return await withFreshTables(
        (open, rows: typeof batch) => writeTableRows(open, schema, keyed, rows),
        session,
        batch,
      )
    },
  )
