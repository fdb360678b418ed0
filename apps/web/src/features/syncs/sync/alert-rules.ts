import { type SyncAlerts, syncAlerts } from '@tributary/contract'

/** The alert conditions of a sync as a user enters them: each number as its digits, or '' for no alert. */
export type AlertsInput = { failed: boolean; rejected_percent: string; minutes: string; rows_percent: string }

/** The alert conditions that are numbers. */
export const numberAlerts = ['rejected_percent', 'minutes', 'rows_percent'] as const
export type NumberAlert = (typeof numberAlerts)[number]

const textOf = (value: number | null): string => (value === null ? '' : String(value))

/** Returns the saved alert conditions of a sync in the form in which a user edits them. */
export const alertsInput = (alerts: SyncAlerts): AlertsInput => ({
  failed: alerts.failed,
  rejected_percent: textOf(alerts.rejected_percent),
  minutes: textOf(alerts.minutes),
  rows_percent: textOf(alerts.rows_percent),
})

/** The entered number; null for an empty text, and NaN for an invalid one. */
const numberOf = (text: string): number | null => {
  const digits = text.trim()
  if (digits === '') return null
  return /^\d+$/.test(digits) ? Number(digits) : Number.NaN
}

/** Why an entered number cannot be saved; undefined when it can. */
export const alertProblem = (rule: NumberAlert, text: string): string | undefined => {
  const number = numberOf(text)
  if (Number.isNaN(number)) return 'Enter a whole number'
  return syncAlerts.shape[rule].safeParse(number).error?.issues[0]?.message
}

/** Returns the entered alert conditions, or undefined if one of them cannot be saved. */
export const alertsOf = (input: AlertsInput): SyncAlerts | undefined =>
  numberAlerts.some((rule) => alertProblem(rule, input[rule]) !== undefined)
    ? undefined
    : {
        failed: input.failed,
        rejected_percent: numberOf(input.rejected_percent),
        minutes: numberOf(input.minutes),
        rows_percent: numberOf(input.rows_percent),
      }
