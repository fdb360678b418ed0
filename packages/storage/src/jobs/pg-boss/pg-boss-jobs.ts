import type { Logger, Metrics } from '@tributary/kernel'
import type { JobResult, PgBoss, QueueOptions } from 'pg-boss'
import type { Relational } from '../../relational/open.ts'
import { type JobCounts, JobGivenUp, type JobKind, type JobRun, type Jobs } from '../port.ts'
import { inTransaction, makeBoss, onPool } from './boss.ts'

export type PgBossJobsOptions = {
  pool: Relational['pool']
  /** Every kind that this process sends, runs or schedules. */
  kinds: readonly JobKind[]
  logger: Logger
  metrics: Metrics
  /** How often abandoned jobs are looked for and jobs counted, s. */
  lookSeconds?: number
  /** How long an end waits for jobs that run, ms; at least a second. */
  stopMs?: number
}

/**
 * How often it is looked for jobs that nobody told of, s: those whose pause is over after another process failed, and those
 * whose notification was lost. What is sent is heard of, and what failed here is waited for. One worker of a kind looks
 * and wakes the others when it finds something.
 */
const pollSeconds = 10
const othersPollSeconds = 600
/** The library's own queue between a time of a schedule and its job. What went through it is of no interest: kept an hour. */
const scheduleQueue = { name: '__pgboss__send-it', keepSeconds: 60 * 60 }
/** A failure to reach the database is logged once in so much time, ms: each worker has its own. */
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
  // What is of no use any more is for a run to decide; only what no process ever takes up goes by itself.
  retentionSeconds: 366 * 24 * 60 * 60,
})

/** Makes the queues of the kinds, or gives them what this version says of them. */
const prepare = async (boss: PgBoss, kinds: readonly JobKind[]): Promise<void> => {
  const known = new Set((await boss.getQueues(kinds.map(({ name }) => name))).map(({ name }) => name))
  for (const kind of kinds) {
    if (known.has(kind.name)) await boss.updateQueue(kind.name, queueOptions(kind))
    else await boss.createQueue(kind.name, { ...queueOptions(kind), policy: kind.exclusive ? 'exclusive' : 'standard' })
  }
}

/** The longest pause after a try, ms: the library draws from the upper half of what doubles. */
const longestPauseMs = ({ retries }: JobKind, attempt: number): number =>
  Math.min(retries.maxPauseSeconds, Math.max(1, retries.pauseSeconds) * 2 ** Math.min(16, attempt)) * 1000

/** Jobs in PostgreSQL, by pg-boss. The part of the database is there (`installJobs`); sending needs no `start`. */
export const openPgBossJobs = async (options: PgBossJobsOptions): Promise<Jobs> => {
  const { kinds, logger, metrics, lookSeconds = 15, stopMs = 3000 } = options
  const boss = await makeBoss(onPool(options.pool), {
    // Another version brings the tables forward when it starts, not a worker.
    migrate: false,
    useListenNotify: true,
    superviseIntervalSeconds: lookSeconds,
    monitorIntervalSeconds: lookSeconds,
    maintenanceIntervalSeconds: 60 * 60,
    cronMonitorIntervalSeconds: Math.min(2 * lookSeconds, 45),
    cronWorkerIntervalSeconds: Math.min(lookSeconds, 45),
  })
  const ending = new AbortController()
  const timers = new Set<NodeJS.Timeout>()
  let loggedAt = Number.NEGATIVE_INFINITY
  boss.on('error', (error) => {
    if (ending.signal.aborted || performance.now() - loggedAt < quietMs) return
    loggedAt = performance.now()
    logger.warn({ error: error.message }, 'jobs wait: the database cannot be asked')
  })
  boss.on('warning', ({ message, data }) => logger.warn({ data }, message))
  await prepare(boss, kinds)

  const later = (ms: number, then: () => void): void => {
    if (ending.signal.aborted) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      then()
    }, ms)
    timers.add(timer.unref())
  }

  const counts = async (names: readonly string[]): Promise<Map<string, JobCounts>> =>
    new Map(
      (await boss.getQueues([...names])).map((queue) => [
        queue.name,
        { waiting: queue.queuedCount, running: queue.activeCount, failed: queue.failedCount },
      ]),
    )

  const tellCounts = (): void =>
    later(lookSeconds * 1000, () => {
      counts(kinds.map(({ name }) => name))
        .then((all) => {
          for (const [job, byState] of all)
            for (const [state, count] of Object.entries(byState)) metrics.gauge('jobs', count, { job, state })
        })
        // The workers log what is wrong.
        .catch(() => {})
        .finally(tellCounts)
    })

  /** The outcome of a run, in the library's words. */
  const runOnce = async <Data extends object>(
    kind: JobKind<Data>,
    job: { id: string; data: unknown; retryCount: number; signal: AbortSignal },
    run: (data: Data, run: JobRun) => Promise<void>,
  ): Promise<{ status: JobResult['status']; message?: string }> => {
    const { id, data, retryCount } = job
    const began = performance.now()
    const attempt = retryCount + 1
    const told = (outcome: string): void => {
      metrics.count('job_runs', 1, { job: kind.name, outcome })
      metrics.observe('job_run', performance.now() - began, { job: kind.name })
    }
    try {
      await run(kind.data.parse(data), { id, attempt, signal: AbortSignal.any([job.signal, ending.signal]) })
      told('done')
      return { status: 'completed' }
    } catch (error) {
      const message = (error instanceof Error ? error.message : String(error)).slice(0, 1000)
      const over = error instanceof JobGivenUp || retryCount >= kind.retries.most
      told(over ? 'given_up' : 'failed')
      if (!ending.signal.aborted)
        logger.warn(
          { job: kind.name, id, attempt, error: message },
          over ? 'a job failed' : 'a job failed and is tried again',
        )
      return { status: over ? 'deadletter' : 'failed', message }
    }
  }

  return {
    async start() {
      await boss.start()
      await boss.updateQueue(scheduleQueue.name, { deleteAfterSeconds: scheduleQueue.keepSeconds })
      tellCounts()
    },
    async work(kind, run) {
      const workers: string[] = []
      const wake = (): void => workers.forEach((worker) => boss.notifyWorker(worker))
      const poll = Math.min(pollSeconds, lookSeconds)
      for (let place = 0; place < kind.atOnce; place++) {
        const worker = await boss.work<unknown>(
          kind.name,
          {
            batchSize: 1,
            perJobResults: true,
            pollingIntervalSeconds: poll,
            notifyPollingIntervalSeconds: place === 0 ? poll : othersPollSeconds,
            heartbeatRefreshSeconds: Math.min(5, kind.leaseSeconds / 2),
          },
          async (batch) => {
            // There may be more: for the others now, for this one afterwards.
            wake()
            const results: JobResult[] = []
            for (const job of batch) {
              const { status, message } = await runOnce(kind, job, run)
              if (status === 'failed') later(longestPauseMs(kind, job.retryCount + 1), wake)
              results.push({ id: job.id, status, ...(message === undefined ? {} : { output: { message } }) })
            }
            return results
          },
        )
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
      const found = (await counts([name])).get(name)
      if (found === undefined) throw new Error(`There are no jobs of the kind ${name}`)
      return found
    },
    async stop() {
      ending.abort()
      for (const timer of timers) clearTimeout(timer)
      await boss.stop({ close: false, timeout: stopMs })
    },
  }
}
