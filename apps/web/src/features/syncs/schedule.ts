import type { Sync } from '@tributary/contract'

/** When a sync runs, in the form in which it is shown and entered. */
export type Schedule = Pick<Sync, 'interval_minutes' | 'cron' | 'after'>

/** The schedule of a sync that runs only when a user starts it. */
export const manual: Schedule = { interval_minutes: null, cron: null, after: null }

/** The schedule of a sync. */
export const scheduleOf = ({ interval_minutes, cron, after }: Sync): Schedule => ({ interval_minutes, cron, after })

/**
 * Returns the error that prevents saving a schedule, or undefined if it is valid. The server checks the cron
 * expression.
 */
export const scheduleProblem = ({ cron, after }: Schedule): string | undefined => {
  if (after?.name === '') return 'Choose a sync'
  if (cron === null) return undefined
  return cron.expression.trim() === '' ? 'Enter a cron expression' : undefined
}

/** Returns the request for a schedule, which has only the one way in which the schedule starts runs. */
export const scheduleInput = ({ interval_minutes, cron, after }: Schedule) => {
  if (after !== null) return { after: after.name }
  return cron === null ? { interval_minutes } : { cron: { ...cron, expression: cron.expression.trim() } }
}
