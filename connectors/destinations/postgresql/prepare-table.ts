import { ConfigurationError, type DeliverContext, type RowColumn } from '@tributary/connector-kit'
import { tableOf } from '../../wire/access/table-object.ts'
import { stateOf } from '../../wire/postgresql/failures.ts'
import { columnName } from '../../wire/warehouse/keyed-rows.ts'
import type { ColumnType } from '../../wire/warehouse/tables.ts'
import { useSession } from './session.ts'
import type { PostgresqlSettings } from './settings.ts'
import { maxColumns } from './tables.ts'

/**
 * Column types that the values alone do not determine, because numbers with a fraction can follow numbers without a
 * fraction.
 */
const types: Partial<Record<RowColumn['kind'], ColumnType>> = {
  integer: 'bigint',
  time: 'timestamp with time zone',
}
/** Column types for key columns, which are never null. */
const keyTypes: typeof types = { ...types, number: 'numeric', flag: 'boolean', bool: 'boolean', text: 'text' }

/**
 * Creates a missing table with its key, and adds missing columns of whole numbers and times. The rest is left to
 * `deliverRows`: keys without a fixed type, other columns, and tables or columns that the account cannot create.
 */
export const prepareTable = (
  context: DeliverContext<PostgresqlSettings>,
  object: string,
  columns: readonly RowColumn[],
): Promise<void> =>
  useSession(context, async ({ tables }) => {
    const keyed = tableOf(object)
    if (keyed === undefined) return
    tables.forget()
    const known = await tables.columns(keyed.table)
    const typed = columns.flatMap(({ name, kind }): [string, ColumnType][] => {
      const type = name === keyed.key ? keyTypes[kind] : types[kind]
      return type === undefined || known?.has(columnName(name)) === true ? [] : [[columnName(name), type]]
    })
    const isMade = known !== undefined || typed.some(([name]) => name === keyed.key)
    if (typed.length === 0 || !isMade || (known?.size ?? 0) + typed.length > maxColumns) return
    const made =
      known === undefined
        ? tables.create(keyed.table, keyed.key, new Map(typed))
        : tables.add(keyed.table, new Map(typed))
    await made.catch((error: unknown) => {
      if (stateOf(error) !== '42501' && !(error instanceof ConfigurationError)) throw error
    })
  })
