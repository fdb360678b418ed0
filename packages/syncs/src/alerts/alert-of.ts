import type { SyncAlerts } from '@tributary/contract'

/** The result of an ended run. */
export type EndedRun = {
  failed: boolean
  /** The reason if the run failed. */
  message: string
  read: number
  rejected: number
  /** The number of rows if none of them could be sent; otherwise 0. */
  unsent: number
  /** Duration of the run in ms; null if it never started. */
  milliseconds: number | null
}

/** Minimum number of ended runs from which a usual number of rows is computed. */
const minRuns = 3

const count = (rows: number): string => rows.toLocaleString('en-US')

/** Returns the median number of rows; undefined if there are too few runs. */
const usualOf = (reads: readonly number[]): number | undefined =>
  reads.length < minRuns ? undefined : reads.toSorted((a, b) => a - b)[Math.floor(reads.length / 2)]

/** Returns the alert for a run that has not ended after this number of ms; '' for no alert. */
export const slowAlertOf = ({ minutes }: Pick<SyncAlerts, 'minutes'>, milliseconds: number): string =>
  minutes === null || milliseconds <= minutes * 60_000
    ? ''
    : `The run has not ended after ${count(minutes)} ${minutes === 1 ? 'minute' : 'minutes'}`

/**
 * Returns the alert for an ended run by the rules of its sync; '' for no alert. `before` has the numbers of rows that
 * the last complete runs read.
 */
export const alertOf = (
  { failed, rejected_percent, minutes, rows_percent }: SyncAlerts,
  run: EndedRun,
  before: readonly number[],
): string => {
  if (run.failed) return failed ? `The run failed: ${run.message}` : ''
  const found: string[] = []
  if (rejected_percent !== null && run.rejected * 100 > rejected_percent * run.read)
    found.push(
      `${count(run.rejected)} of ${count(run.read)} rows were rejected, which is more than ${rejected_percent}%`,
    )
  if (run.unsent > 0 && found.length === 0 && (failed || rejected_percent !== null))
    found.push(`No row could be sent: ${count(run.unsent)} of ${count(run.read)} rows are invalid or were rejected`)
  const took = (run.milliseconds ?? 0) / 60_000
  if (minutes !== null && took > minutes)
    found.push(`The run took ${count(Math.ceil(took))} minutes, which is more than ${count(minutes)}`)
  const usual = usualOf(before)
  if (rows_percent !== null && usual !== undefined && Math.abs(run.read - usual) * 100 > rows_percent * usual)
    found.push(`${count(run.read)} rows were read, and ${count(usual)} are usual`)
  return found.join('. ')
}
