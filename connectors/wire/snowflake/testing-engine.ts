import { type DuckDb, openDuckDb } from '../warehouse-testing/duckdb.ts'
import { type TestColumn, type TestEngine, TestRefusal, type TestStatement } from './testing-snowflake.ts'
import { isBlock, translated } from './testing-translate.ts'

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

/** The database, and what `INFORMATION_SCHEMA` of Snowflake lists. */
const prepared = `
  ATTACH ':memory:' AS "COMPANY";
  CREATE VIEW snowflake_TABLES AS
    SELECT schema_name AS TABLE_SCHEMA, table_name AS TABLE_NAME, 'BASE TABLE' AS TABLE_TYPE, estimated_size AS ROW_COUNT
      FROM duckdb_tables() WHERE database_name = 'COMPANY'
    UNION ALL SELECT schema_name, view_name, 'VIEW', NULL FROM duckdb_views()
     WHERE database_name = 'COMPANY' AND NOT internal;
  CREATE VIEW snowflake_COLUMNS AS
    SELECT schema_name AS TABLE_SCHEMA, table_name AS TABLE_NAME, column_name AS COLUMN_NAME, column_index AS ORDINAL_POSITION,
      CASE WHEN data_type LIKE 'DECIMAL%' OR data_type LIKE '%INT' OR data_type = 'INTEGER' THEN 'NUMBER'
        WHEN data_type = 'DOUBLE' THEN 'FLOAT' WHEN data_type = 'JSON' THEN 'VARIANT' WHEN data_type = 'BLOB' THEN 'BINARY'
        WHEN data_type = 'TIMESTAMP WITH TIME ZONE' THEN 'TIMESTAMP_TZ' WHEN data_type = 'TIMESTAMP' THEN 'TIMESTAMP_NTZ'
        WHEN data_type = 'VARCHAR' THEN 'TEXT' ELSE data_type END AS DATA_TYPE,
      CASE WHEN data_type LIKE 'DECIMAL%' THEN numeric_precision WHEN data_type = 'SMALLINT' THEN 5 ELSE 38 END AS NUMERIC_PRECISION,
      CASE WHEN data_type LIKE 'DECIMAL%' THEN numeric_scale ELSE 0 END AS NUMERIC_SCALE,
      16777216 AS CHARACTER_MAXIMUM_LENGTH,
      CASE WHEN is_nullable THEN 'YES' ELSE 'NO' END AS IS_NULLABLE
      FROM duckdb_columns() WHERE database_name = 'COMPANY';
  CREATE SCHEMA "COMPANY"."PUBLIC";
  USE "COMPANY"."PUBLIC";`

const about = ({ role, warehouse, database, schema }: TestStatement): Record<string, string> => ({
  'CURRENT_VERSION()': "'9.40.1'",
  'CURRENT_USER()': "'TRIBUTARY'",
  'CURRENT_ROLE()': literal(role),
  'CURRENT_WAREHOUSE()': literal(warehouse),
  'CURRENT_DATABASE()': literal(database),
  'CURRENT_SCHEMA()': literal(schema),
})

/** Returns a statement for DuckDB. */
const forDuckDb = (statement: TestStatement): string => {
  let { sql } = statement
  for (const [name, value] of Object.entries(about(statement))) sql = sql.replaceAll(name, value)
  const [, schema, table] = /^SHOW PRIMARY KEYS IN TABLE "COMPANY"\."([^"]*)"\."([^"]*)"$/.exec(sql) ?? []
  if (schema !== undefined)
    return `SELECT unnest(constraint_column_names) AS "column_name" FROM duckdb_constraints()
        WHERE constraint_type = 'PRIMARY KEY' AND schema_name = '${schema}' AND table_name = '${table}'`
  sql = translated(sql)
    .replace(/"COMPANY"\.INFORMATION_SCHEMA\.(TABLES|COLUMNS)/g, 'memory.main.snowflake_$1')
    .replaceAll(" +00:00'::", "+00:00'::")
  const values = [...statement.values]
  return values.length === 0 ? sql : sql.replaceAll('?', () => literal(values.shift() ?? null))
}

/** Returns a refusal of DuckDB in the form of Snowflake: code, SQLSTATE, and message with the place. */
const refusalOf = (error: unknown): TestRefusal => {
  const words = error instanceof Error ? error.message : String(error)
  const [, known] = /Column with name (\S+) already exists/.exec(words) ?? []
  if (known !== undefined)
    return new TestRefusal('001430', '42601', `SQL compilation error:\ncolumn '${known}' already exists`)
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
const textOf = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Opens DuckDB as the engine of a peer, with a database `COMPANY`. It runs the statements that we send after small
 * translations, one after the other. Names are not folded, and compared without case.
 */
export const openEngine = async (): Promise<TestEngine & AsyncDisposable & { database: DuckDb }> => {
  const database = await openDuckDb()
  await database.run(prepared)
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work)
    last = next.catch(() => {})
    return next
  }
  return {
    database,
    async count(sql) {
      if (isBlock(sql)) return 1
      try {
        const alone = forDuckDb({ sql, values: [], role: '', warehouse: null, database: null, schema: null })
        // Several columns are added by several statements of DuckDB.
        return sql.startsWith('ALTER TABLE') ? 1 : await database.count(alone)
      } catch (error) {
        throw refusalOf(error)
      }
    },
    run: (statement) =>
      inTurn(async () => {
        try {
          const { columns, rows } = await database.run(forDuckDb(statement))
          return {
            columns: columns.map(({ name, type }) => columnOf(name, String(type))),
            rows: rows.map((row) => row.map(textOf)),
          }
        } catch (error) {
          if (isBlock(statement.sql)) await database.run('ROLLBACK').catch(() => {})
          throw refusalOf(error)
        }
      }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
