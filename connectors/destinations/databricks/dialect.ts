import { literal, quoted } from '../../wire/databricks/identifiers.ts'
import { type Dialect, stageTable } from '../../wire/warehouse/dialect.ts'
import { extraColumn } from '../../wire/warehouse/event-rows.ts'
import type { Fit } from '../../wire/warehouse/fit.ts'
import { mergeNewer, mergeWhatIsNew } from '../../wire/warehouse/statements.ts'
import type { Columns } from '../../wire/warehouse/tables.ts'

/** The volume in which batches are files until they are in the stage. */
export const filesVolume = 'tributary_files'

/** Digits that an integer of each type always has room for. */
const digits: Readonly<Record<string, number>> = { tinyint: 2, smallint: 4, int: 9, bigint: 18 }

const fitOf = (type: string): Fit | undefined => {
  const [, precision, scale] = /^decimal\((\d+),(\d+)\)$/.exec(type) ?? []
  if (precision !== undefined)
    return { kind: 'number', before: Number(precision) - Number(scale), after: Number(scale) }
  const before = digits[type]
  if (before !== undefined) return { kind: 'number', before, after: 0 }
  if (type === 'float' || type === 'double') return { kind: 'double' }
  if (type === 'string') return { kind: 'text' }
  if (type === 'boolean') return { kind: 'boolean' }
  if (/^timestamp(?:_ntz)?$/.test(type)) return { kind: 'time' }
  return type === 'date' ? { kind: 'date' } : undefined
}

/** The text is in UTC, whatever the time zone of the session is. */
const cast = (text: string, type: string): string => {
  if (type === 'string') return text
  return type === 'timestamp' ? `try_cast((${text}) || 'Z' AS timestamp)` : `try_cast(${text} AS ${type})`
}

/**
 * Time zones of the session do not matter here either: the text is made of microseconds since 1970. Decimals have no
 * zeros at their end.
 */
const textOf = (expression: string, type: string): string => {
  if (type === 'timestamp')
    return `CAST(TIMESTAMP_NTZ'1970-01-01' + make_dt_interval(0, 0, 0, CAST(unix_micros(${expression}) / 1000000.0 AS decimal(18,6))) AS string)`
  const text = `CAST(${expression} AS string)`
  return /^decimal\(\d+,[1-9]\d*\)$/.test(type) ? `regexp_replace(${text}, '[.]?0+$', '')` : text
}

/** A member of a JSON object: a text as itself, any other value as JSON; null if it is absent or null. */
const memberOf = (json: string, name: string): string => `get_json_object(${json}, ${literal(`$['${name}']`)})`

const extra = quoted(extraColumn)

/**
 * Returns `extra_properties` after the change of a type: with the value of the column that does not convert, or without
 * the one that does. As VARIANT, the other members keep up to 38 digits.
 */
const movedExtra = (column: string, before: string, type: string): string => {
  const text = textOf(quoted(column), before)
  const others = `map_filter(from_json(coalesce(${extra}, '{}'), 'map<string, variant>'), (k, v) -> k <> ${literal(column)})`
  const lost = `${quoted(column)} IS NOT NULL AND ${cast(text, type)} IS NULL`
  const found = `${quoted(column)} IS NULL AND ${cast(memberOf(extra, column), type)} IS NOT NULL`
  return `CAST(CASE WHEN ${lost} THEN to_json(map_concat(${others}, map(${literal(column)}, CAST(${text} AS variant))))
  WHEN ${found} THEN CASE WHEN size(${others}) = 0 THEN NULL ELSE to_json(${others}) END ELSE ${extra} END AS string)`
}

/**
 * Properties of tables for events. Columns can be renamed and dropped only with column mapping. Deletion vectors bring
 * row-level concurrency, with which two concurrent merges could insert one key twice. Without it, one of them fails,
 * and is repeated (docs.databricks.com/aws/en/optimizations/isolation/row-level-concurrency).
 */
const properties = `TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'false', 'delta.isolationLevel' = 'Serializable')`

/** Columns that Delta Lake adds to reads (docs.databricks.com/aws/en/delta/delta-change-data-feed). */
const reserved = new Set(['_metadata', '_change_type', '_commit_version', '_commit_timestamp'])

/**
 * Returns the SQL of Databricks for the tables of a schema. All tables are Delta tables, where each statement is one
 * transaction. Files of events are made in the order of receipt, so their statistics leave out old ones without
 * clustering.
 */
export const createDialect = (catalog: string, schema: string): Dialect => {
  const place = (name: string): string => [catalog, schema, name].map(quoted).join('.')
  const define = (columns: Columns, required: readonly string[] = []): string =>
    [...columns]
      .map(([name, type]) => `${quoted(name)} ${type}${required.includes(name) ? ' NOT NULL' : ''}`)
      .join(', ')
  const alter = (table: string): string => `ALTER TABLE ${place(table)}`
  const self: Dialect = {
    column: quoted,
    table: place,
    literal,
    isReserved: (name) => reserved.has(name),
    types: { text: 'string', number: 'decimal(38,10)', boolean: 'boolean', time: 'timestamp', json: 'string' },
    years: [1, 9999],
    fitOf,
    maxColumns: 1000,
    prepare: () => [
      `CREATE TABLE IF NOT EXISTS ${place(stageTable)} (batch string NOT NULL, place bigint NOT NULL, table_name string, mode string,
  row_key string NOT NULL, received_at string, row_values string, set_null string, bytes bigint)`,
      `CREATE VOLUME IF NOT EXISTS ${place(filesVolume)}`,
    ],
    listColumns: () =>
      `SELECT table_name, column_name, full_data_type FROM ${quoted(catalog)}.information_schema.columns
 WHERE table_schema = ${literal(schema)} ORDER BY table_name, ordinal_position`,
    listed: ([table, column, type]) => {
      if (table === null || table === undefined || table === stageTable) return undefined
      return { table, column: column ?? '', type: (type ?? '').toLowerCase().replace(/\s+/g, '') }
    },
    createTable: (table, key, columns) => [
      `CREATE TABLE IF NOT EXISTS ${place(table)} (${define(columns, [key, 'received_at'])}) ${properties}`,
    ],
    addColumns: (table, columns) => [`${alter(table)} ADD COLUMNS (${define(columns)})`],
    member: (name) => memberOf('row_values', name),
    cast,
    contains: (text, part) => `contains(${text}, ${literal(part)})`,
    insertNew: (rows) => [mergeWhatIsNew(self, rows)],
    merge: (rows) => [mergeNewer(self, rows)],
    dropBatches: (batches) => [`DELETE FROM ${place(stageTable)} WHERE batch IN (${batches.map(literal).join(', ')})`],
    deleteRows: (table, condition) => [`DELETE FROM ${place(table)} WHERE ${condition}`],
    text: textOf,
    extraMember: (name) => memberOf(extra, name),
    // One statement replaces the whole table, so that no column is ever missing.
    changeType: ({ table, column, columns, type }) => {
      const before = columns.get(column) ?? ''
      const value = cast(`coalesce(${textOf(quoted(column), before)}, ${memberOf(extra, column)})`, type)
      const changed: Readonly<Record<string, string>> = {
        [column]: value,
        [extraColumn]: movedExtra(column, before, type),
      }
      const values = [...columns.keys()].map((name) => {
        const expression = Object.hasOwn(changed, name) ? changed[name] : undefined
        return expression === undefined ? quoted(name) : `${expression} AS ${quoted(name)}`
      })
      return [
        `CREATE OR REPLACE TABLE ${place(table)} ${properties} AS SELECT ${values.join(', ')} FROM ${place(table)}`,
      ]
    },
    renameColumn: ({ table, column, name }) => [`${alter(table)} RENAME COLUMN ${quoted(column)} TO ${quoted(name)}`],
    dropColumn: ({ table, column }) => [`${alter(table)} DROP COLUMN IF EXISTS ${quoted(column)}`],
  }
  return self
}
