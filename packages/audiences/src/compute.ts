import { asApiError } from '@tributary/api-kit'
import type { AudienceProgress, AudienceStep } from '@tributary/contract'
import { AppError } from '@tributary/kernel'
import type { JobDb, JobKind } from '@tributary/storage'
import { z } from 'zod'
import { compileAudience } from './compile.ts'
import type { Evaluation } from './evaluate.ts'
import { markNow, readAllChangedSince } from './incremental-evaluation/changed-profiles.ts'
import { reevaluateProfiles } from './incremental-evaluation/reevaluate-profiles.ts'
import { type AudienceRow, audienceName, readKnown } from './read.ts'
import { comparesWithNow, lookUp } from './references.ts'
import type { AudienceServices } from './services.ts'
import { type Counts, lockAudience, Superseded, storeCounts, storeMembers } from './store-members.ts'

const computed = z.object({ audience: z.string(), version: z.number().int() })

/** The job that computes an audience in one version of its query. */
export const computeJob: JobKind<z.output<typeof computed>> = {
  name: 'compute-audience',
  data: computed,
  retries: { most: 5, pauseSeconds: 2, maxPauseSeconds: 60 },
  leaseSeconds: 60,
  maxSeconds: 10 * 60,
  atOnce: 1,
  exclusive: true,
  keepSeconds: 60 * 60,
}

type JobDeps = Pick<AudienceServices, 'jobs'>

/**
 * Queues the computation of an audience, which starts after the commit. Does nothing if the computation is already
 * queued.
 */
export const queueCompute = async (
  db: JobDb,
  { jobs }: JobDeps,
  { id, version }: Pick<AudienceRow, 'id' | 'version'>,
): Promise<void> => {
  // A new version gets its own job while the previous version is computed. The job of the previous version then has no
  // effect.
  await jobs.send(db, computeJob, { audience: id, version }, { key: `${id}/${version}` })
}

/**
 * Computes an audience. Its members, their count and their entry times change together. Nothing changes if the audience
 * was deleted or has another version. A query that is too large fails with advice. While a store is unavailable, the
 * job is retried.
 */
export const computeAudience = async (
  deps: Pick<AudienceServices, 'db' | 'eventStore' | 'profileLedger' | 'clock' | 'storedBefore'> & {
    evaluation: Evaluation
  },
  { audience, version }: z.output<typeof computed>,
  { signal }: { signal: AbortSignal },
): Promise<void> => {
  const { db, clock, evaluation } = deps
  type Set = { state: 'failed'; failure: string } | { progress_step: AudienceStep; progress_share: number | null }
  const changed = (set: Set & { state?: 'computing' | 'failed' }) =>
    db
      .updateTable('audiences')
      .set(set)
      .where('id', '=', audience)
      .where('version', '=', version)
      .where('state', '<>', 'paused')
  // A live audience stays live: incremental evaluation continues during this computation.
  await changed({ state: 'computing', progress_step: 'waiting', progress_share: null })
    .where('state', '<>', 'live')
    .execute()
  // Progress is reported every half second. The writes run one after the other.
  let written: Promise<unknown> = Promise.resolve()
  const onProgress = ({ step, share }: AudienceProgress): Promise<void> => {
    const write = () =>
      changed({ progress_step: step, progress_share: share }).where('state', '=', 'computing').execute()
    // A failed write of the progress does not matter: the final state follows.
    written = written.then(write).catch(() => {})
    return written.then(() => {})
  }
  const row = await db
    .selectFrom('audiences')
    .selectAll()
    .where('id', '=', audience)
    .where('version', '=', version)
    .executeTakeFirst()
  if (row === undefined || row.state === 'paused') return
  const known = await readKnown(db, row.workspace_id)
  const own = known.find(({ name }) => name === audienceName(row.workspace_id, row.id))
  if (own === undefined) return
  const workspaceId = row.workspace_id
  const asOf = new Date(clock())
  const queryOf = lookUp(known)
  try {
    const mark = await markNow(db, workspaceId, (await deps.storedBefore?.(workspaceId).catch(() => '')) ?? '')
    await evaluation.run<Counts, void>(
      compileAudience(own.query, { workspaceId, asOf: asOf.getTime(), queryOf }),
      {
        before: (tx) => lockAudience(tx, row),
        text: storeMembers,
        params: [row.id, asOf, mark, workspaceId, row.as_of === null],
      },
      async (tx, [counts]) => {
        if (counts !== undefined) await storeCounts(tx, row, asOf, counts, mark)
      },
      { workspaceId, slot: 'heavy', signal, onProgress },
    )
    // Evaluates the profiles that `storeMembers` left unchanged, by their current values. The later time shows readers
    // that the members have changed.
    const profiles = await readAllChangedSince(db, workspaceId, mark)
    const later = new Date(Math.max(clock(), asOf.getTime() + 1))
    const audiences = [{ row, query: own.query }]
    await reevaluateProfiles(deps, { workspaceId, audiences, profiles, asOf: later, queryOf, signal })
  } catch (error) {
    if (error instanceof Superseded) return
    const failure = asApiError(error)
    const failed = failure instanceof AppError
    if (!signal.aborted)
      await changed({ state: 'failed', failure: failed ? failure.message : 'It could not be computed' }).execute()
    // A retry would not help, because the query is still too large.
    if (!failed || failure.code !== 400) throw error
  }
}

/** Minutes after which an audience is completely computed again: a live audience, and any other. */
const repairMinutes = { live: 60, others: 10 } as const
/** Maximum audiences with date comparisons that are queued per minute, the earliest first. */
const datedAtOnce = 5

type Waiting = { id: string; version: number; workspace_id: string; state: string; whole_time: Date | null }

/** Returns the audiences whose members change by the calendar. */
const datedOf = async (db: AudienceServices['db'], rows: readonly Waiting[]): Promise<Waiting[]> => {
  const found: Waiting[] = []
  for (const [workspaceId, own] of Map.groupBy(rows, ({ workspace_id }) => workspace_id)) {
    const known = await readKnown(db, workspaceId)
    const dated = new Set(known.filter(({ query }) => comparesWithNow(query, lookUp(known))).map(({ id }) => id))
    found.push(...own.filter(({ id }) => dated.has(id)))
  }
  return found
}

/**
 * Queues a computation of every audience that was not computed for some time. The computation finds changes that
 * incremental evaluation may have missed, and changes by the calendar. Call this function each minute.
 */
export const queueStaleAudiences = async ({
  db,
  jobs,
  clock,
}: Pick<AudienceServices, 'db' | 'jobs' | 'clock'>): Promise<void> => {
  const isOlder = ({ whole_time }: Waiting, minutes: number): boolean =>
    whole_time === null || whole_time.getTime() <= clock() - (minutes * 60 - 15) * 1000
  const rows = await db
    .selectFrom('audiences')
    .select(['id', 'version', 'workspace_id', 'state', 'whole_time'])
    .where('state', '<>', 'paused')
    .orderBy('whole_time')
    .execute()
  const stale = rows.filter((row) => isOlder(row, row.state === 'live' ? repairMinutes.live : repairMinutes.others))
  const others = rows.filter((row) => row.state === 'live' && isOlder(row, 1) && !stale.includes(row))
  const dated = (await datedOf(db, others)).slice(0, datedAtOnce)
  for (const row of [...stale, ...dated]) await queueCompute(db, { jobs }, row)
}
