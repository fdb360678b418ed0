import { DataQueryError, isJsonObject, type JsonObject } from '@tributary/connector-kit'
import type { Call } from './calls.ts'
import { notBigQuery } from './failures.ts'
import { type Field, fieldsOf } from './fields.ts'
import { inUtc } from './in-utc.ts'

/** The facts of a statement that BigQuery reports without running it. */
export type DryRun = {
  /** The kind of the statement: `SELECT`, `INSERT`, `SCRIPT`. */
  statementType: string
  fields: readonly Field[]
  /** The bytes that the statement would read. */
  bytes: bigint
}

const queryIn = (answer: JsonObject): JsonObject => {
  const { statistics } = answer
  const query = isJsonObject(statistics) ? statistics['query'] : undefined
  if (!isJsonObject(query)) throw notBigQuery('it has no statistics of a query')
  return query
}

/**
 * Checks a statement by a dry run, which reads no data and costs nothing
 * (docs.cloud.google.com/bigquery/docs/running-queries, "Dry run"). Only `jobs.insert` reports the kind of the
 * statement; `jobs.query` does not (github.com/googleapis/google-cloud-rust/pull/6508). Rejects like `Call`.
 */
export const dryRun = async (
  call: Call,
  { project, dataset }: { project: string; dataset: string | undefined },
  sql: string,
): Promise<DryRun> => {
  const defaultDataset = dataset === undefined ? {} : { defaultDataset: { projectId: project, datasetId: dataset } }
  const answer = await call({
    path: `${encodeURIComponent(project)}/jobs`,
    body: { configuration: { dryRun: true, query: { query: sql, useLegacySql: false, ...inUtc, ...defaultDataset } } },
    scope: 'full',
    isRepeated: true,
  })
  const { statementType, schema, totalBytesProcessed } = queryIn(answer)
  const bytes = typeof totalBytesProcessed === 'string' && /^\d{1,30}$/.test(totalBytesProcessed)
  if (typeof statementType !== 'string' || !bytes) throw notBigQuery('it has no kind or size of the statement')
  const fields = schema === undefined ? [] : fieldsOf(schema)
  return { statementType, fields, bytes: BigInt(totalBytesProcessed) }
}

const sizeOf = (bytes: bigint): string => `${(Number((bytes * 100n) / 1024n ** 3n) / 100).toLocaleString('en-US')} GB`

/**
 * Throws DataQueryError for a statement that is no single `SELECT`, or that would read more bytes than allowed. BigQuery
 * calls several statements a `SCRIPT`, and each statement that writes has a name of its own.
 */
export const requireReading = ({ statementType, bytes }: DryRun, maxBytes: bigint): void => {
  if (statementType !== 'SELECT')
    throw new DataQueryError(`Queries can only read: this is a statement of the kind ${statementType.slice(0, 60)}`)
  if (bytes > maxBytes)
    throw new DataQueryError(
      `The query would read ${sizeOf(bytes)}, and the data source allows ${sizeOf(maxBytes)}. Read less, or raise the maximum in its settings`,
    )
}
