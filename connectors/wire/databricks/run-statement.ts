import { setTimeout as pause } from 'node:timers/promises'
import { type DataRow, parseRetryAfter, RetryableError } from '@tributary/connector-kit'
import { notDatabricks, OutOfTime, Refusal, refusalOf } from './failures.ts'
import { type Frame, frameOf, requireSuccess } from './frame.ts'
import { createAnswerReader } from './result-rows.ts'
import { type Answer, type Request, sendRequest, textOf, type Way } from './send.ts'
import { refusalBytes, type SignIn, shortAnswer } from './sign-in.ts'

/** Pauses between two polls in ms: the first, by how much they grow, and the longest. */
const [firstPauseMs, growth, longestPauseMs] = [100, 1.6, 5000]
/** How often a poll or a page is repeated after temporary errors, one after the other. */
const maxRepeats = 4
/** Maximum ms of the requests that start and cancel a statement. They end even if the caller has stopped. */
const startMs = 20_000
const cancelMs = 5000

/** Where statements run, and with which credentials. */
export type Workspace = {
  origin: string
  warehouseId: string
  catalog: string
  signIn: SignIn
  connect: Way['connect']
}

/** A statement with its limits. */
export type Statement = {
  sql: string
  /** The number of values of each row, if it is known. */
  width?: number
  /** Values of the parameters `:name`, as texts. */
  parameters?: Readonly<Record<string, string>>
  /** Maximum ms until the first rows. */
  limitMs: number
  /**
   * Seconds for which the server keeps the first request open until the statement has ended, from 5 to 50; by default
   * none. Such a statement cannot be canceled in that time.
   */
  waitSeconds?: number
  /** Maximum number of rows. More rows are an error. */
  maxRows: number
  signal: AbortSignal
}

type Rows = AsyncGenerator<readonly DataRow[], Frame, void>

const otherRows = (): Error => new RetryableError('Databricks sent other rows than were asked for')

/** Checks the rows of a statement as they come: their width, their number, and that all have come. */
const createRowCheck = ({ width, maxRows }: Statement) => {
  let rows = 0
  return {
    /** The number of rows that have come. */
    rows: () => rows,
    take(batch: readonly DataRow[]): readonly DataRow[] {
      rows += batch.length
      if (rows > maxRows || batch.some((row) => row.length !== (width ?? row.length))) throw otherRows()
      return batch
    },
    end({ totalRows, isTruncated }: Frame): void {
      if (isTruncated || (totalRows !== undefined && totalRows !== rows))
        throw new RetryableError('Databricks ended its answer before the last row')
    },
  }
}

/** What the requests of one statement share. */
type Run = { workspace: Workspace; check: ReturnType<typeof createRowCheck> }

/** Reads an answer with rows. Throws Refusal, or a DeliveryError. */
async function* readFrame(answer: Answer, { check }: Run, isChunk: boolean): Rows {
  const { status, headers, body, stream } = answer
  if (status !== 200)
    throw refusalOf(status, await textOf(answer, refusalBytes), parseRetryAfter(headers['retry-after'], Date.now()))
  const reader = createAnswerReader()
  const decoder = new TextDecoder()
  for await (const chunk of body as AsyncIterable<Buffer>) {
    stream.renew()
    for (const batch of reader.push(decoder.decode(chunk, { stream: true }))) yield check.take(batch)
  }
  return frameOf(reader.end(), isChunk)
}

/** Sends a request with the token, and once more with another token if the first is refused. */
async function* authorized(run: Run, request: Request, signal: AbortSignal, isChunk = false): Rows {
  const { signIn, connect } = run.workspace
  const way = { connect, signal }
  const send = (token: string): Rows => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    return sendRequest({ ...request, headers }, way, (answer) => readFrame(answer, run, isChunk))
  }
  const token = await signIn.token(way)
  try {
    return yield* send(token)
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error
    const other = await signIn.token(way, token)
    if (other === token) throw error
    return yield* send(other)
  }
}

const isTemporary = (error: unknown): error is Refusal | RetryableError =>
  error instanceof RetryableError || (error instanceof Refusal && (error.status === 429 || error.status >= 500))

const pauseFor = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal }).catch(() => {
    throw new RetryableError('Interrupted')
  })

/** Reads from an address, and does so again after temporary errors, unless rows have come from there already. */
async function* repeated(run: Run, url: string, signal: AbortSignal, isChunk = false): Rows {
  const before = run.check.rows()
  for (let repeats = 0; ; repeats++) {
    try {
      return yield* authorized(run, { method: 'GET', url, headers: {} }, signal, isChunk)
    } catch (error) {
      if (signal.aborted || run.check.rows() > before || repeats >= maxRepeats || !isTemporary(error)) throw error
      await pauseFor(Math.min(error.retryAfterMs ?? firstPauseMs * 2 ** repeats, longestPauseMs), signal)
    }
  }
}

const isRunning = (state: string): boolean => state === 'PENDING' || state === 'RUNNING'

const statementsUrl = (origin: string): string => `${origin}/api/2.0/sql/statements`

/**
 * Starts a statement, usually asynchronously: so its ID is known at once, and it can be canceled at any time. The
 * caller's signal does not end this request, since a statement whose ID is not known could not be canceled.
 */
async function* start(run: Run, { sql, parameters = {}, maxRows, waitSeconds = 0, signal }: Statement): Rows {
  const { origin, warehouseId, catalog } = run.workspace
  const body = {
    warehouse_id: warehouseId,
    catalog,
    statement: sql,
    parameters: Object.entries(parameters).map(([name, value]) => ({ name, value, type: 'STRING' })),
    // EXTERNAL_LINKS would answer with URLs of other hosts. Nothing is fetched from a host that only an answer names.
    disposition: 'INLINE',
    format: 'JSON_ARRAY',
    wait_timeout: `${waitSeconds}s`,
    on_wait_timeout: 'CONTINUE',
    row_limit: maxRows + 1,
  }
  const within = AbortSignal.timeout(startMs + waitSeconds * 1000)
  const request: Request = {
    method: 'POST',
    url: statementsUrl(origin),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const started = yield* authorized(run, request, waitSeconds === 0 ? within : AbortSignal.any([within, signal]))
  if (!/^[\w-]{1,100}$/.test(started.id)) throw notDatabricks()
  return started
}

/** Cancels a statement, as well as it can: the server may have ended it already. Never rejects. */
const cancel = async ({ origin, signIn, connect }: Workspace, id: string): Promise<void> => {
  const way = { connect, signal: AbortSignal.timeout(cancelMs) }
  try {
    const headers = { authorization: `Bearer ${await signIn.token(way)}` }
    await shortAnswer({ method: 'POST', url: `${statementsUrl(origin)}/${id}/cancel`, headers }, way)
  } catch {
    // The statement ends by itself, or by the statement timeout of the warehouse.
  }
}

/**
 * Polls a started statement with growing pauses until it has ended, and yields the rows that come with the last answer.
 * Throws OutOfTime at its limit.
 */
async function* finished(run: Run, started: Frame, { limitMs, signal }: Statement): Rows {
  const until = Date.now() + limitMs
  const url = `${statementsUrl(run.workspace.origin)}/${started.id}`
  let pauseMs = firstPauseMs
  let frame = started
  while (isRunning(frame.state)) {
    const left = until - Date.now()
    if (left <= 0) throw new OutOfTime(limitMs, frame.state === 'PENDING')
    await pauseFor(Math.min(pauseMs, left), signal)
    pauseMs = Math.min(pauseMs * growth, longestPauseMs)
    frame = yield* repeated(run, url, signal)
  }
  return frame
}

/** Reads all chunks after the first, in their order. */
async function* laterChunks(
  run: Run,
  id: string,
  first: Frame,
  signal: AbortSignal,
): AsyncGenerator<readonly DataRow[], void, void> {
  const chunks = first.totalChunks ?? Number.POSITIVE_INFINITY
  let frame = first
  for (let chunk = 1; frame.nextChunk !== undefined; chunk++) {
    const before = run.check.rows()
    if (frame.nextChunk !== chunk || chunk >= chunks) throw otherRows()
    frame = yield* repeated(run, `${statementsUrl(run.workspace.origin)}/${id}/result/chunks/${chunk}`, signal, true)
    // Chunks without rows could go on without end.
    if (run.check.rows() === before) throw otherRows()
  }
}

/** Returns the error without the secrets, which only a foreign server's words could have. */
const withoutSecrets = (error: unknown, { hide }: SignIn): unknown =>
  error instanceof Refusal ? new Refusal(hide(error.message), error) : error

/**
 * Runs a statement (docs.databricks.com/api/workspace/statementexecution), and yields its rows as texts in batches of
 * about a mebibyte. The next batch is read when the caller asks for it. If the caller stops, the signal aborts, or the
 * limit of time is reached, the statement is canceled in Databricks. Throws Refusal, OutOfTime, or a DeliveryError; none
 * has a secret.
 */
export async function* runStatement(
  workspace: Workspace,
  statement: Statement,
): AsyncGenerator<readonly DataRow[], void, void> {
  const { signal } = statement
  if (signal.aborted) throw new RetryableError('Interrupted')
  const run = { workspace, check: createRowCheck(statement) }
  let running: string | undefined
  try {
    const started = yield* start(run, statement)
    running = started.id
    const first = yield* finished(run, started, statement)
    running = undefined
    requireSuccess(first)
    yield* laterChunks(run, started.id, first, signal)
    run.check.end(first)
  } catch (error) {
    throw withoutSecrets(error, workspace.signIn)
  } finally {
    if (running !== undefined) await cancel(workspace, running)
  }
}
