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
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  return {
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
    [Symbol.asyncDispose]: async () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
