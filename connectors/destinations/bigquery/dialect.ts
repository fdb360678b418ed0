import { literal, quoted } from '../../wire/bigquery/identifiers.ts'
import { type Dialect, stageTable } from '../../wire/warehouse/dialect.ts'
import { extraColumn } from '../../wire/warehouse/event-rows.ts'
import type { Fit } from '../../wire/warehouse/fit.ts'
import { insertWhatIsNew, mergeNewer } from '../../wire/warehouse/statements.ts'
import { mergedTables } from '../../wire/warehouse/warehouse-rows.ts'

/** The table whose one row each load changes first, so that two loads exclude each other. */
export const lockTable = 'tributary_lock'

/** A table of this name would hide the views about the dataset. */
const hiding = 'information_schema'
const hidingAs = `${hiding}_`

/** Digits of NUMERIC and BIGNUMERIC that always fit (GoogleSQL, "Decimal types"). */
const decimals: Readonly<Record<string, { before: number; after: number }>> = {
  NUMERIC: { before: 29, after: 9 },
  BIGNUMERIC: { before: 38, after: 38 },
}

const fitOf = (type: string): Fit | undefined => {
  const [, name = '', first, second] = /^([A-Z0-9]+)(?:\((\d+)(?:, ?(\d+))?\))?$/.exec(type) ?? []
  const digits = decimals[name]
  if (digits !== undefined) {
    if (first === undefined) return { kind: 'number', ...digits }
    return { kind: 'number', before: Number(first) - Number(second ?? 0), after: Number(second ?? 0) }
  }
  // The length of STRING counts characters, of which none has less than one byte.
  if (name === 'STRING') return { kind: 'text', ...(first === undefined ? {} : { maxBytes: Number(first) }) }
  if (name === 'INT64') return { kind: 'number', before: 18, after: 0 }
  if (name === 'FLOAT64') return { kind: 'double' }
  if (name === 'BOOL') return { kind: 'boolean' }
  if (name === 'TIMESTAMP' || name === 'DATETIME') return { kind: 'time' }
  return name === 'DATE' ? { kind: 'date' } : undefined
}

const isLiteral = (text: string): boolean => text.startsWith("'")

const cast = (text: string, type: string): string => {
  if (type === 'STRING') return text
  // A literal lets BigQuery read only the partitions since then. Texts without a zone are in UTC.
  if (type === 'TIMESTAMP' && isLiteral(text)) return `TIMESTAMP ${text}`
  return `SAFE_CAST(${text} AS ${type})`
}

const pathOf = (name: string): string => literal(`$."${name}"`)

const member = (name: string): string => `JSON_VALUE(row_values, ${pathOf(name)})`

const extra = quoted(extraColumn)

/** A member of `extra_properties`: a text as itself, any other value as JSON. */
const extraMember = (name: string): string =>
  `COALESCE(JSON_VALUE(${extra}, ${pathOf(name)}), NULLIF(JSON_QUERY(${extra}, ${pathOf(name)}), 'null'))`

const textOf = (expression: string, type: string): string => {
  if (type === 'STRING') return expression
  if (type === 'TIMESTAMP') return `FORMAT_TIMESTAMP('%F %H:%M:%E6S', ${expression})`
  return /^(?:ARRAY|STRUCT|JSON)\b/.test(type) ? `TO_JSON_STRING(${expression})` : `CAST(${expression} AS STRING)`
}

/**
 * Returns `extra_properties` after the change of a type: with the value of the column that does not convert, or without
 * the one that does. The digits of its other members stay: a member is written in front of the others. An object is
 * left as it is if JSON of BigQuery could not keep its numbers.
 */
const movedExtra = (column: string, before: string, type: string): string => {
  const text = textOf(quoted(column), before)
  const lost = `${quoted(column)} IS NOT NULL AND ${cast(text, type)} IS NULL`
  const name = literal(`${JSON.stringify(column)}:`)
  const others = `IF(${extra} IS NULL OR ${extra} = '{}', '}', CONCAT(',', SUBSTR(${extra}, 2)))`
  return `CASE WHEN ${lost} THEN CONCAT('{', ${name}, TO_JSON_STRING(${text}), ${others})
    ELSE ${extra} END`
}

/** Returns the assignment that takes a member out of `extra_properties`, where its column has the same value. */
const withoutMember = (column: string, type: string): string => {
  const parsed = `SAFE.PARSE_JSON(${extra}, wide_number_mode => 'exact')`
  return `${extra} = NULLIF(TO_JSON_STRING(JSON_REMOVE(${parsed}, ${pathOf(column)})), '{}')
  WHERE ${quoted(column)} IS NOT NULL AND ${cast(extraMember(column), type)} = ${quoted(column)} AND ${parsed} IS NOT NULL`
}

/**
 * Returns the clause that divides a table into parts: events by the day of receipt, users, groups, and rows of syncs by
 * their key.
 */
const partsOf = (table: string, key: string, columns: ReadonlyMap<string, string>): string =>
  mergedTables.has(table) || !columns.has('received_at')
    ? `CLUSTER BY ${quoted(key)}`
    : `PARTITION BY DATE(${quoted('received_at')})`

/**
 * Returns the SQL of BigQuery for the tables of a dataset. Two statements that only insert do not exclude each other
 * there. So each load changes the row of `tributary_lock` in the transaction in which it inserts: BigQuery cancels one of
 * two transactions that change the same table (docs.cloud.google.com/bigquery/docs/transactions, "Transaction
 * concurrency").
 */
export const createDialect = (project: string, dataset: string): Dialect => {
  const place = (name: string): string => [project, dataset, name === hiding ? hidingAs : name].map(quoted).join('.')
  const locked = (statement: string): string =>
    `BEGIN TRANSACTION;
UPDATE ${place(lockTable)} SET turn = turn + 1 WHERE true;
${statement};
COMMIT TRANSACTION;`
  const define = (columns: ReadonlyMap<string, string>): string[] =>
    [...columns].map(([name, type]) => `${quoted(name)} ${type}`)
  const self: Dialect = {
    column: quoted,
    table: place,
    literal,
    // The reserved prefixes, such as `_TABLE_`, begin with an underscore and a letter, and no name of ours does.
    isReserved: () => false,
    types: { text: 'STRING', number: 'NUMERIC', boolean: 'BOOL', time: 'TIMESTAMP', json: 'STRING' },
    years: [1, 9999],
    fitOf,
    // A table can have 10,000. A statement can have 1 MB, and each column takes about 600 bytes of it.
    maxColumns: 1500,
    prepare: () => [
      `CREATE TABLE IF NOT EXISTS ${place(stageTable)} (batch STRING, place INT64, table_name STRING, mode STRING,
  row_key STRING, received_at STRING, row_values STRING, set_null STRING, bytes INT64) CLUSTER BY batch`,
      `CREATE TABLE IF NOT EXISTS ${place(lockTable)} AS SELECT 0 AS turn`,
    ],
    listColumns: () =>
      `SELECT table_name, column_name, data_type FROM ${[project, dataset].map(quoted).join('.')}.INFORMATION_SCHEMA.COLUMNS
 ORDER BY table_name, ordinal_position`,
    listed: ([table, column, type]) => {
      if (table === null || table === undefined || table === stageTable || table === lockTable) return undefined
      return { table: table === hidingAs ? hiding : table, column: column ?? '', type: type ?? '' }
    },
    createTable: (table, key, columns) => [
      `CREATE TABLE IF NOT EXISTS ${place(table)} (${define(columns).join(', ')}) ${partsOf(table, key, columns)}`,
    ],
    addColumns: (table, columns) => [
      `ALTER TABLE ${place(table)} ${define(columns)
        .map((definition) => `ADD COLUMN IF NOT EXISTS ${definition}`)
        .join(', ')}`,
    ],
    member,
    cast,
    contains: (text, part) => `STRPOS(${text}, ${literal(part)}) > 0`,
    insertNew: (rows) => [locked(insertWhatIsNew(self, rows))],
    merge: (rows) => [locked(mergeNewer(self, rows))],
    dropBatches: (batches) => [`DELETE FROM ${place(stageTable)} WHERE batch IN (${batches.map(literal).join(', ')})`],
    // A load that runs meanwhile must not bring rows back.
    deleteRows: (table, condition) => [locked(`DELETE FROM ${place(table)} WHERE ${condition}`)],
    text: textOf,
    extraMember,
    changeType: ({ table, column, columns, type }) => {
      const [made, old] = [`${column}__new`, `${column}__old`].map(quoted)
      const before = columns.get(column) ?? ''
      const alter = `ALTER TABLE ${place(table)}`
      return [
        `${alter} DROP COLUMN IF EXISTS ${made}, DROP COLUMN IF EXISTS ${old}`,
        `${alter} ADD COLUMN ${made} ${type}`,
        `UPDATE ${place(table)} SET ${made} = ${cast(`COALESCE(${textOf(quoted(column), before)}, ${extraMember(column)})`, type)},
  ${extra} = ${movedExtra(column, before, type)} WHERE true`,
        `${alter} RENAME COLUMN ${quoted(column)} TO ${old}, RENAME COLUMN ${made} TO ${quoted(column)}`,
        `${alter} DROP COLUMN IF EXISTS ${old}`,
        // Only now: until the new column has its name, a repetition makes it again of these members.
        `UPDATE ${place(table)} SET ${withoutMember(column, type)}`,
      ]
    },
    renameColumn: ({ table, column, name }) => [
      `ALTER TABLE ${place(table)} RENAME COLUMN ${quoted(column)} TO ${quoted(name)}`,
    ],
    dropColumn: ({ table, column }) => [`ALTER TABLE ${place(table)} DROP COLUMN IF EXISTS ${quoted(column)}`],
  }
  return self
}
