import type { Kysely } from 'kysely'
import type { z } from 'zod'
import type { Database } from '../relational/schema.generated.ts'

/** A kind of job, defined once and passed to the code that sends, runs or schedules it. */
export type JobKind<Data extends object = object> = {
  /** Lower case, words joined by '-'; the label of its metrics. */
  name: string
  /** The data of a job, which is parsed before a run. It lies in the database in the clear: references, no secrets. */
  data: z.ZodType<Data>
  /**
   * How often a run that failed, was aborted or died is repeated before the job counts as failed, and the pauses
   * between, s. A pause is between half of and all of a delay. The delay begins with twice `pauseSeconds`, doubles with
   * each try, and is never more than `maxPauseSeconds`.
   */
  retries: { most: number; pauseSeconds: number; maxPauseSeconds: number }
  /**
   * A job counts as abandoned after its worker was silent for this time, s (at least 10). Renewed while a run goes on.
   */
  leaseSeconds: number
  /** A longer run has failed, s; at most a day. */
  maxSeconds: number
  /** Runs at the same time in one process. */
  atOnce: number
  /**
   * Whether there is at most one job for each key, waiting or running. Another one is not added meanwhile, and only one
   * runs at a time over all processes.
   */
  exclusive: boolean
  /** How long a job that is done, canceled or failed is kept to be looked at, s. */
  keepSeconds: number
}

/** The value of `retries.most` of jobs that are retried until they give up. */
export const withoutEnd = 2 ** 31 - 1

/** One run of a job. */
export type JobRun = {
  id: string
  /** 1 for the first, counting those whose worker died. */
  attempt: number
  /**
   * Aborts when the process stops, the job is canceled (seen within five seconds), its time is over or another worker
   * has it. A run that is aborted throws, and its job continues as after a failure; a run that returns is done.
   */
  signal: AbortSignal
}

/** Thrown by a run when another try is of no use: the job has failed, with tries left or not. */
export class JobGivenUp extends Error {
  override readonly name = 'JobGivenUp'
}

export type JobCounts = { waiting: number; running: number; failed: number }

/** A transaction, or the store itself when there is none. */
export type JobDb = Pick<Kysely<Database>, 'executeQuery'>

/** Sends jobs: the part of jobs that the rest of the product uses. */
export interface JobSender {
  /**
   * Adds a job in the caller's transaction: it exists when that is committed and only then. A process that runs its
   * kind takes it up immediately. Resolves to its id, or to undefined when nothing was added. That is so when a job
   * with this `id` exists, finished ones included, or an unfinished one with this `key` of an exclusive kind.
   */
  send<Data extends object>(
    db: JobDb,
    kind: JobKind<Data>,
    data: Data,
    options?: {
      /** A UUID; makes sending again the same thing harmless. */
      id?: string
      /** Letters, digits and `_ - . /`. */
      key?: string
    },
  ): Promise<string | undefined>
  /** Cancels a job that is not finished, in the caller's transaction; the signal of a running one aborts. */
  cancel(db: JobDb, kind: JobKind, id: string): Promise<void>
}

/**
 * Jobs that outlive processes. Each is run at least once: by one worker at a time, again after a failure, and again when a
 * worker died. Any number of processes may run the same kinds.
 */
export interface Jobs extends JobSender {
  /** Starts to run the jobs given to `work`, and to send the scheduled ones. */
  start(): Promise<void>
  /** Runs jobs of a kind from now on. After `start`. */
  work<Data extends object>(kind: JobKind<Data>, run: (data: Data, run: JobRun) => Promise<void>): Promise<void>
  /**
   * Sends a job at every time of a cron expression (minutes to days of the week) in a time zone (`Europe/Berlin`), some
   * seconds late. Replaces the earlier schedule of the kind and key. One job makes up for all times at which no process
   * ran.
   */
  schedule<Data extends object>(
    kind: JobKind<Data>,
    data: Data,
    when: { cron: string; timeZone: string; key?: string },
  ): Promise<void>
  unschedule(kind: JobKind, key?: string): Promise<void>
  /** How many jobs of a kind there are, by state; older than a query takes by a few seconds at most. */
  counts(kind: JobKind): Promise<JobCounts>
  /**
   * Takes nothing more up, aborts running jobs and waits for them, at most `stopMs`. Another process tries again what
   * does not end by then. Sending still works.
   */
  stop(): Promise<void>
}
