import { ConfigurationError, type DeliverContext, type RowColumn } from '@tributary/connector-kit'
import { tableOf } from '../../wire/access/table-object.ts'
import { deliveryError } from '../../wire/mysql/failures.ts'
import { isIdentifier } from '../../wire/mysql/identifiers.ts'
import { useSession } from './session.ts'
import type { MysqlSettings } from './settings.ts'
import { decimalDefinition, keyDefinition } from './values.ts'

/**
 * Creates a missing table with its key, and adds missing columns of whole numbers. The rest is left to `deliverRows`:
 * other columns, keys that are neither text nor numbers, and tables or columns that the account cannot create.
 */
export const prepareTable = (
  context: DeliverContext<MysqlSettings>,
  object: string,
  columns: readonly RowColumn[],
): Promise<void> =>
  useSession(context, async ({ guarded, tables }) => {
    const keyed = tableOf(object)
    tables.forget()
    if (keyed === undefined) return
    const known = await tables.find(keyed.table)
    const keyTypes: Partial<Record<RowColumn['kind'], string>> = {
      integer: 'bigint',
      number: decimalDefinition,
      text: keyDefinition(guarded.isMariaDb),
    }
    const typed = columns.flatMap(({ name, kind }): [string, string][] => {
      const type = name === keyed.key ? keyTypes[kind] : kind === 'integer' ? 'bigint' : undefined
      return type === undefined || !isIdentifier(name) || known?.columns.has(name) === true ? [] : [[name, type]]
    })
    const isMade = known?.hasRoom ?? typed.some(([name]) => name === keyed.key)
    if (typed.length === 0 || !isMade) return
    await tables.extend(keyed.table, keyed.key, new Map(typed)).catch((error: unknown) => {
      if (!(deliveryError(error) instanceof ConfigurationError)) throw error
    })
  })
