import { createHash, randomUUID } from 'node:crypto'
import { type DataRow, isJsonObject, type JsonObject, RetryableError } from '@tributary/connector-kit'
import { BigQueryError, errorOfProto, notBigQuery } from './failures.ts'
import { inUtc } from './in-utc.ts'
import { cancelJob, type Job, jobPath, type ResultDeps, resultOf } from './results.ts'

/** Calls, and the place of the jobs. */
export type JobsDeps = Omit<ResultDeps, 'scope' | 'statementMs'> & { project: string; location: string }

/** The parameters of a statement, which are texts. */
export type Parameters = Readonly<Record<string, string>>

const reference = ({ project, id, location }: Job) => ({ projectId: project, jobId: id, location })

/** Whether a job with this ID already exists. */
const isKnown = (error: unknown): boolean =>
  error instanceof BigQueryError && (error.status === 409 || error.reason === 'duplicate')

/**
 * Runs a statement of any kind as a job, waits at most `limitMs`, and returns its rows. A lost response does not run it
 * twice, since the job has an ID of ours. Rejects with BigQueryError, a DeliveryError, or a DataQueryError if its time is
 * over; the job is then cancelled.
 */
export const runStatement = async (
  deps: JobsDeps,
  sql: string,
  { limitMs, parameters = {} }: { limitMs: number; parameters?: Parameters },
): Promise<DataRow[]> => {
  const { call, project, location } = deps
  const job: Job = { project, location, id: `tributary_${randomUUID()}` }
  const given = Object.entries(parameters).map(([name, value]) => ({
    name,
    parameterType: { type: 'STRING' },
    parameterValue: { value },
  }))
  const query = {
    query: sql,
    useLegacySql: false,
    ...inUtc,
    ...(given.length === 0 ? {} : { parameterMode: 'NAMED', queryParameters: given }),
  }
  await call({
    path: `${encodeURIComponent(project)}/jobs`,
    body: { jobReference: reference(job), configuration: { jobTimeoutMs: String(limitMs), query } },
    scope: 'full',
    isRepeated: true,
  }).catch((error: unknown) => {
    if (!isKnown(error)) throw error
  })
  const rows: DataRow[] = []
  for await (const page of resultOf({ ...deps, statementMs: limitMs, scope: 'full' }, job, undefined))
    rows.push(...page.rows)
  return rows
}

/** Pauses in ms between two looks at a load that is running. */
const firstPauseMs = 200
const maxPauseMs = 5000

/** Returns the state of a job; throws its error. */
const stateOf = ({ status }: JsonObject): 'DONE' | 'RUNNING' => {
  if (!isJsonObject(status)) throw notBigQuery('a job has no status')
  if (status['state'] !== 'DONE') return 'RUNNING'
  if (status['errorResult'] !== undefined) throw errorOfProto(status['errorResult'], 200)
  return 'DONE'
}

/** Returns the body of an upload in two parts (jobs.insert, "Upload URI"): the job, and its lines. */
const inParts = (job: object, lines: string): { contentType: string; text: string } => {
  const boundary = `tributary-${randomUUID()}`
  const head = `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify(job)}\r\n`
  const data = `--${boundary}\r\nContent-Type: application/octet-stream\r\n\r\n${lines}\r\n--${boundary}--\r\n`
  return { contentType: `multipart/related; boundary=${boundary}`, text: `${head}${data}` }
}

/** How often a load that failed is started again under another ID. */
const maxAttempts = 5

/**
 * Appends lines of JSON to a table by a load job, which costs nothing, and waits for its end. The ID of the job is made
 * of the lines. So the same lines are loaded once, also if a response was lost, for as long as BigQuery keeps jobs. Rejects
 * with BigQueryError or a DeliveryError.
 */
export const loadLines = async (
  deps: JobsDeps,
  { dataset, table }: { dataset: string; table: string },
  { lines, limitMs }: { lines: string; limitMs: number },
): Promise<void> => {
  const { call, wait, signal, project, location } = deps
  const hash = createHash('sha256')
    .update(JSON.stringify([dataset, table]))
    .update(lines)
    .digest('hex')
  const configuration = {
    jobTimeoutMs: String(limitMs),
    load: {
      destinationTable: { projectId: project, datasetId: dataset, tableId: table },
      sourceFormat: 'NEWLINE_DELIMITED_JSON',
      createDisposition: 'CREATE_NEVER',
      writeDisposition: 'WRITE_APPEND',
    },
  }
  const stateNow = async (job: Job): Promise<'DONE' | 'RUNNING'> =>
    stateOf(await call({ ...jobPath(job, 'jobs'), scope: 'full', isRepeated: true }))
  const untilDone = async (job: Job): Promise<void> => {
    const ends = performance.now() + limitMs
    try {
      for (
        let pauseMs = firstPauseMs;
        (await stateNow(job)) === 'RUNNING';
        pauseMs = Math.min(pauseMs * 2, maxPauseMs)
      ) {
        if (performance.now() > ends) throw new RetryableError(`The load did not end within ${limitMs / 1000} seconds`)
        await wait(pauseMs, signal)
      }
    } catch (error) {
      if (signal.aborted) await cancelJob(call, job)
      throw error
    }
  }
  for (let attempt = 0; ; attempt++) {
    const job: Job = { project, location, id: `tributary_${hash}_${attempt}` }
    const upload = inParts({ jobReference: reference(job), configuration }, lines)
    try {
      await call({
        path: `${encodeURIComponent(project)}/jobs`,
        query: { uploadType: 'multipart' },
        upload,
        scope: 'full',
        isRepeated: true,
        timeoutMs: limitMs,
      })
    } catch (error) {
      if (!isKnown(error)) throw error
      // The job is one of an earlier try. If it failed, another one takes its place.
      const isFailed = await stateNow(job).then(
        () => false,
        (failure: unknown) => {
          if (failure instanceof BigQueryError && failure.status === 200) return true
          throw failure
        },
      )
      if (isFailed && attempt < maxAttempts) continue
    }
    await untilDone(job)
    return
  }
}
