import { defaultSyncAlerts } from '@tributary/contract'
import { expect, test } from 'vitest'
import { alertProblem, alertsInput, alertsOf } from './alert-rules.ts'

test('alerts are shown and saved unchanged, and an empty value is never an alert', () => {
  const alerts = { failed: false, rejected_percent: 0, minutes: 90, rows_percent: null }
  expect(alertsInput(alerts)).toEqual({ failed: false, rejected_percent: '0', minutes: '90', rows_percent: '' })
  for (const each of [alerts, defaultSyncAlerts]) expect(alertsOf(alertsInput(each))).toEqual(each)
})

test.each(['1a', '-1', '1.5', '101'])(
  'a share of %s percent is refused with the reason, and nothing is saved',
  (text) => {
    expect(alertProblem('rejected_percent', text)).toMatch(/^(Enter a whole number|At most 100)$/)
    expect(alertsOf({ ...alertsInput(defaultSyncAlerts), rejected_percent: text })).toBeUndefined()
  },
)
