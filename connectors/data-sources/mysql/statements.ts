import { type DataQuery, type RowsFrom, withoutStatementEnd } from '@tributary/connector-kit'
import { quoted, textLiteral } from '../../wire/mysql/identifiers.ts'

/** Returns a query as one statement without the final semicolon. */
export const statementOf = (query: DataQuery): string =>
  'sql' in query ? withoutStatementEnd(query.sql) : `select * from ${quoted(query.schema)}.${quoted(query.table)}`

/** Returns the literal of a lower bound. Times need no offset, because the session is in UTC. */
const boundOf = ({ kind, value }: RowsFrom): string =>
  kind === 'number' ? value : `${kind === 'date' ? 'date' : 'timestamp'} '${value}'`

const whereFrom = (from: RowsFrom | undefined): string =>
  from === undefined ? '' : ` where ${quoted(from.column)} >= ${boundOf(from)} or ${quoted(from.column)} is null`

/**
 * Returns the statement that reads the rows of another statement in parentheses, which accept only a query without
 * `into`. The query must also be valid alone, otherwise it could close the parenthesis. The closing parenthesis is on a
 * new line, so that no comment includes it.
 */
export const rowsStatement = (statement: string, limit: number, from?: RowsFrom): string =>
  `select * from (\n${statement}\n) as rows_of_model${whereFrom(from)} limit ${limit}`

const ownSchemas = `('information_schema', 'mysql', 'performance_schema', 'sys')`

/**
 * Returns the statement that lists tables and views for which the account has a privilege; `search` is a text in lower
 * case.
 */
export const tablesStatement = ({ search, offset, limit }: { search: string; offset: number; limit: number }): string =>
  `select table_schema, table_name, if(table_type = 'VIEW', 'view', 'table'), if(table_type = 'VIEW', null, table_rows)
     from information_schema.tables
    where table_schema not in ${ownSchemas} and table_type in ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')
      ${search === '' ? '' : `and instr(lower(concat(table_schema, '.', table_name)), ${textLiteral(search)}) > 0`}
    order by 1, 2 limit ${limit} offset ${offset}`

/**
 * Returns the statement that lists the columns of a table that the account can read. Names are compared with letter
 * case, like the file names of most servers.
 */
export const columnsStatement = (schema: string, table: string, limit: number): string =>
  `select column_name, column_type, is_nullable, column_key
     from information_schema.columns
    where table_schema = ${textLiteral(schema)} and table_name = ${textLiteral(table)}
      and cast(table_name as binary) = cast(${textLiteral(table)} as binary)
    order by ordinal_position limit ${limit}`

/**
 * Returns the statement that counts rows, rows with a null in the key, and keys of several rows. Keys are compared by
 * their bytes, because a collation can treat texts as equal that are different keys elsewhere.
 */
export const keyStatement = (statement: string, key: readonly string[]): string => {
  const names = key.map((_, at) => `key_${at}`)
  const casts = key.map((name, at) => `cast(model.${quoted(name)} as binary) as key_${at}`)
  return `select coalesce(sum(found), 0), coalesce(sum(if(has_null, found, 0)), 0),
    coalesce(sum(found > 1 and not has_null), 0), coalesce(sum(if(found > 1 and not has_null, found, 0)), 0)
  from (select count(*) as found, ${names.map((name) => `${name} is null`).join(' or ')} as has_null
          from (select ${casts.join(', ')} from (\n${statement}\n) as model) as rows_of_model
         group by ${names.join(', ')}) as counted`
}
