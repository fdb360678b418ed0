import { setImmediate } from 'node:timers/promises'
import { eventBudget, spending, TooMuchWork } from '@tributary/connector-kit'
import { compileFilter, type EventConditions } from '@tributary/contract'
import { resumeWork, takeTurn, type WorkShare } from '@tributary/kernel'
import { refuseScope } from './scope.ts'

/** Conditions that many events of a workspace are asked, within its share of the thread. */
export type FilterWork = {
  /**
   * Whether an event meets them: it has the work that deliveries have for one event, and its time is charged to the
   * workspace. Throws 400 where that work does not do.
   */
  meets(event: () => unknown): boolean
  /** Ms until the workspace may ask more; 0 for one within its share. */
  wait(): number
  /** Resolves when it is the workspace's turn. Rejects with 429 when too much of it waits. */
  turn(): Promise<void>
  /** Lets other work of the thread run after every few events. */
  rest(): Promise<void>
}

/** Events between two rounds of the event loop: 12 ms of work that is not charged at most. */
const atOnce = 50

/** Makes conditions ready for many events. */
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
