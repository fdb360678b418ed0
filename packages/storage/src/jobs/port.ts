import type { Kysely } from 'kysely'
import type { z } from 'zod'
import type { Database } from '../relational/schema.generated.ts'

/** A kind of job, defined once and passed to the code that sends, runs or schedules it. */
export type JobKind<Data extends object = object> = {
  /** Lower case, words joined by '-'; the label of its metrics. */
  name: string
  /**
   * Schema of a job's data, which is validated before a run. It is stored unencrypted, so it may have references but no
   * secrets.
   */
  data: z.ZodType<Data>
  /**
   * How often a run that failed, was aborted or died is repeated before the job counts as failed, with the pauses in s.
   * A pause is between half of and all of a delay. The delay begins with twice `pauseSeconds`, doubles with each
   * attempt, and is at most `maxPauseSeconds`.
   */
  retries: { most: number; pauseSeconds: number; maxPauseSeconds: number }
  /** A job counts as abandoned if its worker has not renewed its lease for this time, s (at least 10). */
  leaseSeconds: number
  /** Maximum time of a run before it counts as failed, s; at most a day. */
  maxSeconds: number
  /** Maximum number of concurrent runs in one process. */
  atOnce: number
  /**
   * Whether a key has at most one waiting or running job. Meanwhile, no other is added, and only one runs at a time
   * over all processes.
   */
  exclusive: boolean
  /** How long a finished, canceled or failed job is kept for inspection, s. */
  keepSeconds: number
}

/** The value of `retries.most` for jobs that are retried until they give up. */
export const withoutEnd = 2 ** 31 - 1

/** One run of a job. */
export type JobRun = {
  id: string
  /** Number of the attempt, from 1, including attempts whose worker died. */
  attempt: number
  /**
   * Aborts if the process stops, the job is canceled (seen within five seconds), its time is over, or another worker
   * has it. An aborted run throws, and its job continues as after a failure; a run that returns is done.
   */
  signal: AbortSignal
}

/** Thrown by a run if a retry would not help: the job fails, even with retries left. */
export class JobGivenUp extends Error {
  override readonly name = 'JobGivenUp'
}

export type JobCounts = { waiting: number; running: number; failed: number }

/** A transaction, or the database itself outside of one. */
export type JobDb = Pick<Kysely<Database>, 'executeQuery'>

/** Sends jobs. This is all that most of the product needs of jobs. */
export interface JobSender {
  /**
   * Adds a job in the caller's transaction: it exists only if that is committed. A process that runs its kind takes it
   * immediately. Resolves to its ID, or to undefined if nothing was added. Nothing is added if a job with this `id`
   * exists, even a finished one. For an exclusive kind, nothing is added if an unfinished job has this `key`.
   */
  send<Data extends object>(
    db: JobDb,
    kind: JobKind<Data>,
    data: Data,
    options?: {
      /** A UUID. Sending again with the same ID has no effect. */
      id?: string
      /** Letters, digits and `_ - . /`. */
      key?: string
    },
  ): Promise<string | undefined>
  /** Cancels an unfinished job in the caller's transaction; the signal of a running job aborts. */
  cancel(db: JobDb, kind: JobKind, id: string): Promise<void>
}

/**
 * Persistent jobs. Each is run at least once: by one worker at a time, again after a failure, and again after a worker
 * died. Any number of processes may run the same kinds.
 */
export interface Jobs extends JobSender {
  /** Starts to run the jobs of `work`, and to send scheduled jobs. */
  start(): Promise<void>
  /** Runs jobs of a kind from now on. Call it after `start`. */
  work<Data extends object>(kind: JobKind<Data>, run: (data: Data, run: JobRun) => Promise<void>): Promise<void>
  /**
   * Sends a job at every time of a cron expression (minutes to days of the week) in a time zone (`Europe/Berlin`), up
   * to some seconds late. Replaces the earlier schedule of the kind and key. One job makes up for all times at which no
   * process ran.
   */
  schedule<Data extends object>(
    kind: JobKind<Data>,
    data: Data,
    when: { cron: string; timeZone: string; key?: string },
  ): Promise<void>
  unschedule(kind: JobKind, key?: string): Promise<void>
  /** The number of jobs of a kind by state, at most a few seconds old. */
  counts(kind: JobKind): Promise<JobCounts>
  /**
   * Takes no new jobs, aborts running ones and waits for them, at most `stopMs`. Another process retries jobs that have
   * not ended by then. Sending still works.
   */
  stop(): Promise<void>
}
