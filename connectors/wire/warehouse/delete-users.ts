import { type DeletedUser, deletedUserOf, type EventOutcome, type OutgoingRow } from '@tributary/connector-kit'
import { type Dialect, stageTable, type WarehouseSession } from './dialect.ts'
import { isForEvents } from './warehouse-rows.ts'
import type { WarehouseTables } from './warehouse-tables.ts'

const anyOf = ({ literal }: Dialect, expression: string, texts: readonly string[]): string =>
  texts.length === 0 ? '1 = 0' : `${expression} IN (${texts.map(literal).join(', ')})`

/** Returns the condition that a row belongs to one of the users: by its user ID, or without one by its anonymous ID. */
const ofUsers = (
  dialect: Dialect,
  users: readonly DeletedUser[],
  { userId, anonymousId }: { userId: string; anonymousId: string },
): string => {
  const userIds = users.flatMap((user) => user.userIds)
  const anonymousIds = users.flatMap((user) => user.anonymousIds)
  return `${anyOf(dialect, userId, userIds)} OR (${userId} IS NULL AND ${anyOf(dialect, anonymousId, anonymousIds)})`
}

/**
 * Deletes users with their events from the stage and the tables for events. Missing users count as deleted. Other rows
 * are rejected. Can be repeated.
 */
export const deleteUsers = async (
  { dialect, run }: WarehouseSession,
  tables: WarehouseTables,
  rows: readonly OutgoingRow[],
): Promise<EventOutcome[]> => {
  const users = rows.map(deletedUserOf)
  const asked = users.filter((user) => user !== undefined)
  const all = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await run(statement)
  }
  if (asked.length > 0) {
    tables.forget()
    const userIds = asked.flatMap((user) => user.userIds)
    const staged = ofUsers(dialect, asked, {
      userId: dialect.member('user_id'),
      anonymousId: dialect.member('anonymous_id'),
    })
    const isUser = `(table_name = ${dialect.literal('users')} AND ${anyOf(dialect, 'row_key', userIds)})`
    const isEvent = `(mode = ${dialect.literal('insert')} AND (${staged}))`
    // The stage first: a load that runs meanwhile cannot bring rows back afterwards.
    await all(dialect.deleteRows(stageTable, `${isUser} OR ${isEvent}`))
    for (const [table, columns] of await tables.list()) {
      if (!isForEvents(table, columns)) continue
      if (table === 'users') await all(dialect.deleteRows(table, anyOf(dialect, dialect.column('id'), userIds)))
      else if (columns.has('user_id') && columns.has('anonymous_id'))
        await all(
          dialect.deleteRows(
            table,
            ofUsers(dialect, asked, { userId: dialect.column('user_id'), anonymousId: dialect.column('anonymous_id') }),
          ),
        )
    }
  }
  return users.map(
    (user): EventOutcome =>
      user === undefined
        ? { kind: 'rejected', reason: 'This warehouse takes deletions of users, and no other rows' }
        : { kind: 'delivered' },
  )
}
