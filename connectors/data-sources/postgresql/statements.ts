import type { DataQuery, RowsFrom } from '@tributary/connector-kit'
import { quoted } from '../../wire/postgresql/identifiers.ts'
import { conditionFrom, statementOf } from '../../wire/postgresql/read-statements.ts'

/** Returns the statement for the rows of a query; with `from`, only rows from its value on. */
export const statementFrom = (query: DataQuery, from: RowsFrom | undefined): string =>
  from === undefined
    ? statementOf(query)
    : `select * from (\n${statementOf(query)}) as model where ${conditionFrom(from)}\n`

/** The text before the statement when a cursor runs it. Error positions from the server include this text. */
export const cursorHead = 'declare rows_of_model no scroll cursor for '

/**
 * Statement that lists tables, views and foreign tables that the account can read. $1 is a text in lower case, $2 the
 * limit, $3 the offset.
 */
export const tablesStatement = `select n.nspname as schema, c.relname as name,
    case when c.relkind in ('v', 'm') then 'view' else 'table' end as kind,
    case when c.reltuples >= 0 and c.relkind <> 'v' then c.reltuples::bigint::text end as rows
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
   and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'
   and pg_catalog.has_schema_privilege(n.oid, 'usage')
   and (pg_catalog.has_table_privilege(c.oid, 'select') or pg_catalog.has_any_column_privilege(c.oid, 'select'))
   and pg_catalog.strpos(pg_catalog.lower(n.nspname || '.' || c.relname), $1) > 0
 order by 1, 2 limit $2 offset $3`

/** Statement that lists the columns of the table $2 in the schema $1 that the account can read, at most $3. */
export const columnsStatement = `select a.attname as name, pg_catalog.format_type(a.atttypid, a.atttypmod) as type,
    not a.attnotnull as nullable,
    pg_catalog.array_position(i.indkey::pg_catalog.int2[], a.attnum) is not null as in_key
  from pg_catalog.pg_attribute a
  join pg_catalog.pg_class c on c.oid = a.attrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisprimary
 where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0 and not a.attisdropped
   and pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_column_privilege(c.oid, a.attnum, 'select')
 order by a.attnum limit $3`

/** Returns the statement that counts rows, rows whose key has a null, and keys that several rows have. */
export const keyStatement = (query: DataQuery, key: readonly string[]): string => {
  const columns = key.map((name) => `model.${quoted(name)}`)
  return `select coalesce(sum(found), 0)::text as rows,
    coalesce(sum(found) filter (where has_null), 0)::text as null_rows,
    (count(*) filter (where found > 1 and not has_null))::text as duplicate_keys,
    coalesce(sum(found) filter (where found > 1 and not has_null), 0)::text as duplicate_rows
  from (select count(*) as found, ${columns.map((column) => `${column} is null`).join(' or ')} as has_null
          from (${statementOf(query)}) as model group by ${columns.join(', ')}) as keys`
}
