import {
  type DeliverContext,
  type DeliverResult,
  type EventOutcome,
  type OutgoingEvent,
  type OutgoingRow,
  parseExactJson,
} from '@tributary/connector-kit'
import { type Asked, addressText, exchange } from '../../wire/access/exchange.ts'
import { type KeyedTable, tableOf } from '../../wire/access/table-object.ts'
import { errorNumber } from '../../wire/mysql/failures.ts'
import { type Session, useSession } from './session.ts'
import type { MysqlSettings } from './settings.ts'
import { type GivenRow, writeTableRows } from './table-rows.ts'

type Context = DeliverContext<MysqlSettings>

/** Whether the tables have changed since they were read: missing table (1146), missing column (1054). */
const isStale = (error: unknown): boolean => [1054, 1146].includes(errorNumber(error))

/** Writes rows, and tries again once if the tables have changed since they were read. */
const write = async (session: Session, keyed: KeyedTable, rows: readonly GivenRow[]): Promise<EventOutcome[]> => {
  try {
    return await writeTableRows(session, keyed, rows)
  } catch (error) {
    if (!isStale(error)) throw error
    session.tables.forget()
    return await writeTableRows(session, keyed, rows)
  }
}

/** Writes rows of a table on the destination's connection. */
const writeRows = (asked: Asked, context: Context, keyed: KeyedTable, rows: readonly GivenRow[]) =>
  exchange(asked, context, addressText(context.settings), () =>
    useSession(context, (session) => write(session, keyed, rows)),
  )

const counted = (count: number, one: string): string => (count === 1 ? `1 ${one}` : `${count} ${one}s`)

/** Upserts a row of the settings' table for each event; only an event that the database refuses is rejected. */
export const deliver = (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const { row_table: table, row_key: key } = context.settings
  const rows = batch.map(({ payload }): GivenRow => ({ operation: 'upsert', values: payload ?? {} }))
  const textOf = (index: number): string => JSON.stringify(batch[index]?.payload ?? {})
  return writeRows({ what: `upsert_row: ${counted(batch.length, 'event')}`, textOf }, context, { table, key }, rows)
}

/** Writes rows of a table, see `writeTableRows`; rows of other objects are rejected. */
export const deliverRows = async (batch: readonly OutgoingRow[], context: Context): Promise<DeliverResult> => {
  const keyed = tableOf(batch[0]?.object ?? '')
  if (keyed === undefined) {
    const outcomes = batch.map((): EventOutcome => ({ kind: 'rejected', reason: 'MySQL takes rows of tables' }))
    return { outcomes, httpStatus: 0, latencyMs: 0 }
  }
  const rows = batch.map(({ operation, json }): GivenRow => {
    const values = parseExactJson(json) as Record<string, unknown>
    return { operation, values }
  })
  return await writeRows(
    { what: counted(batch.length, 'row'), textOf: (index) => batch[index]?.json ?? '' },
    context,
    keyed,
    rows,
  )
}
