import type { Workspace } from '@tributary/contract'
import { isRecord } from '@tributary/kernel/record'

/** What a visit of `/` is told by a link that wants the choice, however many there are to choose from. */
export const choosing = { choosing: true } as const

/**
 * The workspace that somebody who comes to `/` goes straight into: their only one, unless they ask for the choice
 * (`state` is that of the visit). Undefined when there is something to choose or to set up first.
 */
export const straightInto = (workspaces: readonly Workspace[], state: unknown): Workspace | undefined => {
  const asked = isRecord(state) && 'choosing' in state
  const [only, ...others] = workspaces
  return asked || others.length > 0 || only === undefined || only.organization === null ? undefined : only
}
