import type { CursorKind, DataColumn, DataQuery, DataTable, KeyCheck, KnownColumn } from '@tributary/contract'
import type { DeliverContext, Settings, SettingsDefinition } from './definition.ts'
import type { SettingShape, SettingsOf, SettingsSchema } from './setting.ts'

/** A row as texts in the order of its columns: as the server writes them, so that no digit is lost; null is none. */
export type DataRow = readonly (string | null)[]

/**
 * Thrown when the server refuses a query, or does not finish it within its limits; the message is the server's own. A
 * problem before the query (address, network, account) is a DeliveryError.
 */
export class DataQueryError extends Error {
  override readonly name = 'DataQueryError'
}

/** From which value of a column on rows are read. */
export type RowsFrom = {
  column: string
  kind: CursorKind
  /** A whole number, a date (`2026-01-02`), or a time in UTC (`2026-01-02 03:04:05.678`). */
  value: string
}

/** A connection to a company's database on which nothing can be written. Disposing of it closes the connection. */
export type DataSourceSession = AsyncDisposable & {
  /** The server and the account that it is connected with, in one sentence for people. */
  about(): Promise<string>
  /** Tables that the account may read, by schema and name; those with `search` in `schema.name` in any case. */
  listTables(options: { search: string; offset: number; limit: number }): Promise<DataTable[]>
  /** The columns of a table that the account may read, in their order; none when there is no such table. */
  listColumns(table: { schema: string; table: string }, limit: number): Promise<KnownColumn[]>
  /** The columns that a query has, found without running it. Throws DataQueryError. */
  describe(query: DataQuery): Promise<DataColumn[]>
  /**
   * The rows of a query, at most `limit`, in batches of about a mebibyte. The next batch is read when the one before is
   * done with, so memory stays the same however many rows there are. With `from`, which only databases get, only rows
   * whose column has at least that value, or is null. Ends the query when its reader stops. Throws DataQueryError.
   */
  read(query: DataQuery, limit: number, from?: RowsFrom): AsyncGenerator<readonly DataRow[], void, void>
  /**
   * Counts rows that the key columns do not distinguish. Throws DataQueryError, also for a column that is not there.
   */
  checkKey(query: DataQuery, key: readonly string[]): Promise<KeyCheck>
}

/** Columns and number of rows of a file. */
export type FileScan = { columns: DataColumn[]; rows: number }

/** The file that was uploaded for a data source, as this process can read it. */
export type UploadedFile = {
  path: string
  /** Its name where it came from. */
  title: string
  /** Its scan, where it was read before with the same settings. */
  scan: FileScan | undefined
}

/** A place for one file, which is taken away when the session is closed. */
export type Scratch = {
  path: string
  maxBytes: number
  /** Whether the disk has room for more. */
  hasRoom(): boolean
}

/** Context of a session: settings, the guarded way out, when to break off, and how long a statement may take, ms. */
export type DataSourceContext<S extends Settings = Settings> = Pick<
  DeliverContext<S>,
  'settings' | 'connect' | 'signal'
> & {
  statementMs: number
  /** For a kind that takes uploads, once there is one. */
  upload?: UploadedFile | undefined
  /** For a kind that is a file and takes no uploads. */
  scratch?: Scratch | undefined
  /** Audiences and profiles of the workspace itself, as tables. */
  people?: (() => DataSourceSession) | undefined
}

/** Everything about one kind of database that models are read from. */
export type DataSourceDefinition<S extends Settings = Settings> = SettingsDefinition<S> & {
  /** Name in the catalog and in addresses, kebab-case. */
  slug: string
  /** One sentence. */
  description: string
  /** Its rows are those of a file: one table, which is not asked by SQL. */
  file?: true
  /** People upload that file. */
  upload?: true
  /** Its tables are the workspace's own audiences and profiles, and it takes no SQL. */
  people?: true
  /** The set-up guide, with the grants to give as SQL where there are any. */
  docs: { url: string; steps: readonly { title: string; text: string; code?: string; language?: string }[] }
  /** Connects. Throws a DeliveryError that says in words why it cannot. */
  open: (context: DataSourceContext<S>) => Promise<DataSourceSession>
}

/** Defines a data source whose functions have its settings with their types; sound as `defineDestination` is. */
export const defineDataSource = <Shape extends SettingShape>(
  definition: Omit<DataSourceDefinition<SettingsOf<SettingsSchema<Shape>> & Settings>, 'settings'> & {
    settings: SettingsSchema<Shape>
  },
): DataSourceDefinition => definition as unknown as DataSourceDefinition
