import type { Client, QueryResultRow } from 'pg'

type Column = { name: string; type: string; collation: string | null; storage: string | null; compression: string }
type Key = { name: string; type: string }
export type Shape = {
  /** The quoted name of the table with its schema. */
  name: string
  oid: string
  /** Why the table cannot be rewritten; null if it can. */
  reason: string | null
  options: string[] | null
  /** Physical columns in order; the name of a dropped column is null. */
  columns: (Omit<Column, 'name'> & { name: string | null })[]
  /** The columns of the key that identifies rows, in order. */
  keys: Key[]
  indexes: { oid: string; unique: boolean; definition: string; prefix: string; isKey: boolean }[]
}

/**
 * Reads the definition of a table; `reason` says why its files cannot be swapped, if so.
 *
 * @throws if there is no such table
 */
export const readShape = async (client: Client, name: string): Promise<Shape> => {
  const one = async <Row extends QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> =>
    (await client.query<Row>(text, values)).rows
  const [table] = await one<{ oid: string; options: string[] | null; reason: string | null; key: string | null }>(
    `select c.oid::text as oid, c.reloptions as options, k.indexrelid::text as key, case
      when c.relkind <> 'r' or c.relispartition or c.reloftype <> 0 then 'it is not an ordinary table'
      when exists (select from pg_inherits where c.oid in (inhrelid, inhparent)) then 'it inherits'
      when c.relpersistence <> 'p' then 'it is not permanent'
      when c.reltablespace <> 0 or exists (select from pg_index x join pg_class i on i.oid = x.indexrelid
        where x.indrelid = c.oid and i.reltablespace <> 0) then 'it is in a tablespace'
      when current_setting('wal_level') = 'minimal' then 'the write-ahead log is minimal'
      when exists (select from pg_publication) then 'the database publishes changes'
      when c.relrowsecurity then 'it has row security'
      when exists (select from pg_class t where t.oid = c.reltoastrelid and t.reloptions is not null)
        then 'it has settings for large values'
      when exists (select from pg_attribute a where a.attrelid = c.oid and a.attgenerated = 'v') then 'it has a virtual column'
      when exists (select from pg_index x where x.indrelid = c.oid and x.indisexclusion) then 'it has an exclusion constraint'
      when exists (select from pg_index x where x.indrelid = c.oid and not (x.indisvalid and x.indisready))
        then 'it has an invalid index'
      when k.indexrelid is null then 'it has no primary key'
      end as reason
    from pg_class c left join lateral (
      select x.indexrelid from pg_index x where x.indrelid = c.oid and x.indisunique and x.indisvalid and x.indpred is null
        and x.indexprs is null and not exists (select from pg_attribute a
          where a.attrelid = c.oid and a.attnum = any(x.indkey) and not a.attnotnull)
      order by x.indisprimary desc, x.indexrelid limit 1) k on true
    where c.oid = $1::regclass`,
    [name],
  )
  if (table === undefined) throw new Error(`${name} is not a table`)
  const columns = await one<Shape['columns'][number]>(
    `select case when a.attisdropped then null else quote_ident(a.attname) end as name,
      case when a.attisdropped then 'text' else format_type(a.atttypid, a.atttypmod) end as type,
      (select format('%I.%I', n.nspname, o.collname) from pg_collation o join pg_namespace n on n.oid = o.collnamespace
        where o.oid = a.attcollation and not a.attisdropped) as collation,
      case when a.attisdropped or a.attstorage = t.typstorage then null else
        case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end end as storage,
      case a.attcompression when 'p' then 'pglz' when 'l' then 'lz4' else '' end as compression
    from pg_attribute a left join pg_type t on t.oid = a.atttypid where a.attrelid = $1::oid and a.attnum > 0 order by a.attnum`,
    [table.oid],
  )
  const keys = await one<Key>(
    `select quote_ident(a.attname) as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_index x cross join unnest(x.indkey::int2[]) with ordinality as u (attnum, place)
    join pg_attribute a on a.attrelid = x.indrelid and a.attnum = u.attnum
    where x.indexrelid = $1::oid and u.place <= x.indnkeyatts order by u.place`,
    [table.key],
  )
  const indexes = await one<Shape['indexes'][number]>(
    `select x.indexrelid::text as oid, x.indisunique as unique, pg_get_indexdef(x.indexrelid) as definition,
      format('CREATE %sINDEX %I ON %I.%I ', case when x.indisunique then 'UNIQUE ' else '' end, i.relname, n.nspname, c.relname)
        as prefix, x.indexrelid::text is not distinct from $2 as "isKey"
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
    join pg_namespace n on n.oid = c.relnamespace where x.indrelid = $1::oid order by i.relname`,
    [table.oid, table.key],
  )
  const odd = indexes.find(({ definition, prefix }) => !definition.startsWith(prefix))
  const reason = table.reason ?? (odd === undefined ? null : `its index is not understood: ${odd.definition}`)
  return { name, oid: table.oid, options: table.options, reason, columns, keys, indexes }
}

/** The quoted current columns of the table. */
const namedColumns = ({ columns }: Shape): string[] => columns.flatMap(({ name }) => (name === null ? [] : [name]))

/** The current columns as a comma-separated list. */
export const namesOf = (shape: Shape): string => namedColumns(shape).join(', ')

/** The current columns of a row alias. */
export const prefixed = (prefix: string, shape: Shape): string =>
  namedColumns(shape)
    .map((column) => `${prefix}.${column}`)
    .join(', ')
