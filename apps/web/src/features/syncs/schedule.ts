import type { Sync } from '@tributary/contract'

/** When a sync runs, as it is shown and entered. */
export type Schedule = Pick<Sync, 'interval_minutes' | 'cron' | 'after'>

/** It runs only when a user starts it. */
export const manual: Schedule = { interval_minutes: null, cron: null, after: null }

/** The schedule of a sync. */
export const scheduleOf = ({ interval_minutes, cron, after }: Sync): Schedule => ({ interval_minutes, cron, after })

/** The errors that prevent saving a schedule; undefined for a valid one. The server checks the expression. */
export const scheduleProblem = ({ cron, after }: Schedule): string | undefined => {
  if (after?.name === '') return 'Choose a sync'
  if (cron === null) return undefined
  return cron.expression.trim() === '' ? 'Enter a cron expression' : undefined
}

/** The request for a schedule: the one way in which it starts runs. */
export const scheduleInput = ({ interval_minutes, cron, after }: Schedule) => {
  if (after !== null) return { after: after.name }
  return cron === null ? { interval_minutes } : { cron: { ...cron, expression: cron.expression.trim() } }
}
