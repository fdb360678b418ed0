import { asApiError } from '@tributary/api-kit'
import { AppError } from '@tributary/kernel'
import type { JobDb, JobKind } from '@tributary/storage'
import { z } from 'zod'
import type { ControlDeps } from '../deps.ts'
import { compileAudience } from './compile.ts'
import type { Evaluation } from './evaluate.ts'
import { type AudienceRow, audienceName, readKnown } from './read.ts'
import { lookUp } from './references.ts'
import { type Counts, Superseded, storeCounts, storeMembers } from './store-members.ts'

const computed = z.object({ audience: z.string(), version: z.number().int() })

/** Computes an audience in one version of its query. */
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

type JobDeps = Pick<ControlDeps, 'jobs'>

/** Has an audience computed once the transaction is committed; nothing when that is about to happen anyway. */
export const queueCompute = async (
  db: JobDb,
  { jobs }: JobDeps,
  { id, version }: Pick<AudienceRow, 'id' | 'version'>,
): Promise<void> => {
  // Of a new version, too, while the one before is computed: that one ends without effect.
  await jobs.send(db, computeJob, { audience: id, version }, { key: `${id}/${version}` })
}

/**
 * Computes an audience: who is in it, how many and since when change together. A version that is no longer the audience's, or an
 * audience that is gone, is left alone. What takes too much fails with advice; while a store is away it is tried again.
 */
export const computeAudience = async (
  deps: Pick<ControlDeps, 'db' | 'clock'> & { evaluation: Evaluation },
  { audience, version }: z.output<typeof computed>,
  { signal }: { signal: AbortSignal },
): Promise<void> => {
  const { db, clock, evaluation } = deps
  const changed = (set: { state: 'computing' } | { state: 'failed'; failure: string }) =>
    db.updateTable('audiences').set(set).where('id', '=', audience).where('version', '=', version)
  const row = await changed({ state: 'computing' }).returningAll().executeTakeFirst()
  if (row === undefined) return
  const known = await readKnown(db, row.workspace_id)
  const own = known.find(({ name }) => name === audienceName(row.workspace_id, row.id))
  if (own === undefined) return
  const asOf = new Date(clock())
  try {
    const compiled = compileAudience(own.query, {
      workspaceId: row.workspace_id,
      asOf: asOf.getTime(),
      queryOf: lookUp(known),
    })
    await evaluation.run<Counts, void>(
      compiled,
      { text: storeMembers, params: [row.id, asOf] },
      async (tx, [counts]) => {
        if (counts !== undefined) await storeCounts(tx, row, asOf, counts)
      },
      { workspaceId: row.workspace_id, slot: 'heavy', signal },
    )
  } catch (error) {
    if (error instanceof Superseded) return
    const failure = asApiError(error)
    const failed = failure instanceof AppError
    if (!signal.aborted)
      await changed({ state: 'failed', failure: failed ? failure.message : 'It could not be computed' }).execute()
    // What takes too much takes it the next time, too.
    if (!failed || failure.code !== 400) throw error
  }
}

/** Minutes after which an audience is computed again. */
export const computeEveryMinutes = 10

/** Has every audience computed that was not for a while: windows move, and events and profiles change. */
export const queueStaleAudiences = async ({
  db,
  jobs,
  clock,
}: Pick<ControlDeps, 'db' | 'jobs' | 'clock'>): Promise<void> => {
  const stale = await db
    .selectFrom('audiences')
    .select(['id', 'version'])
    .where((where) =>
      where.or([
        where('as_of', 'is', null),
        where('as_of', '<=', new Date(clock() - (computeEveryMinutes * 60 - 30) * 1000)),
      ]),
    )
    .orderBy('as_of')
    .execute()
  for (const row of stale) await queueCompute(db, { jobs }, row)
}
