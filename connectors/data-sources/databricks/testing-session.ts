import {
  createEgressPolicy,
  createRequestClient,
  type DataQuery,
  type DataRow,
  type DataSourceSession,
  type RowsFrom,
  validateSettings,
} from '@tributary/connector-kit'
import { databricksAccess } from '../../wire/databricks/testing-databricks.ts'
import { databricks } from './definition.ts'
import { openSession } from './session.ts'
import type { DatabricksSettings } from './settings.ts'

const ignore = (): void => {}
const silentLogger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

export type Opening = {
  statementMs?: number
  allow?: string[]
  signal?: AbortSignal
  given?: Record<string, unknown>
}

/** Creates a function that opens sessions at an address. `close` ends their connections. */
export const sessionsAt = (url: string) => {
  const closing: (() => Promise<void>)[] = []
  return {
    open: async (options: Opening = {}): Promise<DataSourceSession> => {
      const { statementMs = 20_000, allow = ['127.0.0.0/8'], signal = new AbortController().signal, given } = options
      const checked = validateSettings(databricks, { ...databricksAccess, ...given })
      if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
      const client = createRequestClient({ egress: createEgressPolicy({ allow }), logger: silentLogger })
      closing.push(() => client.close())
      const settings = checked.settings as DatabricksSettings
      const session = await openSession({ settings, connect: client.connect, signal, statementMs }, url)
      closing.push(async () => await session[Symbol.asyncDispose]())
      return session
    },
    close: async (): Promise<void> => {
      for (const close of closing.splice(0).toReversed()) await close()
    },
  }
}

/** Returns the error of work that must fail. */
export const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => new Error('Nothing failed'),
    (error: unknown) => error,
  )

export const rowsOf = async (
  session: DataSourceSession,
  query: DataQuery,
  limit = 100,
  from?: RowsFrom,
): Promise<DataRow[]> => {
  const rows: DataRow[] = []
  for await (const batch of session.read(query, limit, from)) rows.push(...batch)
  return rows
}
