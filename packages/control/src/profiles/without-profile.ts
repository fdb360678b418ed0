import { type EventCondition, readBlockedOwners, readSuppressed } from '@tributary/api-kit'
import type { ControlDeps } from '../deps.ts'

/**
 * Returns the condition that an event was accepted and has no profile. There are three reasons, as in the coverage of
 * profiles. None of its IDs can identify a user, the workspace blocks its ID, or its user was suppressed before it was
 * received.
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
