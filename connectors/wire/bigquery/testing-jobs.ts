import type { Json } from '@duckdb/node-api'
import { isJsonObject, type JsonObject } from '@tributary/connector-kit'
import type { DuckDb, DuckDbResult } from '../warehouse-testing/duckdb.ts'
import { Refusal, refuse } from './testing-refusals.ts'
import { type FieldSchema, schemaOf, valueOf } from './testing-rows.ts'
import { createStatements, location } from './testing-statements.ts'

/** Maximum bytes of the rows of a page (jobs.query, `maxResults`: "responses are also limited to 10 MB"). */
const pageBytes = 10 * 1024 * 1024
const minBytes = 10 * 1024 * 1024
/** A job: its rows if it has some, or its error. */
type Job = {
  fields: FieldSchema[] | undefined
  rows: { f: unknown[] }[]
  isCancelled: boolean
  isRunning: boolean
  error: Refusal | undefined
}

/** Returns the job of a statement that has run. */
const jobOfResult = (kind: string, { columns, rows }: DuckDbResult): Job => {
  const fields = columns.map(({ name, type }) => schemaOf(name, type))
  const cells = (row: readonly Json[]) => ({
    f: row.map((value, at) => {
      const field = fields[at]
      return { v: field === undefined ? null : valueOf(field, value) }
    }),
  })
  const isQuery = kind === 'SELECT'
  return {
    fields: isQuery ? fields : undefined,
    rows: isQuery ? rows.map(cells) : [],
    isCancelled: false,
    isRunning: false,
    error: undefined,
  }
}

/** Returns a page of a complete job. */
const pageOf = (job: Job, search: URLSearchParams): object => {
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
    jobComplete: true,
    schema: { fields: job.fields },
    totalRows: String(job.rows.length),
    ...(rows.length === 0 ? {} : { rows }),
    ...(next < job.rows.length ? { pageToken: `page-${next}` } : {}),
  }
}

/** Creates the jobs that a project has, by their ID. */
const createStore = (project: string, isSlow: () => boolean) => {
  const jobs = new Map<string, Job>()
  const referenceOf = (id: string) => ({ projectId: project, jobId: id, location })
  const found = (id: string, search: URLSearchParams): Job => {
    const job = jobs.get(id)
    if (job === undefined || search.get('location') !== location)
      return refuse(404, 'notFound', `Not found: Job ${project}:${id}`)
    return job
  }

  /** Answers `getQueryResults`: a page of a complete job, or that the job is not complete. */
  const results = (id: string, search: URLSearchParams): object => {
    const job = found(id, search)
    if (job.isCancelled) return refuse(400, 'stopped', 'Job execution was cancelled: User requested cancellation')
    if (job.error !== undefined) throw job.error
    const shared = { kind: 'bigquery#getQueryResultsResponse', jobReference: referenceOf(id) }
    if (isSlow() || job.isRunning) return { ...shared, jobComplete: false }
    if (job.fields === undefined) return { ...shared, jobComplete: true, numDmlAffectedRows: '0' }
    return { ...shared, ...pageOf(job, search) }
  }
  /** Answers `jobs.get`. */
  const get = (id: string, search: URLSearchParams): object => {
    const { error, isRunning } = found(id, search)
    const errorResult = error === undefined ? {} : { errorResult: { reason: error.reason, message: error.message } }
    return {
      kind: 'bigquery#job',
      jobReference: referenceOf(id),
      status: { state: isRunning ? 'RUNNING' : 'DONE', ...errorResult },
    }
  }
  /** Begins a job under an ID of the caller; a second one with the same ID is refused. */
  const begin = async (reference: unknown, work: () => Promise<Job>): Promise<object> => {
    const { jobId, location: place } = isJsonObject(reference) ? reference : {}
    const id = String(jobId)
    if (!/^[\w-]{1,1024}$/.test(id) || place !== location) return refuse(400, 'invalid', 'Invalid job reference')
    if (jobs.has(id)) return refuse(409, 'duplicate', `Already Exists: Job ${project}:${location}.${id}`)
    const job: Job = { fields: undefined, rows: [], isCancelled: false, isRunning: true, error: undefined }
    jobs.set(id, job)
    try {
      Object.assign(job, await work())
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      job.error = error
    }
    job.isRunning = false
    return { kind: 'bigquery#job', jobReference: referenceOf(id), status: { state: 'RUNNING' } }
  }
  return { jobs, found, results, get, begin }
}

/** Creates the jobs of a project. Statements run at once, each on a connection of its own. */
export const createJobs = (duck: DuckDb, project: string) => {
  const byRequest = new Map<string, string>()
  const cancelled: string[] = []
  const ran: string[] = []
  /** What a test can set: whether jobs stay incomplete, the bytes that a statement would read, loads a table and day. */
  const set = { isSlow: false, bytes: BigInt(minBytes), maxLoads: 1500 }
  const { prepared, execute, schemaFor, load } = createStatements(duck, project)
  const { jobs, found, results, get, begin } = createStore(project, () => set.isSlow)
  const requireBytes = (maximum: unknown): void => {
    if (typeof maximum === 'string' && BigInt(maximum) < set.bytes)
      refuse(
        400,
        'bytesBilledLimitExceeded',
        `Query exceeded limit for bytes billed: ${maximum}. ${set.bytes} or higher required.`,
      )
  }
  return {
    set,
    cancelled,
    ran,
    get,
    results,
    /** Answers `jobs.query`. A token that can only read runs no statement that writes. */
    async query(body: JsonObject, mayWrite: boolean): Promise<object> {
      const { requestId, maximumBytesBilled, maxResults, formatOptions, timeoutMs } = body
      if (typeof requestId === 'string' && requestId.length > 36)
        return refuse(400, 'invalid', 'The request ID is too long')
      const known = byRequest.get(String(requestId))
      const statement = await prepared(body)
      if (statement.kind !== 'SELECT' && !mayWrite)
        return refuse(403, 'accessDenied', 'Access Denied: the token can only read')
      if (typeof timeoutMs !== 'number') return refuse(400, 'invalid', 'No timeout')
      requireBytes(maximumBytesBilled)
      const id = known ?? `job_${jobs.size + 1}`
      if (known === undefined) {
        ran.push(String(body['query']))
        jobs.set(id, jobOfResult(statement.kind, await execute(statement)))
        byRequest.set(String(requestId), id)
      }
      const isInt64 = isJsonObject(formatOptions) && formatOptions['useInt64Timestamp'] === true
      return results(
        id,
        new URLSearchParams({
          location,
          maxResults: String(maxResults),
          'formatOptions.useInt64Timestamp': String(isInt64),
        }),
      )
    },
    /** Answers `jobs.insert`: a dry run, a query, or a load with its lines. */
    async insert(body: JsonObject, lines?: string): Promise<object> {
      const { configuration, jobReference } = body
      const { dryRun, query, load: given } = isJsonObject(configuration) ? configuration : {}
      if (isJsonObject(given) && lines !== undefined)
        return await begin(jobReference, async () => {
          await load(given, lines, set.maxLoads)
          return jobOfResult('LOAD', { columns: [], rows: [] })
        })
      if (!isJsonObject(query)) return refuse(400, 'invalid', 'This peer knows queries and loads only')
      const statement = await prepared(query)
      if (dryRun !== true) {
        ran.push(String(query['query']))
        return await begin(jobReference, async () => jobOfResult(statement.kind, await execute(statement)))
      }
      const { kind, statements } = statement
      const schema = kind === 'SELECT' ? { schema: { fields: await schemaFor(statements[0] ?? '') } } : {}
      return {
        kind: 'bigquery#job',
        configuration: { dryRun: true, jobType: 'QUERY' },
        jobReference: { projectId: project, location },
        statistics: {
          totalBytesProcessed: String(set.bytes),
          query: { totalBytesProcessed: String(set.bytes), statementType: kind, ...schema },
        },
        status: { state: 'DONE' },
      }
    },
    /** Answers `jobs.cancel`. */
    cancel(id: string, search: URLSearchParams): object {
      const job = found(id, search)
      job.isCancelled = true
      cancelled.push(id)
      return { kind: 'bigquery#jobCancelResponse', job: { status: { state: 'RUNNING' } } }
    },
  }
}
