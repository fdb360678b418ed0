import { type EventCondition, readBlockedOwners, readSuppressed } from '@tributary/api-kit'
import type { ControlDeps } from '../deps.ts'

/**
 * The condition that an event was accepted and has no profile. The reasons are those that the coverage of profiles counts. None of its IDs
 * is of a user, the workspace blocks the ID that it would belong to, or its user was suppressed before it came.
 */
export const withoutProfile = async (
  deps: Pick<ControlDeps, 'db' | 'eventStore' | 'profileLedger'>,
  workspaceId: string,
  signal: AbortSignal | undefined,
): Promise<EventCondition> => {
  const [suppressed, blocked] = await Promise.all([
    readSuppressed(deps.db, [workspaceId]),
    readBlockedOwners(deps, [workspaceId], signal),
  ])
  const any = ['owner = 0']
  if (blocked.length > 0) any.push('owner in {blocked_owners:Array(UInt64)}')
  if (suppressed !== undefined) any.push(suppressed.where)
  return {
    where: `status = 'accepted' and (${any.join(' or ')})`,
    params: { ...suppressed?.params, ...(blocked.length > 0 ? { blocked_owners: blocked } : {}) },
  }
}
