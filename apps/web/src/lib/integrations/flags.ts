import { type FlagContext, type FlagKey, type FlagValues, flagDefaults } from '@tributary/contract'
import { create } from 'zustand'
import type { SessionState } from '../people/session.ts'

/**
 * The values of the flags: the defaults until the server has responded. flag-client.ts stores the values of the server.
 */
export const useFlags = create<FlagValues>()(() => flagDefaults)

/** Returns whether a part of the product is switched on. */
export const useFlag = (key: FlagKey): boolean => useFlags((values) => values[key])

/**
 * The context of the flags: the signed-in user, the session's organization, and the workspace of the page (the acted-on
 * one while acting on behalf). Absent values are omitted.
 */
export const flagContext = (
  {
    currentUserResourceName,
    session,
    actOnBehalfOf,
  }: Pick<SessionState, 'currentUserResourceName' | 'session' | 'actOnBehalfOf'>,
  workspaceId: string | undefined,
): FlagContext => {
  if (currentUserResourceName === null) return {}
  const own = workspaceId === undefined ? undefined : `workspaces/${workspaceId}`
  const workspace = actOnBehalfOf === null ? own : actOnBehalfOf.workspace.name
  return {
    user: currentUserResourceName,
    ...(session.organization === null ? {} : { organization: session.organization.name }),
    ...(workspace === undefined ? {} : { workspace }),
  }
}
