import type { EventOutcome } from '@tributary/connector-kit'
import { ask } from '../../wire/mysql/ask.ts'
import type { GuardedConnection } from '../../wire/mysql/connect.ts'
import { errorNumber, wordsOf } from '../../wire/mysql/failures.ts'
import { statementMs } from './tables.ts'

/**
 * Errors of a row (MySQL, "Server Error Message Reference"):
 * - nulls (1048), duplicates (1062), defaults (1364), row sizes (1118), partitions (1526),
 * - invalid values (1264 to 1267, 1292, 1365 to 1367, 1406, 1411, 1441, 1690), JSON (3140 to 3144),
 * - foreign keys (1216, 1217, 1451, 1452), generated columns (3105), checks (3819; MariaDB: 4025),
 * - errors that a trigger raised (1644).
 */
const ofRow = new Set([
  1048, 1062, 1118, 1216, 1217, 1264, 1265, 1266, 1292, 1364, 1365, 1366, 1367, 1406, 1411, 1441, 1451, 1452, 1526,
  1644, 1690, 3105, 3140, 3141, 3143, 3144, 3819, 4025,
])

/** Whether an error is caused by a value or a row. */
export const isOfRow = (error: unknown): boolean => ofRow.has(errorNumber(error))

/** Whether a transaction lost a conflict with another one: a deadlock, or a lock timeout. */
const isConflict = (error: unknown): boolean => [1205, 1213].includes(errorNumber(error))

/** Maximum attempts for a transaction that loses conflicts. */
const maxTries = 3

const rejected = (error: unknown): EventOutcome => ({ kind: 'rejected', reason: wordsOf(error) })
const delivered: EventOutcome = { kind: 'delivered' }

/**
 * Processes many items in one transaction, in their order. If the transaction fails, the items are processed in halves,
 * so that an item that the database refuses does not affect the others. A transaction that lost a conflict is repeated.
 * Returns an outcome for each item; rejects if no item is the cause.
 */
export const inTransaction = async <T>(
  guarded: GuardedConnection,
  items: readonly T[],
  together: (items: readonly T[]) => Promise<void>,
): Promise<EventOutcome[]> => {
  const run = (sql: string) => ask(guarded, sql, statementMs)
  const half = async (some: readonly T[]): Promise<EventOutcome[]> => {
    await run('savepoint items')
    try {
      await together(some)
      return some.map(() => delivered)
    } catch (error) {
      if (!isOfRow(error)) throw error
      await run('rollback to savepoint items')
      if (some.length === 1) return [rejected(error)]
    }
    const middle = Math.ceil(some.length / 2)
    return [...(await half(some.slice(0, middle))), ...(await half(some.slice(middle)))]
  }
  for (let tries = 1; ; tries++) {
    try {
      await run('start transaction')
      const outcomes = items.length === 0 ? [] : await half(items)
      await run('commit')
      return outcomes
    } catch (error) {
      if (!isConflict(error) || tries === maxTries) throw error
      await run('rollback')
    }
  }
}
