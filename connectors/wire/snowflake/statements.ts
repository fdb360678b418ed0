import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeliveryError, RetryableError } from '@tributary/connector-kit'
import { isJsonObject } from '@tributary/connector-kit/exact-json'
import { type SnowflakeAccess, storedName } from './account.ts'
import type { ExchangeAnswer } from './exchange.ts'
import { notSnowflake, SnowflakeError } from './failures.ts'
import type { SnowflakeRequests } from './requests.ts'

/** Maximum ms for sending a statement, and for canceling it. */
const submitMs = 30_000
const cancelMs = 5000
/** The first pause between two questions for a result in ms, its growth, and the longest pause. */
const pauses = { first: 20, growth: 1.7, longest: 5000 }
/** How often in a row a question for a result may fail. */
const maxFailures = 4
/** How much longer in ms we wait than the service lets a statement run. */
const graceMs = 5000

/** The parameters of each statement: one statement, and one notation of values (…/sql-api/reference). */
const parameters = {
  timezone: 'UTC',
  query_tag: 'tributary',
  binary_output_format: 'HEX',
  MULTI_STATEMENT_COUNT: '1',
}

/** A statement with its values, one for each `?`. */
export type SnowflakeStatement = { sql: string; values?: readonly (string | null)[]; schema?: string }

/** A statement that has succeeded: its handle, and the response with the first part of its result. */
export type Executed = { handle: string; answer: ExchangeAnswer }

export type SnowflakeStatements = {
  /** Runs a statement to its end. Rejects with SnowflakeError, or with a DeliveryError. */
  execute(statement: SnowflakeStatement): Promise<Executed>
  /** Call it after the signal has aborted: resolves when running statements are canceled, or after a few seconds. */
  settled(): Promise<void>
}

const handleIn = (text: string): string => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw notSnowflake()
  }
  // The handle becomes a part of a path.
  const handle = isJsonObject(value) ? value.statementHandle : undefined
  if (typeof handle === 'string' && /^[0-9a-zA-Z-]{1,64}$/.test(handle)) return handle
  throw notSnowflake()
}

/** Waits before a request is sent again: as long as the service says, within limits. */
export const pauseAfter = (error: RetryableError, failures: number, signal: AbortSignal): Promise<void> =>
  sleep(Math.min(error.retryAfterMs ?? 50 * 4 ** failures, pauses.longest), undefined, { signal })

/** Whether a request that failed can be sent again: its failure passes, and it has not failed too often. */
export const mayPass = (error: unknown, failures: number, signal: AbortSignal): error is RetryableError =>
  error instanceof RetryableError && failures < maxFailures && !signal.aborted

/** Sends a statement, and returns its handle. The same request is sent again if its response is lost. */
const submit = async (
  { ask, refused, text }: SnowflakeRequests,
  body: string,
  signal: AbortSignal,
): Promise<string> => {
  const id = randomUUID()
  for (let attempt = 0; ; attempt++) {
    // With `retry`, a request of the same ID is not run twice (…/sql-api/submitting-requests, "Resubmitting").
    const path = `/api/v2/statements?async=true&requestId=${id}${attempt === 0 ? '' : '&retry=true'}`
    try {
      // The signal of the caller does not end this request: without its response, nothing could be canceled.
      const answer = await ask({ method: 'POST', path, body }, AbortSignal.timeout(submitMs))
      if (answer.status !== 202 && answer.status !== 200) throw await refused(answer)
      return handleIn(await text(answer))
    } catch (error) {
      const isLost = error instanceof RetryableError && error.retryAfterMs === undefined
      if (!isLost || attempt > 0 || signal.aborted) throw error
    }
  }
}

/** Waits for the end of a statement, and returns the response with the first part of its result. */
const finished = async (
  { ask, refused, text }: SnowflakeRequests,
  handle: string,
  { signal, withinMs }: { signal: AbortSignal; withinMs: number },
): Promise<ExchangeAnswer> => {
  const end = performance.now() + withinMs
  let failures = 0
  for (let pause = pauses.first; ; pause = Math.min(pause * pauses.growth, pauses.longest)) {
    await sleep(pause, undefined, { signal })
    try {
      const answer = await ask({ method: 'GET', path: `/api/v2/statements/${handle}` }, signal)
      if (answer.status === 200) return answer
      if (answer.status !== 202) throw await refused(answer)
      await text(answer)
      failures = 0
    } catch (error) {
      if (!mayPass(error, failures, signal)) throw error
      await pauseAfter(error, failures++, signal)
    }
    if (performance.now() > end) throw new SnowflakeError('000630', 'The statement reached its time limit')
  }
}

/**
 * Creates the statements of an account. They run with its role, warehouse, and database, for at most `limitMs`. When
 * the signal aborts, running statements are canceled in the service.
 */
export const createStatements = (
  requests: SnowflakeRequests,
  access: Pick<SnowflakeAccess, 'database' | 'warehouse' | 'role'>,
  { signal, limitMs }: { signal: AbortSignal; limitMs: number },
): SnowflakeStatements => {
  const open = new Set<Promise<Executed>>()
  const canceling = new Set<Promise<void>>()
  // The limit of the service is in whole seconds, and 0 means a week.
  const timeout = Math.max(1, Math.ceil(limitMs / 1000))

  const bodyOf = ({ sql, values = [], schema }: SnowflakeStatement): string =>
    JSON.stringify({
      statement: sql,
      timeout,
      database: storedName(access.database),
      warehouse: storedName(access.warehouse),
      role: storedName(access.role),
      ...(schema === undefined ? {} : { schema }),
      ...(values.length === 0
        ? {}
        : { bindings: Object.fromEntries(values.map((value, at) => [String(at + 1), { type: 'TEXT', value }])) }),
      parameters,
    })
  const cancel = async (handle: string): Promise<void> => {
    const path = `/api/v2/statements/${handle}/cancel`
    const answer = await requests.ask({ method: 'POST', path, body: '{}' }, AbortSignal.timeout(cancelMs))
    answer.end()
  }
  /** Cancels a statement whose result is no longer needed. If that fails, the statement ends by its time limit. */
  const giveUp = (handle: Promise<string>): void => {
    const done: Promise<void> = handle
      .then(cancel)
      .catch(() => {})
      .finally(() => canceling.delete(done))
    canceling.add(done)
  }
  const run = async (statement: SnowflakeStatement): Promise<Executed> => {
    if (signal.aborted) throw new RetryableError('Interrupted')
    const submitted = submit(requests, bodyOf(statement), signal)
    const aborted = Promise.withResolvers<never>()
    const onAbort = (): void => aborted.reject(new RetryableError('Interrupted'))
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const handle = await Promise.race([submitted, aborted.promise])
      return { handle, answer: await finished(requests, handle, { signal, withinMs: timeout * 1000 + graceMs }) }
    } catch (error) {
      // The service has ended a statement that it refused.
      if (!(error instanceof SnowflakeError) || error.code === '000630') giveUp(submitted)
      throw signal.aborted && !(error instanceof DeliveryError) ? new RetryableError('Interrupted') : error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }
  return {
    async execute(statement) {
      const running = run(statement)
      open.add(running)
      try {
        return await running
      } finally {
        open.delete(running)
      }
    },
    async settled() {
      await Promise.allSettled(open)
      await Promise.all(canceling)
    },
  }
}
