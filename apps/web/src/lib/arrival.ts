import type { Workspace } from '@tributary/contract'
import { isRecord } from '@tributary/kernel/record'

/** State of a visit of `/` that follows a sign-in. */
export const justSignedIn = { justSignedIn: true } as const

/**
 * The workspace that a person is led on to from `/`: their only one, and only right after a sign-in (`state` is that of the
 * visit). Undefined where the page shows the selection.
 */
export const onlyWorkspace = (workspaces: readonly Workspace[], state: unknown): Workspace | undefined => {
  const [only, ...others] = workspaces
  if (!isRecord(state) || !('justSignedIn' in state) || others.length > 0) return undefined
  return only === undefined || only.organization === null ? undefined : only
}
