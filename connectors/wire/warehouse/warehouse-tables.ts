import type { WarehouseSession } from './dialect.ts'
import { type Columns, maxTables, type Tables } from './tables.ts'

/** The tables of a warehouse, all of which are read with one statement. */
export type WarehouseTables = Tables & {
  /** Returns all tables with their columns. */
  list(): Promise<ReadonlyMap<string, Columns>>
}

/** The tables as they were read. They outlive the session that read them. */
export type TablesCache = { known?: ReadonlyMap<string, Columns> | undefined; isPrepared?: boolean }

/**
 * Creates the cache of a warehouse's tables, or goes on with one. All tables are read with one statement. The statements
 * of `prepare` run before the first reading.
 */
export const createWarehouseTables = ({ dialect, run }: WarehouseSession, cache: TablesCache = {}): WarehouseTables => {
  const read = async (): Promise<ReadonlyMap<string, Columns>> => {
    if (cache.isPrepared !== true) {
      for (const statement of dialect.prepare()) await run(statement)
      cache.isPrepared = true
    }
    const tables = new Map<string, Map<string, string>>()
    for (const row of await run(dialect.listColumns())) {
      const found = dialect.listed(row)
      if (found === undefined) continue
      const columns = tables.get(found.table) ?? new Map<string, string>()
      tables.set(found.table, columns.set(found.column, found.type))
    }
    cache.known = tables
    return tables
  }
  const list = async (): Promise<ReadonlyMap<string, Columns>> => cache.known ?? (await read())
  /**
   * Runs statements that give a table these columns. They are not read again, which takes long for hundreds of new tables:
   * if another process was faster with other types, loads find that out.
   */
  const change = async (table: string, statements: readonly string[], columns: Columns): Promise<Columns> => {
    for (const statement of statements) await run(statement)
    const known = new Map(await list())
    const changed = new Map([...columns, ...(known.get(table) ?? [])])
    cache.known = known.set(table, changed)
    return changed
  }

  return {
    list,
    columns: async (table) => (await list()).get(table),
    hasRoom: async () => (await list()).size < maxTables,
    create: async (table, key, columns) => {
      await list()
      return await change(table, dialect.createTable(table, key, columns), columns)
    },
    add: async (table, columns) =>
      await change(table, dialect.addColumns(table, columns, (await list()).get(table) ?? new Map()), columns),
    forget: () => {
      cache.known = undefined
      cache.isPrepared = false
    },
  }
}
