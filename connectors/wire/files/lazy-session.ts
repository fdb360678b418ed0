import type { DataSourceSession } from '@tributary/connector-kit'

/** A session on files that the first call for rows or columns fetches; `close` removes them. */
export const createLazySession = (source: {
  fetch(): Promise<DataSourceSession>
  about(): Promise<string>
  close(): Promise<unknown>
}): DataSourceSession => {
  let opened: Promise<DataSourceSession> | undefined
  const session = (): Promise<DataSourceSession> => (opened ??= source.fetch())
  return {
    about: () => source.about(),
    listTables: async (options) => (await session()).listTables(options),
    listColumns: async (table, limit) => (await session()).listColumns(table, limit),
    describe: async (query) => (await session()).describe(query),
    async *read(query, limit) {
      yield* (await session()).read(query, limit)
    },
    checkKey: async (query, key) => (await session()).checkKey(query, key),
    [Symbol.asyncDispose]: async () => {
      // If the fetch has failed, the caller already has its error.
      const found = await opened?.catch(() => undefined)
      await found?.[Symbol.asyncDispose]()
      await source.close()
    },
  }
}
