import { type DeletedUser, deletedUserOf, type EventOutcome, type OutgoingRow } from '@tributary/connector-kit'
import type { Client } from 'pg'
import { quoted } from '../../wire/postgresql/identifiers.ts'
import { extraColumn } from '../../wire/warehouse/event-rows.ts'
import type { Session } from './session.ts'
import { inTransaction } from './write-rows.ts'

type Table = { name: string; events: boolean }

/**
 * Finds the tables of the schema that this destination created for events or users, by their columns. The schema can
 * have other tables with a `user_id` column, from which nothing is deleted.
 */
const ownTables = async (client: Client, schema: string): Promise<Table[]> => {
  const { rows } = await client.query<Table>(
    `select c.relname as name, bool_or(a.attname = 'user_id') and bool_or(a.attname = 'anonymous_id') as events
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where n.nspname = $1 and c.relkind in ('r', 'p')
      group by c.oid, c.relname
     having bool_or(a.attname = 'id' and a.atttypid = 'text'::regtype)
        and bool_or(a.attname = 'received_at') and bool_or(a.attname = $2 and a.atttypid = 'jsonb'::regtype)
        and (c.relname = 'users' or (bool_or(a.attname = 'user_id') and bool_or(a.attname = 'anonymous_id')))
      order by c.relname`,
    [schema, extraColumn],
  )
  return rows
}

const deleteFrom = async (client: Client, schema: string, tables: readonly Table[], users: readonly DeletedUser[]) => {
  const userIds = users.flatMap((user) => user.userIds)
  const anonymousIds = users.flatMap((user) => user.anonymousIds)
  for (const { name, events } of tables) {
    const table = `${quoted(schema)}.${quoted(name)}`
    if (events)
      await client.query(
        `delete from ${table} where user_id = any($1::text[]) or (user_id is null and anonymous_id = any($2::text[]))`,
        [userIds, anonymousIds],
      )
    else await client.query(`delete from ${table} where id = any($1::text[])`, [userIds])
  }
}

/**
 * Deletes users with their events from the tables that were created for events, in one transaction. An event belongs to
 * its user ID; an event without a user ID belongs to its anonymous ID. Missing users count as deleted. Other rows are
 * rejected.
 */
export const deleteUsers = async (
  { client }: Pick<Session, 'client'>,
  schema: string,
  rows: readonly OutgoingRow[],
): Promise<EventOutcome[]> => {
  const users = rows.map(deletedUserOf)
  const asked = users.filter((user) => user !== undefined)
  const tables = await ownTables(client, schema)
  const outcomes = await inTransaction(client, asked, (some) => deleteFrom(client, schema, tables, some))
  let next = 0
  return users.map(
    (user): EventOutcome =>
      (user === undefined ? undefined : outcomes[next++]) ?? {
        kind: 'rejected',
        reason: 'PostgreSQL takes deletions of users, and no other rows',
      },
  )
}
