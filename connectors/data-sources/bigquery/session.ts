import {
  type DataColumn,
  type DataQuery,
  DataQueryError,
  type DataRow,
  type DataSourceContext,
  type DataSourceSession,
  type RowsFrom,
} from '@tributary/connector-kit'
import { keyCheckOf, requireDistinct } from '../../wire/access/source-answers.ts'
import { askThrough } from '../../wire/bigquery/ask.ts'
import { createCall } from '../../wire/bigquery/calls.ts'
import { dryRun, requireReading } from '../../wire/bigquery/dry-run.ts'
import { deliveryError, notBigQuery, queryError } from '../../wire/bigquery/failures.ts'
import { type Field, typeOf } from '../../wire/bigquery/fields.ts'
import type { Google } from '../../wire/bigquery/google.ts'
import { runQuery } from '../../wire/bigquery/run-query.ts'
import { accountOf } from '../../wire/bigquery/service-account.ts'
import { listTables, readColumns } from '../../wire/bigquery/tables.ts'
import { createTokens } from '../../wire/bigquery/tokens.ts'
import type { BigQuerySettings } from './settings.ts'
import { keyStatement, rowsStatement, statementOf } from './statements.ts'

const columnOf = (field: Field): DataColumn => ({ name: field.name, type: typeOf(field) })

/** Cuts a page to what is still wanted. */
const upTo = (rows: readonly DataRow[], left: number): readonly DataRow[] =>
  rows.length > left ? rows.slice(0, left) : rows

/**
 * Opens a session on a project, for reading only. A dry run checks each statement before it runs. Then it runs with a
 * token that Google accepts for reading only. Throws a DeliveryError for a key that is none.
 */
export const openSession = (
  context: DataSourceContext<BigQuerySettings>,
  { api, tokenUrl: url, wait }: Google,
): DataSourceSession => {
  const { settings, statementMs } = context
  const { project, max_gigabytes: gigabytes } = settings
  const account = accountOf(settings.service_account_key)
  const ending = new AbortController()
  const signal = AbortSignal.any([context.signal, ending.signal])
  const ask = askThrough(context)
  const tokens = createTokens(account, { ask, url, clock: Date.now, signal })
  const call = createCall({ api, ask, tokens, signal, wait })
  const maxBytes = BigInt(gigabytes) * 1024n ** 3n
  const place = { project, dataset: settings.dataset === '' ? undefined : settings.dataset }
  const deps = { call, wait, signal, ...place, maxBytesBilled: maxBytes, statementMs }

  const listed = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw deliveryError(error)
    })
  const asked = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      throw queryError(error, statementMs)
    })
  /** Returns the columns of a statement that only reads. Throws for every other statement. */
  const fieldsOf = async (sql: string): Promise<readonly Field[]> => {
    const checked = await dryRun(call, place, sql)
    requireReading(checked, maxBytes)
    requireDistinct(checked.fields, (name) => name.toLowerCase())
    return checked.fields
  }
  /** Runs a statement after its check, and yields its rows. */
  async function* rowsOf(sql: string): AsyncGenerator<readonly DataRow[], void, void> {
    const expected = await fieldsOf(sql)
    for await (const { fields, rows } of runQuery(deps, sql)) {
      if (fields.length !== expected.length) throw notBigQuery('the result has other columns than the query')
      yield rows
    }
  }
  async function* batches(
    query: DataQuery,
    limit: number,
    from?: RowsFrom,
  ): AsyncGenerator<readonly DataRow[], void, void> {
    let left = limit
    try {
      for await (const rows of rowsOf(rowsStatement(statementOf(query, project), from))) {
        yield upTo(rows, left)
        left -= rows.length
        if (left <= 0) return
      }
    } catch (error) {
      throw queryError(error, statementMs)
    }
  }
  return {
    about: async () => {
      await listed(dryRun(call, place, 'SELECT 1 AS one'))
      return `Connected to BigQuery in the project ${project} as ${account.email}.`
    },
    listTables: async (options) =>
      (await listed(listTables(call, project, options))).map(({ dataset, table, isView }) => ({
        schema: dataset,
        name: table,
        kind: isView ? 'view' : 'table',
        rows: null,
      })),
    listColumns: async ({ schema, table }, limit) => {
      const found = await listed(readColumns(call, { project, dataset: schema, table }))
      return (found?.fields ?? []).slice(0, limit).map((field) => ({
        ...columnOf(field),
        nullable: !field.isRequired && !field.isList,
        in_key: found?.key.has(field.name) ?? false,
      }))
    },
    describe: (query) => asked(async () => (await fieldsOf(statementOf(query, project))).map(columnOf)),
    read: batches,
    checkKey: (query, key) =>
      asked(async () => {
        const statement = statementOf(query, project)
        const fields = await fieldsOf(statement)
        const found = key.map((name) => {
          const field = fields.find((each) => each.name === name)
          if (field === undefined) throw new DataQueryError(`The query has no column ${name}`)
          return field
        })
        const rows: DataRow[] = []
        for await (const page of rowsOf(keyStatement(statement, found))) rows.push(...page)
        return keyCheckOf(rows[0])
      }),
    [Symbol.asyncDispose]: async () => ending.abort(),
  }
}
