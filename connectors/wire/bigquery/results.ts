import { DataQueryError, type DataRow, isJsonObject, type JsonObject, RetryableError } from '@tributary/connector-kit'
import type { Call, Wait } from './calls.ts'
import { errorOfProto, notBigQuery } from './failures.ts'
import { type Field, fieldsOf, typeOf } from './fields.ts'
import { rowOf } from './values.ts'

/** Maximum bytes of a page. BigQuery itself ends a page at 10 MB, unless one row is larger (jobs.query, `maxResults`). */
export const pageBytes = 24 * 1024 * 1024
/** The number of rows of the first page, while their size is unknown, and the maximum of later pages. */
export const firstRows = 1000
const maxRows = 10_000
/** The target size of a page in characters of values. */
const pageCharacters = 2 * 1024 * 1024
/** Maximum pages without a row that are read one after the other. */
const maxEmptyPages = 10
/** How long BigQuery may wait for the result in one call, in ms, and the longest pause between two calls. */
const pollMs = 10_000
const maxPauseMs = 5000

/** Calls, pauses, the signal that ends the query, and the maximum ms until its result is complete. */
export type ResultDeps = { call: Call; wait: Wait; signal: AbortSignal; statementMs: number; scope: 'read' | 'full' }

/** A page of the result. */
export type Page = { fields: readonly Field[]; rows: readonly DataRow[] }

/** The place of a job. */
export type Job = { project: string; id: string; location: string | undefined }

/** Returns the job that a response names. Throws RetryableError if it names none. */
export const jobOf = ({ jobReference }: JsonObject): Job => {
  const { projectId: project, jobId: id, location } = isJsonObject(jobReference) ? jobReference : {}
  if (typeof project !== 'string' || typeof id !== 'string') throw notBigQuery('it names no job')
  return { project, id, location: typeof location === 'string' ? location : undefined }
}

/** Returns the path of a job, and its location as a parameter. */
export const jobPath = (
  { project, id, location }: Job,
  area: 'jobs' | 'queries',
): { path: string; query: Record<string, string> } => ({
  path: `${encodeURIComponent(project)}/${area}/${encodeURIComponent(id)}`,
  query: location === undefined ? {} : { location },
})

/** Cancels a job. Errors are ignored: the job also ends at its own time limit. */
export const cancelJob = async (call: Call, job: Job): Promise<void> => {
  const { path, query } = jobPath(job, 'jobs')
  const signal = AbortSignal.timeout(5000)
  await call({ path: `${path}/cancel`, query, body: {}, scope: 'full', isRepeated: false, signal }).catch(() => {})
}

/** Throws the error of a job that ended with one. */
const requireSuccess = ({ errors, rows, schema }: JsonObject): void => {
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

/** Waits for a job: it is asked again after growing pauses, within the limit of the statement. */
const untilComplete = async (
  { wait, signal, statementMs }: ResultDeps,
  ask: (query: Record<string, string>, timeoutMs: number) => Promise<JsonObject>,
  first: JsonObject | undefined,
): Promise<JsonObject> => {
  const begun = performance.now()
  let answer = first ?? (await ask({ maxResults: String(firstRows) }, pollMs))
  for (let pauseMs = 100; answer['jobComplete'] !== true; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    requireSuccess(answer)
    const leftMs = begun + statementMs - performance.now()
    if (leftMs <= 0) throw new DataQueryError(`The query did not finish within ${statementMs / 1000} seconds`)
    await wait(Math.min(pauseMs, leftMs), signal)
    answer = await ask({ maxResults: String(firstRows) }, Math.ceil(Math.max(0, Math.min(pollMs, leftMs))))
  }
  requireSuccess(answer)
  return answer
}

/**
 * Yields the pages of a query that was started, each when the caller asks for it; none for a statement without a result.
 * `first` is the response that started it. A query that is not complete is cancelled when the caller stops, the signal
 * aborts, or its time is over. Throws BigQueryError, a DeliveryError or a DataQueryError, also if the result ends before
 * its last row, or if a page has other columns than the first.
 */
export async function* resultOf(
  deps: ResultDeps,
  job: Job,
  first: JsonObject | undefined,
): AsyncGenerator<Page, void, void> {
  const { call, signal, scope } = deps
  const ask = (given: Record<string, string>, timeoutMs: number): Promise<JsonObject> => {
    const { path, query } = jobPath(job, 'queries')
    const all = { ...query, ...given, timeoutMs: String(timeoutMs), 'formatOptions.useInt64Timestamp': 'true' }
    return call({ path, query: all, scope, isRepeated: true, maxBytes: pageBytes })
  }
  let isComplete = false
  try {
    if (signal.aborted) throw new RetryableError('Interrupted')
    let answer = await untilComplete(deps, ask, first)
    isComplete = true
    // Only a statement that can write has no columns.
    if (scope === 'full' && answer['schema'] === undefined && answer['rows'] === undefined) return
    const fields = fieldsOf(answer['schema'])
    const shape = shapeOf(fields)
    const total = totalOf(answer)
    let read = 0
    for (let empty = 0; ; ) {
      const { rows: given = [], schema } = answer
      if (!Array.isArray(given)) throw notBigQuery('its rows are no list')
      if (schema !== undefined && shapeOf(fieldsOf(schema)) !== shape)
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
      const wanted = Math.min(maxRows, Math.max(1, rows.length === 0 ? firstRows : fitting))
      answer = await ask({ pageToken: token, maxResults: String(wanted) }, pollMs)
      if (answer['jobComplete'] === false) throw notBigQuery('a page of a complete job is missing')
    }
  } finally {
    if (!isComplete) await cancelJob(call, job)
  }
}
