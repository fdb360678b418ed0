import type { DataQuery, RowsFrom } from '@tributary/connector-kit'
import { quoted } from '../../wire/postgresql/identifiers.ts'
import type { QueryStatement } from '../../wire/postgresql/read-session.ts'
import { conditionFrom, statementOf } from '../../wire/postgresql/read-statements.ts'

const head = 'select * from (\n'
/** Redshift has no words such as NO SCROLL. Source: https://docs.aws.amazon.com/redshift/latest/dg/declare.html */
const cursorHead = `declare rows_of_model cursor for ${head}`

/**
 * The statement that is described. Only a query can be a subquery, so that the server refuses every other statement,
 * and also `SELECT … INTO`.
 */
export const described = (query: DataQuery): string => `${head}${statementOf(query)}) as model_rows`
export const describedAt = head.length

/**
 * Returns the statement that opens the cursor. Redshift computes all rows of a cursor at the first fetch, so the
 * statement itself has the limit.
 */
export const cursor = (
  query: DataQuery,
  { limit, from }: { limit: number; from: RowsFrom | undefined },
): QueryStatement => {
  const where = from === undefined ? '' : ` where ${conditionFrom(from)}`
  return {
    text: `${cursorHead}${statementOf(query)}) as model_rows${where} limit ${limit}`,
    queryAt: cursorHead.length,
  }
}

/**
 * Returns the statement that lists the tables, views and external tables that the account may see; with `search`, only
 * those with the text $1, which is in lower case. Names that begin with `pg_` are those of the system.
 * Source: https://docs.aws.amazon.com/redshift/latest/dg/r_SVV_TABLES.html
 */
export const tablesStatement = ({ search, limit, offset }: { search: string; limit: number; offset: number }): string =>
  `select table_schema, table_name, case when table_type like '%VIEW%' then 'view' else 'table' end as table_kind
  from pg_catalog.svv_tables
 where table_schema not like 'pg!_%' escape '!' and table_schema <> 'information_schema'${
   search === '' ? '' : ` and position($1 in lower(table_schema || '.' || table_name)) > 0`
 }
 order by 1, 2 limit ${limit} offset ${offset}`

/**
 * Returns the statement that lists the columns of the table $2 in the schema $1, also of external tables and of
 * late-binding views. Source: https://docs.aws.amazon.com/redshift/latest/dg/r_SVV_COLUMNS.html
 */
export const columnsStatement = (
  limit: number,
): string => `select column_name, data_type, character_maximum_length, numeric_precision,
    numeric_scale, is_nullable
  from pg_catalog.svv_columns
 where table_schema = $1 and table_name = $2
 order by ordinal_position limit ${limit}`

/**
 * Statement that lists the columns of the primary key of the table $2 in the schema $1. Redshift does not enforce it.
 * Source: `getPrimaryKeys` of aws/amazon-redshift-jdbc-driver.
 */
export const keyColumnsStatement = `select a.attname
  from pg_catalog.pg_namespace n, pg_catalog.pg_class ct, pg_catalog.pg_class ci, pg_catalog.pg_attribute a,
    pg_catalog.pg_index i
 where ct.oid = i.indrelid and ci.oid = i.indexrelid and a.attrelid = ci.oid and i.indisprimary
   and ct.relnamespace = n.oid and n.nspname = $1 and ct.relname = $2`

/** Returns the statement that counts rows, rows whose key has a null, and keys that several rows have. */
export const keyStatement = (query: DataQuery, key: readonly string[]): string => {
  const columns = key.map((name) => `model_rows.${quoted(name)}`)
  return `select coalesce(sum(found), 0),
    coalesce(sum(case when has_null then found else 0 end), 0),
    coalesce(sum(case when found > 1 and not has_null then 1 else 0 end), 0),
    coalesce(sum(case when found > 1 and not has_null then found else 0 end), 0)
  from (select count(*) as found, ${columns.map((column) => `${column} is null`).join(' or ')} as has_null
          from (${statementOf(query)}) as model_rows group by ${columns.join(', ')}) as found_keys`
}
