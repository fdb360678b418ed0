import { type DuckDb, openDuckDb } from '../warehouse-testing/duckdb.ts'
import { type TestColumn, type TestEngine, TestRefusal, type TestStatement } from './testing-snowflake.ts'

/** The precision of whole numbers. */
const digits: Readonly<Record<string, number>> = { TINYINT: 3, SMALLINT: 5, INTEGER: 10, BIGINT: 38, HUGEINT: 38 }

const plain: Readonly<Record<string, string>> = {
  DOUBLE: 'real',
  FLOAT: 'real',
  VARCHAR: 'text',
  BLOB: 'binary',
  BOOLEAN: 'boolean',
  DATE: 'date',
  TIME: 'time',
  TIMESTAMP: 'timestamp_ntz',
  'TIMESTAMP WITH TIME ZONE': 'timestamp_ltz',
  JSON: 'variant',
}

/** Returns the column of Snowflake for a column of DuckDB. */
const columnOf = (name: string, type: string): TestColumn => {
  const [, precision, scale] = /^DECIMAL\((\d+),\s*(\d+)\)$/.exec(type) ?? []
  if (precision !== undefined) return { name, type: 'fixed', precision: Number(precision), scale: Number(scale) }
  const whole = digits[type]
  if (whole !== undefined) return { name, type: 'fixed', precision: whole, scale: 0 }
  if (type.endsWith(']')) return { name, type: 'array' }
  if (type.startsWith('STRUCT')) return { name, type: 'object' }
  if (type.startsWith('MAP')) return { name, type: 'map' }
  return { name, type: plain[type] ?? 'text' }
}

const literal = (text: string | null): string => (text === null ? 'NULL' : `'${text.replaceAll("'", "''")}'`)

/** Functions and types of Snowflake that the statements of our own have, and what they are in DuckDB. */
const translations: readonly [RegExp, string][] = [
  [/TO_JSON\(TO_VARIANT\(("(?:[^"]|"")+")(?:::ARRAY)?\)\)/g, 'CAST(to_json($1) AS VARCHAR)'],
  [/CONVERT_TIMEZONE\('UTC', ("(?:[^"]|"")+")\)/g, "timezone('UTC', $1)"],
  [/TO_VARCHAR\(("(?:[^"]|"")+"|timezone\([^)]*\)), 'YYYY-MM-DD'\)/g, "strftime($1, '%Y-%m-%d')"],
  [
    /TO_VARCHAR\(("(?:[^"]|"")+"|timezone\([^)]*\)), 'YYYY-MM-DD HH24:MI:SS.FF9'\)/g,
    "strftime($1, '%Y-%m-%d %H:%M:%S.%n')",
  ],
  [/TO_VARCHAR\(("(?:[^"]|"")+"), 'HH24:MI:SS.FF9'\)/g, "strftime(DATE '2000-01-01' + $1, '%H:%M:%S.%n')"],
  [/TO_VARCHAR\(("(?:[^"]|"")+"), 'HEX'\)/g, 'hex($1)'],
  [/TO_VARCHAR\(/g, 'to_text('],
  [/::TIMESTAMP_NTZ/g, '::TIMESTAMP'],
  [/ \+00:00'::TIMESTAMP_TZ/g, "+00:00'::TIMESTAMPTZ"],
  [/"COMPANY"\.INFORMATION_SCHEMA\.(TABLES|COLUMNS)/g, 'memory.main.snowflake_$1'],
]

/** What DuckDB does not have. Its own columns have other names and types. */
const prepared = `
  CREATE MACRO to_text(x) AS CAST(x AS VARCHAR);
  ATTACH ':memory:' AS "COMPANY";
  CREATE VIEW snowflake_TABLES AS
    SELECT schema_name AS TABLE_SCHEMA, table_name AS TABLE_NAME, 'BASE TABLE' AS TABLE_TYPE, estimated_size AS ROW_COUNT
      FROM duckdb_tables() WHERE database_name = 'COMPANY'
    UNION ALL SELECT schema_name, view_name, 'VIEW', NULL FROM duckdb_views()
     WHERE database_name = 'COMPANY' AND NOT internal;
  CREATE VIEW snowflake_COLUMNS AS
    SELECT schema_name AS TABLE_SCHEMA, table_name AS TABLE_NAME, column_name AS COLUMN_NAME, column_index AS ORDINAL_POSITION,
      data_type AS DATA_TYPE, numeric_precision AS NUMERIC_PRECISION, numeric_scale AS NUMERIC_SCALE,
      CASE WHEN is_nullable THEN 'YES' ELSE 'NO' END AS IS_NULLABLE
      FROM duckdb_columns() WHERE database_name = 'COMPANY';
  CREATE SCHEMA "COMPANY"."PUBLIC";
  USE "COMPANY"."PUBLIC";`

const about = ({ role, warehouse, database }: TestStatement): Record<string, string> => ({
  'CURRENT_VERSION()': "'9.40.1'",
  'CURRENT_USER()': "'TRIBUTARY'",
  'CURRENT_ROLE()': literal(role),
  'CURRENT_WAREHOUSE()': literal(warehouse),
  'CURRENT_DATABASE()': literal(database),
})

/** Returns a statement for DuckDB. */
const translated = (statement: TestStatement): string => {
  let { sql } = statement
  for (const [name, value] of Object.entries(about(statement))) sql = sql.replaceAll(name, value)
  for (const [pattern, replacement] of translations) sql = sql.replace(pattern, replacement)
  const values = [...statement.values]
  if (values.length > 0) sql = sql.replaceAll('?', () => literal(values.shift() ?? null))
  const [, schema, table] = /^SHOW PRIMARY KEYS IN TABLE "COMPANY"\."([^"]*)"\."([^"]*)"$/.exec(sql) ?? []
  return schema === undefined
    ? sql
    : `SELECT unnest(constraint_column_names) AS "column_name" FROM duckdb_constraints()
        WHERE constraint_type = 'PRIMARY KEY' AND schema_name = '${schema}' AND table_name = '${table}'`
}

/** Returns a refusal of DuckDB in the form of Snowflake: code, SQLSTATE, and message with the place. */
const refusalOf = (error: unknown): TestRefusal => {
  const words = error instanceof Error ? error.message : String(error)
  const line = /LINE (\d+):/.exec(words)?.[1] ?? '1'
  const [, missing] = /(?:Table|Schema) with name "?([\w.]+)"? does not exist/.exec(words) ?? []
  if (missing !== undefined)
    return new TestRefusal(
      '002003',
      '42S02',
      `SQL compilation error:\nObject '${missing.toUpperCase()}' does not exist or not authorized.`,
    )
  const [, column] = /column "([^"]*)" not found/.exec(words) ?? []
  if (column !== undefined)
    return new TestRefusal(
      '000904',
      '42000',
      `SQL compilation error: error line ${line} at position 7\ninvalid identifier '${column.toUpperCase()}'`,
    )
  const [, token] = /syntax error at (?:or near "([^"]*)"|end of input)/.exec(words) ?? ['', words.slice(0, 80)]
  return new TestRefusal(
    '001003',
    '42000',
    `SQL compilation error:\nsyntax error line ${line} at position 0 unexpected '${token ?? '<EOF>'}'.`,
  )
}

/** Values as the service writes them: every value is a text. */
const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'object' ? JSON.stringify(value) : String(value)

/**
 * Opens DuckDB as the engine of a peer, with a database `COMPANY`. It runs the statements that we send after small
 * translations. Names are not folded, and compared without case.
 */
export const openEngine = async (): Promise<TestEngine & AsyncDisposable & { database: DuckDb }> => {
  const database = await openDuckDb()
  await database.run(prepared)
  return {
    database,
    count: async (sql) => {
      try {
        return await database.count(translated({ sql, values: [], role: '', warehouse: null, database: null }))
      } catch (error) {
        throw refusalOf(error)
      }
    },
    async run(statement) {
      try {
        const { columns, rows } = await database.run(translated(statement))
        return {
          columns: columns.map(({ name, type }) => columnOf(name, String(type))),
          rows: rows.map((row) => row.map(textOf)),
        }
      } catch (error) {
        throw refusalOf(error)
      }
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
