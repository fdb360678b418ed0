import type { DataRow, DataSourceContext } from '@tributary/connector-kit'
import { RetryableError } from '@tributary/connector-kit'
import { isJsonObject } from '@tributary/connector-kit/exact-json'
import type { SnowflakeAccess } from './account.ts'
import type { ExchangeAnswer } from './exchange.ts'
import { notSnowflake } from './failures.ts'
import { createRequests, type SnowflakeRequests } from './requests.ts'
import { createResultReader, RowTooLong } from './result-reader.ts'
import { createStatements, mayPass, pauseAfter, type SnowflakeStatement } from './statements.ts'

export type { SnowflakeStatement } from './statements.ts'

/** Maximum bytes of one part of a result, unzipped. The service makes parts of 160 MB at most. */
const partBytes = 512 * 1024 * 1024
/** Maximum characters of a result that is read as a whole. */
const wholeCharacters = 8 * 1024 * 1024
/** Maximum characters and rows of a batch. */
const batchCharacters = 1024 * 1024
const maxRows = 10_000

/** A column of a result, as the service describes it; the type is in lower case. */
export type ResultColumn = { name: string; type: string; precision: number | null; scale: number | null }

/** A client of one account. Every function rejects with SnowflakeError, or with an error that `deliveryError` reads. */
export type SnowflakeClient = {
  /** Runs a statement and returns its whole result, at most 8 MB. */
  run(statement: SnowflakeStatement): Promise<{ columns: ResultColumn[]; rows: DataRow[] }>
  /**
   * Runs a statement and yields its rows with `width` values each, in batches of about a mebibyte. A part of the result
   * is requested when the caller asks for it.
   */
  read(statement: SnowflakeStatement, width: number): AsyncGenerator<readonly DataRow[], void, void>
  /** Ends connections. Call it after the signal has aborted: running statements are canceled in the service first. */
  close(): Promise<void>
}

/** What a result says about itself. */
type Meta = { columns: ResultColumn[]; parts: number; rows: number }

const numberOf = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null)

const columnOf = (column: unknown): ResultColumn => {
  if (!isJsonObject(column) || typeof column.name !== 'string' || typeof column.type !== 'string') throw notSnowflake()
  const { name, type, precision, scale } = column
  return { name, type: type.toLowerCase(), precision: numberOf(precision), scale: numberOf(scale) }
}

const metaOf = ({ resultSetMetaData: meta }: Record<string, unknown>): Meta => {
  if (!isJsonObject(meta) || !Array.isArray(meta.rowType)) throw notSnowflake()
  const rows = numberOf(meta.numRows)
  if (rows === null) throw notSnowflake()
  const parts = Array.isArray(meta.partitionInfo) ? meta.partitionInfo.length : 1
  return { columns: meta.rowType.map(columnOf), parts, rows }
}

const charactersOf = (row: DataRow): number => row.reduce((sum, value) => sum + (value?.length ?? 0) + 8, 0)

/** Groups rows into batches, and reads no further than a batch needs. */
async function* inBatches(rows: AsyncIterable<readonly DataRow[]>): AsyncGenerator<readonly DataRow[], void, void> {
  let batch: DataRow[] = []
  let characters = 0
  for await (const some of rows)
    for (const row of some) {
      batch.push(row)
      characters += charactersOf(row)
      if (characters < batchCharacters && batch.length < maxRows) continue
      yield batch
      batch = []
      characters = 0
    }
  if (batch.length > 0) yield batch
}

/** Reads the rows of a response, and passes its other members to `onRest`. Ends the response. */
async function* rowsIn(
  answer: ExchangeAnswer,
  onRest: (rest: Record<string, unknown>) => void = () => {},
): AsyncGenerator<readonly DataRow[], void, void> {
  const reader = createResultReader()
  const decoder = new TextDecoder('utf-8')
  let bytes = 0
  try {
    if (Number(answer.headers['content-length'] ?? 0) > partBytes) throw notSnowflake()
    for await (const chunk of answer.chunks) {
      bytes += chunk.length
      if (bytes > partBytes) throw notSnowflake()
      const rows = reader.push(decoder.decode(chunk, { stream: true }))
      if (rows.length > 0) yield rows
    }
    onRest(reader.end())
  } finally {
    answer.end()
  }
}

/**
 * Reads a further part of a result (…/sql-api/handling-responses: `partition`, zipped). A part that breaks off is
 * requested again, from its next row on, because results stay for 24 hours.
 */
async function* partOf(
  { ask, refused }: SnowflakeRequests,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<readonly DataRow[], void, void> {
  let known = 0
  for (let failures = 0; ; failures++) {
    try {
      const answer = await ask({ method: 'GET', path }, signal)
      if (answer.status !== 200) throw await refused(answer)
      let at = 0
      for await (const rows of rowsIn(answer)) {
        const further = rows.slice(Math.max(0, known - at))
        at += rows.length
        known = Math.max(known, at)
        if (further.length > 0) yield further
      }
      return
    } catch (error) {
      if (!mayPass(error, failures, signal)) throw error
      await pauseAfter(error, failures, signal)
    }
  }
}

/**
 * Creates the client of an account (docs.snowflake.com/en/developer-guide/sql-api). Statements run for at most
 * `limitMs`, and are canceled in the service when the signal aborts. Throws ConfigurationError for a key that cannot be
 * read.
 */
export const createSnowflakeClient = (
  access: SnowflakeAccess,
  way: Pick<DataSourceContext, 'connect' | 'signal'> & { limitMs: number; origin?: string | undefined },
): SnowflakeClient => {
  const requests = createRequests(access, way)
  const statements = createStatements(requests, access, way)

  /** Yields all rows of a statement, and passes its columns to `onColumns` before further parts are read. */
  async function* allRows(
    statement: SnowflakeStatement,
    onColumns: (columns: ResultColumn[]) => void,
  ): AsyncGenerator<readonly DataRow[], void, void> {
    const { handle, answer } = await statements.execute(statement)
    let meta: Meta | undefined
    let count = 0
    let width: number | undefined
    const counted = (rows: readonly DataRow[]): readonly DataRow[] => {
      width ??= rows[0]?.length
      if (rows.some((row) => row.length !== width)) throw notSnowflake()
      count += rows.length
      return rows
    }
    const onRest = (rest: Record<string, unknown>): void => {
      meta = metaOf(rest)
      if (meta.columns.length !== (width ?? meta.columns.length)) throw notSnowflake()
      width = meta.columns.length
      onColumns(meta.columns)
    }
    for await (const rows of rowsIn(answer, onRest)) yield counted(rows)
    for (let part = 1; part < (meta?.parts ?? 0); part++) {
      const path = `/api/v2/statements/${handle}?partition=${part}`
      for await (const rows of partOf(requests, path, way.signal)) yield counted(rows)
    }
    if (count !== meta?.rows) throw new RetryableError('Snowflake ended its response before the last row')
  }

  return {
    async run(statement) {
      let columns: ResultColumn[] = []
      const rows: DataRow[] = []
      let characters = 0
      const read = allRows(statement, (found) => {
        columns = found
      })
      for await (const some of read) {
        rows.push(...some)
        characters += some.reduce((sum, row) => sum + charactersOf(row), 0)
        if (characters > wholeCharacters) throw new RowTooLong()
      }
      return { columns, rows }
    },
    read: (statement, width) =>
      inBatches(
        allRows(statement, (columns) => {
          if (columns.length !== width) throw notSnowflake()
        }),
      ),
    async close() {
      await statements.settled()
      requests.close()
    },
  }
}
