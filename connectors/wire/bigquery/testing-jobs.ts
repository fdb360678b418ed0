import { isJsonObject, type JsonObject } from '@tributary/connector-kit'
import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { DuckDb } from '../warehouse-testing/duckdb.ts'
import { type FieldSchema, schemaOf, valueOf } from './testing-rows.ts'
import { kindOf, toDuckDb } from './testing-translate.ts'

/** An error that becomes an answer. */
class Refusal extends Error {
  readonly answer: PeerAnswer
  constructor(answer: PeerAnswer) {
    super(answer === 'hang' || answer === 'reset' ? answer : answer.body)
    this.answer = answer
  }
}

/** The body of an error (docs.cloud.google.com/bigquery/docs/error-messages). */
export const errorBody = (code: number, reason: string, message: string): string =>
  JSON.stringify({ error: { code, message, errors: [{ message, domain: 'global', reason }], status: 'SOME_STATUS' } })

/** Refuses a request with a documented error. */
export const refuse = (code: number, reason: string, message: string, headers: Record<string, string> = {}): never => {
  throw new Refusal({ status: code, headers, body: errorBody(code, reason, message) })
}

/** Maximum bytes of the rows of a page (jobs.query, `maxResults`: "responses are also limited to 10 MB"). */
const pageBytes = 10 * 1024 * 1024
const minBytes = 10 * 1024 * 1024

type Job = {
  fields: FieldSchema[]
  rows: { f: unknown[] }[]
  isCancelled: boolean
}

const tableIn = /Table with name "?([^"\s!]+)"? does not exist/

/** Converts an error of DuckDB to one of BigQuery. */
const refuseStatement = (error: unknown, project: string): never => {
  const message = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
  const [, table] = tableIn.exec(message) ?? []
  if (table !== undefined)
    return refuse(404, 'notFound', `Not found: Table ${project}:${table} was not found in location EU`)
  return refuse(400, 'invalidQuery', /Parser Error/.test(message) ? `Syntax error: ${message} at [1:1]` : message)
}

/** Creates the jobs of a project. Its statements run at once, and are complete unless `isSlow` is set. */
export const createJobs = (duck: DuckDb, project: string) => {
  const jobs = new Map<string, Job>()
  const byRequest = new Map<string, string>()
  const cancelled: string[] = []
  const ran: string[] = []
  /** What a test can set: whether jobs stay incomplete, and the bytes that a statement would read. */
  const set = { isSlow: false, bytes: BigInt(minBytes) }

  const prepared = async (query: JsonObject): Promise<{ sql: string; kind: string }> => {
    const { query: sql, useLegacySql, defaultDataset } = query
    if (typeof sql !== 'string') return refuse(400, 'required', 'Required parameter is missing: query')
    if (useLegacySql !== false) return refuse(400, 'invalidQuery', 'This peer knows no legacy SQL')
    const dataset = isJsonObject(defaultDataset) ? String(defaultDataset['datasetId']) : 'main'
    await duck
      .run(`use "${project}"."${dataset}"`)
      .catch(() => refuse(404, 'notFound', `Not found: Dataset ${project}:${dataset} was not found in location EU`))
    const translated = toDuckDb(sql)
    if (translated.trim() === '')
      return refuse(400, 'invalidQuery', 'Syntax error: Unexpected end of statement at [1:1]')
    const count = await duck.count(translated).catch((error: unknown) => refuseStatement(error, project))
    return { sql: translated, kind: kindOf(sql, count) }
  }
  const schemaFor = async (sql: string): Promise<FieldSchema[]> => {
    const columns = await duck.describe(sql).catch((error: unknown) => refuseStatement(error, project))
    const names = columns.map(({ name }) => name.toLowerCase())
    const twice = names.find((name, at) => names.indexOf(name) !== at)
    if (twice !== undefined)
      return refuse(
        400,
        'invalidQuery',
        `Duplicate column names in the result are not supported. Found duplicate(s): ${twice}`,
      )
    return columns.map(({ name, type }) => schemaOf(name, type))
  }
  const referenceOf = (id: string) => ({ projectId: project, jobId: id, location: 'EU' })

  /** Answers `getQueryResults`: a page of a complete job, or that the job is not complete. */
  const results = (id: string, search: URLSearchParams): object => {
    const job = jobs.get(id)
    if (job === undefined) return refuse(404, 'notFound', `Not found: Job ${project}:EU.${id}`)
    if (job.isCancelled) return refuse(400, 'stopped', 'Job execution was cancelled: User requested cancellation')
    const shared = { kind: 'bigquery#getQueryResultsResponse', jobReference: referenceOf(id) }
    if (set.isSlow) return { ...shared, jobComplete: false }
    if (search.get('formatOptions.useInt64Timestamp') !== 'true')
      return refuse(400, 'invalid', 'This peer writes times as numbers only')
    const from = Number(search.get('pageToken')?.replace('page-', '') ?? 0)
    const most = Number(search.get('maxResults') ?? 100_000)
    const rows: unknown[] = []
    for (let bytes = 0; rows.length < most && from + rows.length < job.rows.length; ) {
      const row = job.rows[from + rows.length]
      bytes += JSON.stringify(row).length
      if (bytes > pageBytes && rows.length > 0) break
      rows.push(row)
    }
    const next = from + rows.length
    return {
      ...shared,
      jobComplete: true,
      schema: { fields: job.fields },
      totalRows: String(job.rows.length),
      ...(rows.length === 0 ? {} : { rows }),
      ...(next < job.rows.length ? { pageToken: `page-${next}` } : {}),
    }
  }
  return {
    set,
    cancelled,
    ran,
    results,
    /** Answers `jobs.query`. A token that can only read runs no statement that writes. */
    async query(body: JsonObject, mayWrite: boolean): Promise<object> {
      const { requestId, maximumBytesBilled, maxResults, formatOptions, timeoutMs } = body
      if (typeof requestId === 'string' && requestId.length > 36)
        return refuse(400, 'invalid', 'The request ID is too long')
      const known = byRequest.get(String(requestId))
      const { sql, kind } = await prepared(body)
      if (kind !== 'SELECT' && !mayWrite) return refuse(403, 'accessDenied', 'Access Denied: the token can only read')
      if (typeof timeoutMs !== 'number') return refuse(400, 'invalid', 'No timeout')
      if (typeof maximumBytesBilled === 'string' && BigInt(maximumBytesBilled) < set.bytes)
        return refuse(
          400,
          'bytesBilledLimitExceeded',
          `Query exceeded limit for bytes billed: ${maximumBytesBilled}. ${set.bytes} or higher required.`,
        )
      const id = known ?? `job_${jobs.size + 1}`
      if (known === undefined) {
        ran.push(String(body['query']))
        const result = await duck.run(sql).catch((error: unknown) => refuseStatement(error, project))
        const fields = result.columns.map(({ name, type }) => schemaOf(name, type))
        const rows = result.rows.map((row) => ({
          f: row.map((value, at) => {
            const field = fields[at]
            return { v: field === undefined ? null : valueOf(field, value) }
          }),
        }))
        jobs.set(id, { fields, rows, isCancelled: false })
        byRequest.set(String(requestId), id)
      }
      const isInt64 = isJsonObject(formatOptions) && formatOptions['useInt64Timestamp'] === true
      return results(
        id,
        new URLSearchParams({
          maxResults: String(maxResults),
          'formatOptions.useInt64Timestamp': String(isInt64),
        }),
      )
    },
    /** Answers `jobs.insert`. */
    async insert(body: JsonObject): Promise<object> {
      const { configuration } = body
      const { dryRun, query } = isJsonObject(configuration) ? configuration : {}
      if (!isJsonObject(query)) return refuse(400, 'invalid', 'This peer knows jobs of queries only')
      if (dryRun !== true) return refuse(400, 'invalid', 'This peer knows dry runs only')
      const { sql, kind } = await prepared(query)
      const schema = kind === 'SELECT' ? { schema: { fields: await schemaFor(sql) } } : {}
      return {
        kind: 'bigquery#job',
        configuration: { dryRun: true, jobType: 'QUERY' },
        jobReference: { projectId: project, location: 'EU' },
        statistics: {
          totalBytesProcessed: String(set.bytes),
          query: { totalBytesProcessed: String(set.bytes), statementType: kind, ...schema },
        },
        status: { state: 'DONE' },
      }
    },
    /** Answers `jobs.cancel`, which needs the location of the job. */
    cancel(id: string, search: URLSearchParams): object {
      const job = jobs.get(id)
      if (job === undefined || search.get('location') !== 'EU')
        return refuse(404, 'notFound', `Not found: Job ${project}:${id}`)
      job.isCancelled = true
      cancelled.push(id)
      return { kind: 'bigquery#jobCancelResponse', job: { status: { state: 'RUNNING' } } }
    },
  }
}
