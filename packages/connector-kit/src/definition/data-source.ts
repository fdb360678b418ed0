import type { CursorKind, DataColumn, DataQuery, DataTable, KeyCheck, KnownColumn } from '@tributary/contract'
import type { DeliverContext, Settings, SettingsDefinition } from './definition.ts'
import type { SettingShape, SettingsOf, SettingsSchema } from './setting.ts'

/**
 * A row as texts in the order of its columns, as the server writes them, so that no digit is lost; null means no value.
 */
export type DataRow = readonly (string | null)[]

/**
 * Thrown if the server rejects a query, or does not finish it within its limits; the message is the server's own. A
 * problem before the query (address, network, account) is a DeliveryError.
 */
export class DataQueryError extends Error {
  override readonly name = 'DataQueryError'
}

/** The lower bound of a column from which rows are read. */
export type RowsFrom = {
  column: string
  kind: CursorKind
  /** A whole number, a date (`2026-01-02`), or a time in UTC (`2026-01-02 03:04:05.678`). */
  value: string
}

/** A read-only connection to a company's database. Disposing of it closes the connection. */
export type DataSourceSession = AsyncDisposable & {
  /** The connected server and account, in one sentence for users. */
  about(): Promise<string>
  /**
   * Tables that the account may read, by schema and name; only those that contain `search` in `schema.name`, ignoring
   * case.
   */
  listTables(options: { search: string; offset: number; limit: number }): Promise<DataTable[]>
  /** The columns of a table that the account may read, in the order of the table; empty if the table does not exist. */
  listColumns(table: { schema: string; table: string }, limit: number): Promise<KnownColumn[]>
  /** The columns of a query's result, found without running it. Throws DataQueryError. */
  describe(query: DataQuery): Promise<DataColumn[]>
  /**
   * Returns at most `limit` rows of a query, in batches of about a mebibyte. The next batch is read when the caller
   * asks for it, so memory stays the same for any number of rows. With `from`, which only databases receive, only rows
   * whose column has at least that value, or is null. Ends the query when the caller stops. Throws DataQueryError.
   */
  read(query: DataQuery, limit: number, from?: RowsFrom): AsyncGenerator<readonly DataRow[], void, void>
  /** Counts rows that the key columns do not distinguish. Throws DataQueryError, also if a column is missing. */
  checkKey(query: DataQuery, key: readonly string[]): Promise<KeyCheck>
}

/** Columns and number of rows of a file. */
export type FileScan = { columns: DataColumn[]; rows: number }

/** The uploaded file of a data source, as this process can read it. */
export type UploadedFile = {
  path: string
  /** The original file name. */
  title: string
  /** The scan of an earlier read with the same settings, if any. */
  scan: FileScan | undefined
}

/** Where a session can store one temporary file, which is deleted when the session is closed. */
export type Scratch = {
  path: string
  maxBytes: number
  /** Whether the disk has space for more. */
  hasRoom(): boolean
}

/**
 * Context of a session: settings, the guarded connection, the abort signal, and the maximum time of a statement in ms.
 */
export type DataSourceContext<S extends Settings = Settings> = Pick<
  DeliverContext<S>,
  'settings' | 'connect' | 'signal'
> & {
  statementMs: number
  /** Set if the kind accepts uploads: the uploaded file. */
  upload?: UploadedFile | undefined
  /** Set if the kind reads a file that is not uploaded: where the session can store one temporary file. */
  scratch?: Scratch | undefined
  /** Opens the workspace's own audiences and profiles as tables. */
  people?: (() => DataSourceSession) | undefined
}

/** The definition of one kind of database from which models read. */
export type DataSourceDefinition<S extends Settings = Settings> = SettingsDefinition<S> & {
  /** Name in the catalog and in URLs, kebab-case. */
  slug: string
  /** One sentence. */
  description: string
  /** Set if the rows come from a file: one table, without SQL. */
  file?: true
  /** Set if users upload the file. */
  upload?: true
  /** Set if the tables are the workspace's own audiences and profiles, without SQL. */
  people?: true
  /** The set-up guide, with the required grants as SQL if there are any. */
  docs: { url: string; steps: readonly { title: string; text: string; code?: string; language?: string }[] }
  /** Connects to the database. Throws a DeliveryError that says why the connection fails. */
  open: (context: DataSourceContext<S>) => Promise<DataSourceSession>
}

/**
 * Defines a data source whose functions receive typed settings; type-safe for the same reason as `defineDestination`.
 */
export const defineDataSource = <Shape extends SettingShape>(
  definition: Omit<DataSourceDefinition<SettingsOf<SettingsSchema<Shape>> & Settings>, 'settings'> & {
    settings: SettingsSchema<Shape>
  },
): DataSourceDefinition => definition as unknown as DataSourceDefinition
