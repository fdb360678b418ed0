import { setTimeout as pause } from 'node:timers/promises'
import { cutText, inWork, itemOf, type Logger, type Metrics, WorkHeld, type WorkNote } from '@tributary/kernel'
import type { JobResult, PgBoss, QueueOptions } from 'pg-boss'
import type { Relational } from '../../relational/open.ts'
import { type JobCounts, JobGivenUp, type JobKind, type JobRun, type Jobs } from '../port.ts'
import { inTransaction, makeBoss, onPool, readDue } from './boss.ts'

export type PgBossJobsOptions = {
  pool: Relational['pool']
  /** All kinds that this process sends, runs or schedules. */
  kinds: readonly JobKind[]
  logger: Logger
  metrics: Metrics
  /** How often the process looks for abandoned jobs and counts jobs, s. */
  lookSeconds?: number
  /** How long shutdown waits for running jobs, ms; at least a second. */
  stopMs?: number
}

/** The beginning of a text in a form that PostgreSQL's JSON can store: without NUL and lone surrogates. */
const storable = (text: string): string => cutText(text, 1000).toWellFormed().replaceAll('\0', '')

/**
 * How often the process looks for jobs without a notification, s. Such jobs are those whose pause is over after another
 * process failed, and those whose notification was lost. Sent jobs arrive by notification, and jobs that failed in this
 * process are awaited here. One statement looks for all kinds; their workers look themselves only while there is no
 * connection for notifications, and otherwise rarely.
 */
const pollSeconds = 10
const workersPollSeconds = 600
/**
 * The library's own queue between the time of a schedule and its job. Its finished jobs are not needed, and kept for an
 * hour.
 */
const scheduleQueue = { name: '__pgboss__send-it', keepSeconds: 60 * 60 }
/** Each worker logs a lost database connection only once in this time, ms. */
const quietMs = 60_000

const queueOptions = (kind: JobKind): QueueOptions & { notify: boolean } => ({
  notify: true,
  retryLimit: kind.retries.most,
  retryDelay: kind.retries.pauseSeconds,
  retryBackoff: true,
  retryDelayMax: kind.retries.maxPauseSeconds,
  heartbeatSeconds: kind.leaseSeconds,
  expireInSeconds: kind.maxSeconds,
  deleteAfterSeconds: kind.keepSeconds,
  // A run decides whether its job is still needed. Only jobs that no process ever takes are deleted automatically.
  retentionSeconds: 366 * 24 * 60 * 60,
})

/** Creates the queues of the kinds, or updates them to this version's settings. */
const prepare = async (boss: PgBoss, kinds: readonly JobKind[]): Promise<void> => {
  const known = new Set((await boss.getQueues(kinds.map(({ name }) => name))).map(({ name }) => name))
  for (const kind of kinds) {
    if (known.has(kind.name)) await boss.updateQueue(kind.name, queueOptions(kind))
    else await boss.createQueue(kind.name, { ...queueOptions(kind), policy: kind.exclusive ? 'exclusive' : 'standard' })
  }
}

/**
 * The longest pause after an attempt, ms. The library draws a random value from the upper half of the doubling delay.
 */
const longestPauseMs = ({ retries }: JobKind, attempt: number): number =>
  Math.min(retries.maxPauseSeconds, Math.max(1, retries.pauseSeconds) * 2 ** Math.min(16, attempt)) * 1000

/**
 * The work item of a job, identified by its data, so that a job that blocks its thread can be held. A job for all
 * workspaces has none: holding it would stop maintenance for all.
 */
const workOf = (name: string, data: object): WorkNote => ({
  step: `job ${name}`,
  workspaceId: 'workspaceId' in data ? String(data.workspaceId) : '',
  item: Object.keys(data).length === 0 ? '' : itemOf(`job ${name} ${JSON.stringify(data)}`),
})

const workOptions = (kind: JobKind, pollingIntervalSeconds: number) => ({
  batchSize: 1,
  perJobResults: true as const,
  pollingIntervalSeconds,
  notifyPollingIntervalSeconds: workersPollSeconds,
  heartbeatRefreshSeconds: Math.min(5, kind.leaseSeconds / 2),
})

/** Creates pg-boss, whose errors are logged until the signal aborts. */
const openBoss = async (
  pool: PgBossJobsOptions['pool'],
  lookSeconds: number,
  logger: Logger,
  ending: AbortSignal,
): Promise<PgBoss> => {
  const boss = await makeBoss(onPool(pool), {
    // The process that starts a version migrates the tables, not a worker.
    migrate: false,
    useListenNotify: true,
    superviseIntervalSeconds: lookSeconds,
    monitorIntervalSeconds: lookSeconds,
    maintenanceIntervalSeconds: 60 * 60,
    cronMonitorIntervalSeconds: Math.min(2 * lookSeconds, 45),
    cronWorkerIntervalSeconds: Math.min(lookSeconds, 45),
  })
  let loggedAt = Number.NEGATIVE_INFINITY
  boss.on('error', (error) => {
    if (ending.aborted || performance.now() - loggedAt < quietMs) return
    loggedAt = performance.now()
    logger.warn({ error: error.message }, 'jobs wait: the database cannot be asked')
  })
  boss.on('warning', ({ message, data }) => logger.warn({ data }, message))
  return boss
}

const countsOf = async (boss: PgBoss, names: readonly string[]): Promise<Map<string, JobCounts>> =>
  new Map(
    (await boss.getQueues([...names])).map((queue) => [
      queue.name,
      { waiting: queue.queuedCount, running: queue.activeCount, failed: queue.failedCount },
    ]),
  )

const reportCounts = async (boss: PgBoss, kinds: readonly JobKind[], metrics: Metrics): Promise<void> => {
  // Errors are ignored here, because the workers log them.
  const all = await countsOf(
    boss,
    kinds.map(({ name }) => name),
  ).catch(() => new Map<string, JobCounts>())
  for (const [job, byState] of all)
    for (const [state, count] of Object.entries(byState)) metrics.gauge('jobs', count, { job, state })
}

/** Converts the outcome of a run to the library's result. */
const runOnce = async <Data extends object>(
  { logger, metrics }: Pick<PgBossJobsOptions, 'logger' | 'metrics'>,
  ending: AbortSignal,
  kind: JobKind<Data>,
  job: { id: string; data: unknown; retryCount: number; signal: AbortSignal },
  run: (data: Data, run: JobRun) => Promise<void>,
): Promise<{ status: JobResult['status']; message?: string }> => {
  const { id, data, retryCount } = job
  const began = performance.now()
  const attempt = retryCount + 1
  const countRun = (outcome: string): void => {
    metrics.count('job_runs', 1, { job: kind.name, outcome })
    metrics.observe('job_run', performance.now() - began, { job: kind.name })
  }
  try {
    const parsed = kind.data.parse(data)
    await inWork(workOf(kind.name, parsed), () =>
      run(parsed, { id, attempt, signal: AbortSignal.any([job.signal, ending]) }),
    )
    countRun('done')
    return { status: 'completed' }
  } catch (error) {
    const message = storable(error instanceof Error ? error.message : String(error))
    const over = error instanceof JobGivenUp || error instanceof WorkHeld || retryCount >= kind.retries.most
    countRun(over ? 'given_up' : 'failed')
    if (!ending.aborted)
      logger.warn(
        { job: kind.name, id, attempt, error: message },
        over ? 'a job failed' : 'a job failed and is tried again',
      )
    return { status: over ? 'deadletter' : 'failed', message }
  }
}

/**
 * Opens jobs in PostgreSQL, with pg-boss. Its tables must be installed (`installJobs`); sending does not need `start`.
 */
export const openPgBossJobs = async (options: PgBossJobsOptions): Promise<Jobs> => {
  const { kinds, logger, metrics, lookSeconds = 15, stopMs = 3000 } = options
  const ending = new AbortController()
  const { signal } = ending
  const boss = await openBoss(options.pool, lookSeconds, logger, signal)
  await prepare(boss, kinds)

  /** Calls `then` later, unless the jobs are stopped before. Does not keep the process alive. */
  const later = (ms: number, then: () => void): void =>
    void pause(ms, undefined, { signal, ref: false }).then(then, () => {})
  /** Wakes the workers of each kind that runs in this process. */
  const wakes = new Map<string, () => void>()
  const poll = Math.min(pollSeconds, lookSeconds)
  const look = async (): Promise<void> => {
    // Errors are ignored here, because the workers log them.
    for (const name of await readDue(options.pool, [...wakes.keys()]).catch(() => [])) wakes.get(name)?.()
  }
  const keepLooking = (): void => later(poll * 1000, () => void look().finally(keepLooking))
  const tellCounts = (): void =>
    later(lookSeconds * 1000, () => void reportCounts(boss, kinds, metrics).finally(tellCounts))

  return {
    async start() {
      await boss.start()
      await boss.updateQueue(scheduleQueue.name, { deleteAfterSeconds: scheduleQueue.keepSeconds })
      tellCounts()
      keepLooking()
    },
    async work(kind, run) {
      const workers: string[] = []
      const wake = (): void => workers.forEach((worker) => boss.notifyWorker(worker))
      wakes.set(kind.name, wake)
      for (let place = 0; place < kind.atOnce; place++) {
        const worker = await boss.work<unknown>(kind.name, workOptions(kind, poll), async (batch) => {
          // There may be more jobs: the other workers look now, and this worker afterwards.
          wake()
          const results: JobResult[] = []
          for (const job of batch) {
            const { status, message } = await runOnce(options, signal, kind, job, run)
            if (status === 'failed') later(longestPauseMs(kind, job.retryCount + 1), wake)
            results.push({ id: job.id, status, ...(message === undefined ? {} : { output: { message } }) })
          }
          return results
        })
        workers.push(worker)
      }
    },
    async send(db, kind, data, { id, key } = {}) {
      const added = await boss.send(kind.name, data, {
        db: inTransaction(db),
        ...(id === undefined ? {} : { id }),
        ...(key === undefined ? {} : { singletonKey: key }),
      })
      return added ?? undefined
    },
    async cancel(db, kind, id) {
      await boss.cancel(kind.name, id, { db: inTransaction(db) })
    },
    async schedule(kind, data, { cron, timeZone, key }) {
      await boss.schedule(kind.name, cron, data, {
        tz: timeZone,
        missed: 'once',
        ...(key === undefined ? {} : { key, singletonKey: key }),
      })
    },
    async unschedule(kind, key) {
      await boss.unschedule(kind.name, key)
    },
    async counts({ name }) {
      const found = (await countsOf(boss, [name])).get(name)
      if (found === undefined) throw new Error(`There are no jobs of the kind ${name}`)
      return found
    },
    async stop() {
      ending.abort()
      await boss.stop({ close: false, timeout: stopMs })
    },
  }
}
