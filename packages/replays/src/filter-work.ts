import { setImmediate } from 'node:timers/promises'
import { eventBudget, spending, TooMuchWork } from '@tributary/connector-kit'
import { compileFilter, type EventConditions } from '@tributary/contract'
import { resumeWork, takeTurn, type WorkShare } from '@tributary/kernel'
import { refuseScope } from './scope.ts'

/** Evaluates conditions on many events within the workspace's share of the thread. */
export type FilterWork = {
  /**
   * Whether an event meets the conditions. The evaluation has the work limit of one event in deliveries, and its time
   * is charged to the workspace. Throws 400 if it exceeds that limit.
   */
  meets(event: () => unknown): boolean
  /** Returns the time in ms until the workspace may continue; 0 if it has not used up its share. */
  wait(): number
  /** Resolves when it is the workspace's turn. Rejects with 429 if too many calls of the workspace wait. */
  turn(): Promise<void>
  /** Yields to other work of the thread after every few events. */
  rest(): Promise<void>
}

/** Number of events after which the event loop gets a turn. They cause at most 12 ms of work that is not charged. */
const atOnce = 50

/** Prepares conditions for many events. */
export const createFilterWork = (share: WorkShare, workspaceId: string, filter: EventConditions): FilterWork => {
  const ready = compileFilter(filter)
  let asked = 0
  return {
    meets(event) {
      asked++
      try {
        return share.run(workspaceId, () => ready(event(), spending({ work: eventBudget.work })))
      } catch (error) {
        if (!(error instanceof TooMuchWork)) throw error
        throw refuseScope(
          'filter',
          'The conditions read too much of each event. Use fewer conditions, or shorter fields',
        )
      }
    },
    wait: () => share.wait(workspaceId),
    async turn() {
      if (share.wait(workspaceId) > 0) await takeTurn(share, workspaceId, () => {})
    },
    async rest() {
      if (asked < atOnce) return
      asked = 0
      await setImmediate()
      resumeWork()
    },
  }
}
