import type { DataRow, DataSourceSession, RowsFrom } from '@tributary/connector-kit'
import { type DataColumn, type Model, syncLimits } from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import type { StagedRow } from './row-values.ts'
import type { SyncStore } from './store.ts'

/** A reading by a cursor: the value from which rows are read, and a function that receives each row. */
export type Reading = { from: RowsFrom | undefined; see(row: DataRow): void }

/** Maximum number of rows that are stored at once. */
const rowsAtOnce = 50_000
/** Maximum number of characters that are stored at once. */
const charactersAtOnce = 16 * 1024 * 1024

/**
 * Reads the rows of a model as a stream and stages them; rows are stored while the next ones arrive. Returns the number
 * of rows. Throws the errors of the session, and MissingColumn. When the function settles, no write is pending, so
 * cleared rows stay cleared.
 */
export const extractRows = async (
  session: Pick<DataSourceSession, 'describe' | 'read'>,
  store: Pick<SyncStore, 'stage'>,
  run: string,
  given: {
    model: Pick<Model, 'query'>
    /** Creates the function that stages rows with these columns. */
    staging: (columns: readonly DataColumn[]) => (row: DataRow) => StagedRow
    /** Decides by the columns which rows are read; undefined for all rows. */
    reading?: (columns: readonly DataColumn[]) => Reading | undefined
    onRead?: ((rows: number) => Promise<void>) | undefined
  },
): Promise<number> => {
  const { query } = given.model
  // The current columns, which may have changed since the model was saved.
  const columns = await session.describe(query)
  const toStaged = given.staging(columns)
  const reading = given.reading?.(columns)
  let read = 0
  let waiting: StagedRow[] = []
  let characters = 0
  let storing: Promise<void> = Promise.resolve()
  const flush = async (): Promise<void> => {
    await storing
    const rows = waiting
    waiting = []
    characters = 0
    storing = store.stage(run, rows)
    // The promise is awaited later; until then, a rejection must not count as unhandled.
    storing.catch(() => {})
  }
  try {
    for await (const batch of session.read(query, syncLimits.rows + 1, reading?.from)) {
      for (const row of batch) {
        if (read === syncLimits.rows)
          throw badRequest('TOO_MANY_ROWS', `The model has more than ${syncLimits.rows.toLocaleString('en-US')} rows`)
        read++
        reading?.see(row)
        const staged = toStaged(row)
        waiting.push(staged)
        characters += staged.payload.length + staged.key.length
        if (waiting.length >= rowsAtOnce || characters >= charactersAtOnce) await flush()
      }
      await given.onRead?.(read)
    }
    await flush()
    await storing
    return read
  } finally {
    await storing.catch(() => {})
  }
}
