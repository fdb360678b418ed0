<<<<<<< HEAD

import { DuckDBInstance, type DuckDBType, type Json } from '@duckdb/node-api'

/** The columns of a result with their types. */
export type DuckDbColumns = readonly { name: string; type: DuckDBType }[]

/** A result: its columns, and its rows as JSON, in which long numbers and decimals are texts. */
export type DuckDbResult = { columns: DuckDbColumns; rows: readonly Json[][] }

/** An in-memory database that runs statements one after the other. */
export type DuckDb = AsyncDisposable & {
  /** Runs one or several statements, and returns the result of the last. Rejects with DuckDB's own error. */
  run(sql: string): Promise<DuckDbResult>
  /** Returns the columns of one statement without running it. */
  describe(sql: string): Promise<DuckDbColumns>
  /** The number of statements in a text. Rejects if it cannot be parsed. */
  count(sql: string): Promise<number>
}

/** Opens a database in memory, with UTC as its time zone. */
export const openDuckDb = async (): Promise<DuckDb> => {
=======
import { DuckDBInstance } from '@duckdb/node-api'

/** The result of a statement: names and types of its columns, and its rows as DuckDB writes them as texts. */
export type DuckResult = { names: string[]; types: string[]; rows: (string | null)[][] }

/** An engine in memory that runs the statements of a test peer. */
export type Duck = AsyncDisposable & {
  /** Runs one statement, with values for its parameters `$name`. Rejects with the engine's own message. */
  run(sql: string, parameters?: Readonly<Record<string, string>>): Promise<DuckResult>
}

/** Starts an engine in memory, with UTC as its time zone. */
export const startDuck = async (): Promise<Duck> => {
>>>>>>> eeae0234 (databricks: a client of the SQL Statement Execution API)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  return {
<<<<<<< HEAD
    async run(sql) {
      const result = await connection.runAndReadAll(sql)
      const types = result.columnTypes()
      const columns = result.columnNames().flatMap((name, at) => {
        const type = types[at]
        return type === undefined ? [] : [{ name, type }]
      })
      return { columns, rows: result.getRowsJson() }
    },
    async describe(sql) {
      const prepared = await connection.prepare(sql)
      return Array.from({ length: prepared.columnCount }, (_, at) => ({
        name: prepared.columnName(at),
        type: prepared.columnType(at),
      }))
    },
    count: async (sql) => (await connection.extractStatements(sql)).count,
=======
    run: async (sql, parameters = {}) => {
      const statements = await connection.extractStatements(sql).catch((error: unknown) => {
        throw new Error(String(error).replace(/^Error: Failed to extract statements: /, ''))
      })
      if (statements.count !== 1) throw new Error(`Parser Error: ${statements.count} statements instead of one`)
      const reader = await connection.runAndReadAll(sql, { ...parameters })
      return {
        names: reader.columnNames(),
        types: reader.columnTypes().map(String),
        rows: reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value)))),
      }
    },
>>>>>>> eeae0234 (databricks: a client of the SQL Statement Execution API)
    [Symbol.asyncDispose]: async () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
