import {
  ConfigurationError,
  type DeletedUser,
  deletedUserOf,
  type EventOutcome,
  type OutgoingRow,
} from '@tributary/connector-kit'
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

/** Users of one statement, so that statements stay short. */
const usersAtOnce = 200

const deleteSome = async (
  { dialect, run }: WarehouseSession,
  tables: WarehouseTables,
  users: readonly DeletedUser[],
): Promise<void> => {
  const all = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await run(statement)
  }
  const userIds = users.flatMap((user) => user.userIds)
  const staged = ofUsers(dialect, users, {
    userId: dialect.member('user_id'),
    anonymousId: dialect.member('anonymous_id'),
  })
  const isUser = `(table_name = ${dialect.literal('users')} AND ${anyOf(dialect, 'row_key', userIds)})`
  const isEvent = `(mode = ${dialect.literal('insert')} AND (${staged}))`
  const found = await tables.list()
  // The stage first: a load that begins afterwards cannot bring rows back.
  await all(dialect.deleteRows(stageTable, `${isUser} OR ${isEvent}`))
  for (const [table, columns] of found) {
    if (!isForEvents(table, columns) || table === 'accounts') continue
    if (table === 'users') {
      await all(dialect.deleteRows(table, anyOf(dialect, dialect.column('id'), userIds)))
      continue
    }
    if (!columns.has('user_id') || !columns.has('anonymous_id'))
      throw new ConfigurationError(
        `The table ${table} needs its columns user_id and anonymous_id, since users can't be deleted without them`,
      )
    const ofTable = { userId: dialect.column('user_id'), anonymousId: dialect.column('anonymous_id') }
    await all(dialect.deleteRows(table, ofUsers(dialect, users, ofTable)))
  }
}

/**
 * Deletes users with their events from the stage and the tables for events. Missing users count as deleted. Other rows
 * are rejected. Can be repeated.
 */
export const deleteUsers = async (
  session: WarehouseSession,
  tables: WarehouseTables,
  rows: readonly OutgoingRow[],
): Promise<EventOutcome[]> => {
  const users = rows.map(deletedUserOf)
  const asked = users.filter((user) => user !== undefined)
  if (asked.length > 0) tables.forget()
  for (let at = 0; at < asked.length; at += usersAtOnce)
    await deleteSome(session, tables, asked.slice(at, at + usersAtOnce))
  return users.map(
    (user): EventOutcome =>
      user === undefined
        ? { kind: 'rejected', reason: 'This warehouse takes deletions of users, and no other rows' }
        : { kind: 'delivered' },
  )
}
