import { type DuckDBConnection, DuckDBInstance, type DuckDBType, type Json } from '@duckdb/node-api'

/** The columns of a result with their types. */
export type DuckDbColumns = readonly { name: string; type: DuckDBType }[]

/** A result: its columns, and its rows as JSON, in which long numbers and decimals are texts. */
export type DuckDbResult = { columns: DuckDbColumns; rows: readonly Json[][] }

/** A connection to a database. It has a transaction of its own. */
export type DuckDbConnection = {
  /** Runs one or several statements, and returns the result of the last. Rejects with DuckDB's own error. */
  run(sql: string): Promise<DuckDbResult>
  /** Returns the columns of one statement without running it. */
  describe(sql: string): Promise<DuckDbColumns>
  /** The number of statements in a text. Rejects if it cannot be parsed. */
  count(sql: string): Promise<number>
  close(): void
}

/** A database in memory, which is also its first connection. */
export type DuckDb = Omit<DuckDbConnection, 'close'> & AsyncDisposable & { connect(): Promise<DuckDbConnection> }

const connectionOf = async (connection: DuckDBConnection): Promise<DuckDbConnection> => {
  await connection.run("SET TimeZone = 'UTC'")
  return {
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
    close: () => connection.closeSync(),
  }
}

/** Opens a database in memory, with UTC as its time zone. */
export const openDuckDb = async (): Promise<DuckDb> => {
  const instance = await DuckDBInstance.create(':memory:')
  const connect = async (): Promise<DuckDbConnection> => await connectionOf(await instance.connect())
  const first = await connect()
  return {
    run: first.run,
    describe: first.describe,
    count: first.count,
    connect,
    [Symbol.asyncDispose]: async () => {
      first.close()
      instance.closeSync()
    },
  }
}
