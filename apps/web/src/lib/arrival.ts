import type { Workspace } from '@tributary/contract'
import { isRecord } from '@tributary/kernel/record'

/** The state of a visit of `/` right after a sign-in. */
export const justSignedIn = { justSignedIn: true } as const

/**
 * Returns the workspace that opens instead of the page at `/`. It is the only workspace of the user, and opens only
 * right after a sign-in (`state` is that of the visit). Undefined if the page shows the selection.
 */
export const onlyWorkspace = (workspaces: readonly Workspace[], state: unknown): Workspace | undefined => {
  const [only, ...others] = workspaces
  if (!isRecord(state) || !('justSignedIn' in state) || others.length > 0) return undefined
  return only === undefined || only.organization === null ? undefined : only
}
