import { audit, changesOf, type Tx } from '@tributary/api-kit'
import {
  type AudienceRow,
  audienceName,
  checkDependents,
  checkList,
  checkReferences,
  lockAudiences,
  queueCompute,
  setAudience,
} from '@tributary/audiences'
import type { AudienceQuery } from '@tributary/contract'
import { type Actor, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { checkVersion, keepVersion } from './versions/versions.ts'

/**
 * The new state of an audience. `version` is the version on which the change is based; `restored` is the earlier
 * version that the change restores.
 */
export type Change = {
  title?: string | undefined
  query?: AudienceQuery | undefined
  version?: number | undefined
  restored?: number
  /** Further details for the audit log. */
  detail?: Record<string, string | number>
}

/**
 * Stores a change of an audience as a new version and queues its computation. Stores nothing if the audience would stay
 * the same. Throws 404 if the audience does not exist, 409 if its version has changed since, and 400 for an invalid
 * query.
 */
export const changeAudience = async (
  tx: Tx,
  { jobs, clock }: Pick<ControlDeps, 'jobs' | 'clock'>,
  { id, workspace_id }: Pick<AudienceRow, 'id' | 'workspace_id'>,
  actor: Actor,
  { title, query, version, restored, detail }: Change,
): Promise<void> => {
  const time = new Date(clock())
  const known = await lockAudiences(tx, workspace_id)
  const row = await tx.selectFrom('audiences').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  if (row === undefined) throw notFound('audience not found')
  await checkVersion(tx, row, version)
  const name = audienceName(workspace_id, id)
  const asked = query !== undefined && JSON.stringify(query) !== row.query
  const renamed = title !== undefined && title !== row.title
  if (!asked && !renamed) return
  if (asked) {
    checkReferences(query, name, known)
    checkDependents(workspace_id, id, query, known)
    await checkList(tx, row, query)
  }
  const next = {
    version: row.version + 1,
    title: renamed ? title : row.title,
    query: asked ? JSON.stringify(query) : row.query,
  }
  await setAudience(tx, id, {
    ...next,
    ...(asked ? { state: 'computing', failure: '', progress_step: null, progress_share: null } : {}),
    author_id: actor.userId,
    update_time: time,
  })
  await keepVersion(tx, { id, ...next }, { actor, time, ...(restored === undefined ? {} : { restored }) })
  await audit(
    tx,
    name,
    {
      ...(renamed ? { title } : {}),
      version: next.version,
      ...detail,
      ...(restored === undefined ? {} : { restored_version: restored }),
    },
    {
      changes: changesOf(
        { title: row.title, query: JSON.parse(row.query) },
        { ...(renamed ? { title } : {}), ...(asked ? { query } : {}) },
      ),
    },
  )
  // The job computes this version only while it is the current version of the audience.
  await queueCompute(tx, { jobs }, { id, version: next.version })
}
