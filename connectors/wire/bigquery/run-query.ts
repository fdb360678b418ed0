import { randomUUID } from 'node:crypto'
import { DataQueryError, type DataRow, isJsonObject, type JsonObject, RetryableError } from '@tributary/connector-kit'
import type { Call, Wait } from './calls.ts'
import { errorOfProto, notBigQuery } from './failures.ts'
import { type Field, fieldsOf, typeOf } from './fields.ts'
import { rowOf } from './values.ts'

/** Maximum bytes of a page. BigQuery itself ends a page at 10 MB, unless one row is larger (jobs.query, `maxResults`). */
const pageBytes = 24 * 1024 * 1024
/** The number of rows of the first page, while their size is unknown, and the maximum of later pages. */
const firstRows = 1000
const maxRows = 10_000
/** The target size of a page in characters of values. */
const pageCharacters = 2 * 1024 * 1024
/** Maximum pages without a row that are read one after the other. */
const maxEmptyPages = 10
/** How long BigQuery may wait for the result in one call, in ms, and the longest pause between two calls. */
const startMs = 1000
const pollMs = 10_000
const maxPauseMs = 5000

/** Calls, the project that pays, the limits, and the signal that ends the query. */
export type QueryDeps = {
  call: Call
  wait: Wait
  signal: AbortSignal
  project: string
  dataset: string | undefined
  maxBytesBilled: bigint
  /** Maximum ms until the result is complete. */
  statementMs: number
}

/** A page of the result. */
export type Page = { fields: readonly Field[]; rows: readonly DataRow[] }

type Job = { path: string; location: string | undefined }

const jobOf = (answer: JsonObject): Job => {
  const { jobReference } = answer
  const { projectId, jobId, location } = isJsonObject(jobReference) ? jobReference : {}
  if (typeof projectId !== 'string' || typeof jobId !== 'string') throw notBigQuery('it names no job')
  return {
    path: `${encodeURIComponent(projectId)}/jobs/${encodeURIComponent(jobId)}`,
    location: typeof location === 'string' ? location : undefined,
  }
}

const placeOf = ({ location }: Job): Record<string, string> => (location === undefined ? {} : { location })

const dayMs = 86_400_000
const formats = { 'formatOptions.useInt64Timestamp': 'true' }

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

/** Cancels a job. Errors are ignored: the job also ends at its own time limit. */
const cancel = async (call: Call, job: Job): Promise<void> => {
  const signal = AbortSignal.timeout(5000)
  const query = placeOf(job)
  await call({ path: `${job.path}/cancel`, query, body: {}, scope: 'full', isRepeated: false, signal }).catch(() => {})
}

/** Throws the error of a job that ended with one. */
const requireSuccess = (answer: JsonObject): void => {
  const { errors, rows, schema } = answer
  if (Array.isArray(errors) && errors.length > 0 && rows === undefined && schema === undefined)
    throw errorOfProto(errors[0], 200)
}

const tokenOf = ({ pageToken }: JsonObject): string | undefined =>
  typeof pageToken === 'string' && pageToken !== '' ? pageToken : undefined

const charactersOf = (rows: readonly DataRow[]): number =>
  rows.reduce((sum, row) => row.reduce((all, value) => all + (value?.length ?? 0) + 8, sum), 0)

const shapeOf = (fields: readonly Field[]): string => JSON.stringify(fields.map((field) => [field.name, typeOf(field)]))

const totalOf = ({ totalRows }: JsonObject): number => {
  const total = typeof totalRows === 'string' && /^\d{1,15}$/.test(totalRows) ? Number(totalRows) : Number.NaN
  if (Number.isNaN(total)) throw notBigQuery('it has no number of rows')
  return total
}

/** Reads results: a job that is not complete is asked again after growing pauses, within the limit of the statement. */
const createReader = (deps: QueryDeps, job: Job) => {
  const { call, wait, signal, statementMs } = deps
  const ask = (query: Record<string, string>, timeoutMs: number): Promise<JsonObject> => {
    const { path } = job
    const given = { ...placeOf(job), ...formats, ...query, timeoutMs: String(timeoutMs) }
    const [project, , id] = path.split('/')
    return call({
      path: `${project}/queries/${id}`,
      query: given,
      scope: 'read',
      isRepeated: true,
      maxBytes: pageBytes,
    })
  }
  return {
    page: (pageToken: string, wanted: number) => ask({ pageToken, maxResults: String(wanted) }, pollMs),
    async complete(first: JsonObject, begun: number): Promise<JsonObject> {
      let answer = first
      for (let pauseMs = 100; answer['jobComplete'] !== true; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
        requireSuccess(answer)
        const leftMs = begun + statementMs - performance.now()
        if (leftMs <= 0) throw new DataQueryError(`The query did not finish within ${statementMs / 1000} seconds`)
        await wait(Math.min(pauseMs, leftMs), signal)
        answer = await ask({ maxResults: String(firstRows) }, Math.ceil(Math.max(0, Math.min(pollMs, leftMs))))
      }
      requireSuccess(answer)
      return answer
    },
  }
}

/**
 * Runs a statement, and yields its pages, each when the caller asks for it. A query that is not complete is cancelled
 * when the caller stops, the signal aborts, or its time is over. Throws BigQueryError, a DeliveryError or a
 * DataQueryError, also if the result ends before its last row, or if a page has other columns than the first.
 */
export async function* runQuery(deps: QueryDeps, sql: string): AsyncGenerator<Page, void, void> {
  const { call, signal } = deps
  const begun = performance.now()
  const started = await start(deps, sql)
  const job = jobOf(started)
  const reader = createReader(deps, job)
  let isComplete = false
  try {
    if (signal.aborted) throw new RetryableError('Interrupted')
    let answer = await reader.complete(started, begun)
    isComplete = true
    const fields = fieldsOf(answer['schema'])
    const shape = shapeOf(fields)
    const total = totalOf(answer)
    let read = 0
    for (let empty = 0; ; ) {
      const { rows: given = [] } = answer
      if (!Array.isArray(given)) throw notBigQuery('its rows are no list')
      if (answer['schema'] !== undefined && shapeOf(fieldsOf(answer['schema'])) !== shape)
        throw notBigQuery('a page has other columns than the first')
      const rows = given.map((row: unknown) => rowOf(fields, row))
      read += rows.length
      empty = rows.length === 0 ? empty + 1 : 0
      const token = tokenOf(answer)
      if (read > total || empty > maxEmptyPages || (token === undefined && read < total))
        throw notBigQuery(`it has ${read} of ${total} rows`)
      if (rows.length > 0) yield { fields, rows }
      if (token === undefined) return
      const fitting = Math.floor((rows.length * pageCharacters) / Math.max(1, charactersOf(rows)))
      answer = await reader.page(token, Math.min(maxRows, Math.max(1, rows.length === 0 ? firstRows : fitting)))
      if (answer['jobComplete'] === false) throw notBigQuery('a page of a complete job is missing')
    }
  } finally {
    if (!isComplete) await cancel(call, job)
  }
}
