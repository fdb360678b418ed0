import { DataQueryError, type DeliverContext, RetryableError } from '@tributary/connector-kit'
import { askThrough } from '../../wire/bigquery/ask.ts'
import { createCall } from '../../wire/bigquery/calls.ts'
import { BigQueryError, deliveryError } from '../../wire/bigquery/failures.ts'
import type { Google } from '../../wire/bigquery/google.ts'
import { type JobsDeps, loadLines, runStatement } from '../../wire/bigquery/jobs.ts'
import { accountOf } from '../../wire/bigquery/service-account.ts'
import { readLocation } from '../../wire/bigquery/tables.ts'
import { createTokens } from '../../wire/bigquery/tokens.ts'
import { type StageRow, stageTable, type WarehouseSession } from '../../wire/warehouse/dialect.ts'
import { stageInParts } from '../../wire/warehouse/stage-parts.ts'
import { createDialect } from './dialect.ts'
import type { BigQuerySettings } from './settings.ts'

/** Longest time in ms of a statement of a load, and until a batch is staged. */
const statementMs = 30 * 60 * 1000
const stageMs = 5 * 60 * 1000

/** Maximum characters of lines that one statement inserts. A request can have 10 MB (cloud.google.com/bigquery/quotas). */
const insertCharacters = 3 * 1024 * 1024

/** The columns of the stage, as a statement reads them out of a line. */
const columnsOfLine = [
  'batch',
  'place',
  'table_name',
  'mode',
  'row_key',
  'received_at',
  'row_values',
  'set_null',
  'bytes',
]
const numbers = new Set(['place', 'bytes'])

/** Returns the statement that inserts the lines of the parameter `lines`, a list as JSON. */
const insertStatement = (table: string): string => {
  const values = columnsOfLine.map((name) => {
    const value = `JSON_VALUE(line, '$.${name}')`
    return numbers.has(name) ? `CAST(${value} AS INT64)` : value
  })
  return `INSERT INTO ${table} (${columnsOfLine.join(', ')}) SELECT ${values.join(', ')} FROM UNNEST(JSON_QUERY_ARRAY(@lines)) AS line`
}

/** Divides rows into lists whose JSON fits a statement. */
const listsOf = (rows: readonly StageRow[]): StageRow[][] => {
  const lists: StageRow[][] = []
  let characters = Number.POSITIVE_INFINITY
  for (const row of rows) {
    const { length } = JSON.stringify(row)
    if (characters + length > insertCharacters) {
      lists.push([])
      characters = 0
    }
    lists.at(-1)?.push(row)
    characters += length
  }
  return lists
}

/** Converts any error of a statement to a DeliveryError. The tables that are always there come back with the next try. */
const converted = (error: unknown): Error => {
  if (error instanceof DataQueryError) return new RetryableError(error.message, { cause: error })
  if (
    error instanceof BigQueryError &&
    error.reason === 'notFound' &&
    /\btributary_(?:stage|lock)\b/.test(error.message)
  )
    return new RetryableError(error.message, { cause: error })
  return deliveryError(error)
}

/** A session, and the email of its account. */
export type BigQuerySession = WarehouseSession & {
  email: string
  /** Appends lines of JSON to a table by a load job. Rejects with a DeliveryError. */
  load(table: string, lines: string): Promise<void>
}

/**
 * Opens a session with the dataset of the settings. Rows are staged by a load job, which costs nothing. BigQuery accepts
 * 1,500 of them a table and day; above that, statements insert the rows.
 */
export const createWithSession =
  (addresses: Google) =>
  async <T>(context: DeliverContext<BigQuerySettings>, work: (session: BigQuerySession) => Promise<T>): Promise<T> => {
    const { settings, signal, clock } = context
    const { api, tokenUrl: url, wait } = addresses
    const { project, dataset } = settings
    const account = accountOf(settings.service_account_key)
    const ask = askThrough(context)
    const call = createCall({ api, ask, tokens: createTokens(account, { ask, url, clock, signal }), signal, wait })
    const dialect = createDialect(project, dataset)
    let place: Promise<string> | undefined
    const attempt = async <R>(what: (deps: JobsDeps) => Promise<R>): Promise<R> => {
      try {
        place ??= readLocation(call, { project, dataset })
        return await what({ call, wait, signal, project, location: await place })
      } catch (error) {
        if (signal.aborted) throw new RetryableError('Interrupted', { cause: error })
        throw converted(error)
      }
    }
    const insert = (deps: JobsDeps, rows: readonly StageRow[]): Promise<void> => {
      const run = async (statement: string) =>
        (await runStatement(deps, statement, { limitMs: statementMs })).map((row) => [...row])
      return stageInParts({ dialect, run }, listsOf(rows), async (part) => {
        await runStatement(deps, insertStatement(dialect.table(stageTable)), {
          limitMs: stageMs,
          parameters: { lines: JSON.stringify(part) },
        })
      })
    }
    return await work({
      dialect,
      email: account.email,
      run: async (statement) =>
        (await attempt((deps) => runStatement(deps, statement, { limitMs: statementMs }))).map((row) => [...row]),
      load: (table, lines) => attempt((deps) => loadLines(deps, { dataset, table }, { lines, limitMs: stageMs })),
      stage: (rows) =>
        attempt(async (deps) => {
          const lines = rows.map((row: StageRow) => JSON.stringify(row))
          try {
            await loadLines(deps, { dataset, table: stageTable }, { lines: lines.join('\n'), limitMs: stageMs })
          } catch (error) {
            if (!(error instanceof BigQueryError) || error.reason !== 'quotaExceeded') throw error
            await insert(deps, rows)
          }
        }),
    })
  }
