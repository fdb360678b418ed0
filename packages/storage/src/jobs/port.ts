import type { Kysely } from 'kysely'
import type { z } from 'zod'
import type { Database } from '../relational/schema.ts'

/** A sort of job, named once and given to whoever sends, runs or schedules it. */
export type JobKind<Data extends object = object> = {
  /** Lower case, words joined by '-'; the label of its metrics. */
  name: string
  /** What travels with a job and is read back before a run. It lies in the database as it is: references, no secrets. */
  data: z.ZodType<Data>
  /**
   * How often a run that failed, was broken off or died is repeated before the job counts as failed, and the pauses between, s: between half of
   * and all of what doubles with each try, beginning with twice `pauseSeconds` and never more than `maxPauseSeconds`.
   */
  retries: { most: number; pauseSeconds: number; maxPauseSeconds: number }
  /** After so much silence of its worker, s (at least 10), a job is taken to be abandoned. Renewed while a run goes on. */
  leaseSeconds: number
  /** What takes longer has failed, s; at most a day. */
  maxSeconds: number
  /** Runs at the same time in one process. */
  atOnce: number
  /**
   * Whether there is at most one job for each key, waiting or running: another one is not taken meanwhile, and it runs once
   * at a time over all processes.
   */
  exclusive: boolean
  /** How long a job that is done, canceled or failed is kept to be looked at, s. */
  keepSeconds: number
}

/** For `retries.most` of what is tried until it is of no use. */
export const withoutEnd = 2 ** 31 - 1

/** One run of a job. */
export type JobRun = {
  id: string
  /** 1 for the first, counting those whose worker died. */
  attempt: number
  /**
   * Aborts when the process stops, the job is canceled (seen within five seconds), its time is over or somebody else has it. A
   * run that breaks off throws, and the job goes on as after a failure; what returns is done.
   */
  signal: AbortSignal
}

/** What a run throws when trying again is of no use: the job has failed, whatever is left of its tries. */
export class JobGivenUp extends Error {
  override readonly name = 'JobGivenUp'
}

export type JobCounts = { waiting: number; running: number; failed: number }

/** A transaction, or the store itself when there is none. */
export type JobDb = Pick<Kysely<Database>, 'executeQuery'>

/** What the rest of the product needs to have something done later. */
export interface JobSender {
  /**
   * Adds a job in the caller's transaction: it is there when that is committed and only then, and is taken up at once by a
   * process that runs its kind. Resolves to its id, or to undefined when nothing was added: there is one with this `id`
   * already, finished ones included, or an unfinished one with this `key` of an exclusive kind.
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
  /** Takes back a job that is not finished, in the caller's transaction; one that runs hears of it by its signal. */
  cancel(db: JobDb, kind: JobKind, id: string): Promise<void>
}

/**
 * Jobs that outlive processes. Each is run at least once: by one worker at a time, again after a failure, and again when a
 * worker died. Any number of processes may run the same kinds.
 */
export interface Jobs extends JobSender {
  /** Begins to run what `work` is told, and to send what is scheduled. */
  start(): Promise<void>
  /** Runs jobs of a kind from now on. After `start`. */
  work<Data extends object>(kind: JobKind<Data>, run: (data: Data, run: JobRun) => Promise<void>): Promise<void>
  /**
   * Sends a job at every time of a cron expression (minutes to days of the week) in a time zone (`Europe/Berlin`), some
   * seconds late, in place of what was said for the kind and key before. What was missed while no process ran is made
   * up for by one job.
   */
  schedule<Data extends object>(
    kind: JobKind<Data>,
    data: Data,
    when: { cron: string; timeZone: string; key?: string },
  ): Promise<void>
  unschedule(kind: JobKind, key?: string): Promise<void>
  /** How many jobs of a kind there are, by state, not older than a few seconds more than a look takes. */
  counts(kind: JobKind): Promise<JobCounts>
  /**
   * Takes nothing more up, tells running jobs to break off and waits for them, at most `stopMs`; what does not end by then
   * is tried again by another process. Sending still works.
   */
  stop(): Promise<void>
}
