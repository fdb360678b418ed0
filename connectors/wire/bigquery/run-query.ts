import { randomUUID } from 'node:crypto'
import type { JsonObject } from '@tributary/connector-kit'
import { inUtc } from './in-utc.ts'
import { firstRows, jobOf, type Page, pageBytes, type ResultDeps, resultOf } from './results.ts'

/** How long BigQuery may wait for the result in the first call, in ms. */
const startMs = 1000
/** The longest limit that a job can have, in ms. */
const dayMs = 86_400_000

/** Calls, the project that pays, the limits, and the signal that ends the query. */
export type QueryDeps = Omit<ResultDeps, 'scope'> & {
  project: string
  dataset: string | undefined
  maxBytesBilled: bigint
}

/**
 * Starts a statement by `jobs.query`, whose token can only read. The call is not interrupted, because only its response
 * names the job that has to be cancelled.
 */
const start = ({ call, project, dataset, maxBytesBilled, statementMs }: QueryDeps, sql: string): Promise<JsonObject> =>
  call({
    path: `${encodeURIComponent(project)}/queries`,
    body: {
      query: sql,
      useLegacySql: false,
      ...inUtc,
      ...(dataset === undefined ? {} : { defaultDataset: { projectId: project, datasetId: dataset } }),
      maximumBytesBilled: String(maxBytesBilled),
      jobTimeoutMs: String(Math.min(statementMs, dayMs)),
      // With the same ID, a repeated call returns the job of the first one.
      requestId: randomUUID(),
      timeoutMs: Math.min(startMs, statementMs),
      maxResults: firstRows,
      formatOptions: { useInt64Timestamp: true },
    },
    scope: 'read',
    isRepeated: true,
    maxBytes: pageBytes,
    signal: AbortSignal.timeout(Math.min(statementMs + startMs, 60_000)),
  })

/** Runs a statement that only reads, and yields the pages of its result like `resultOf`. */
export async function* runQuery(deps: QueryDeps, sql: string): AsyncGenerator<Page, void, void> {
  const started = await start(deps, sql)
  yield* resultOf({ ...deps, scope: 'read' }, jobOf(started), started)
}
