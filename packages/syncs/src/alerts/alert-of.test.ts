import { expect, test } from 'vitest'
import { alertOf, slowAlertOf } from './alert-of.ts'

const rules = { failed: true, rejected_percent: 5, minutes: 30, rows_percent: 50 }
const none = { failed: false, rejected_percent: null, minutes: null, rows_percent: null }
const run = { failed: false, message: '', read: 1000, rejected: 0, unsent: 0, milliseconds: 60_000 }
const before = [1000, 990, 1010]

test.each([
  ['as usual', {}, ''],
  ['with as many rejected rows as may be', { rejected: 50 }, ''],
  ['with more of them', { rejected: 51 }, '51 of 1,000 rows were rejected, which is more than 5%'],
  [
    'of which none could be sent',
    { unsent: 1000 },
    'No row could be sent: 1,000 of 1,000 rows are invalid or were rejected',
  ],
  [
    'of which all were rejected',
    { rejected: 1000, unsent: 1000 },
    '1,000 of 1,000 rows were rejected, which is more than 5%',
  ],
  ['as long as it may be', { milliseconds: 30 * 60_000 }, ''],
  ['longer', { milliseconds: 30 * 60_000 + 1 }, 'The run took 31 minutes, which is more than 30'],
  ['half as large as usual', { read: 500 }, ''],
  ['smaller', { read: 499 }, '499 rows were read, and 1,000 are usual'],
  ['larger than usual', { read: 1501 }, '1,501 rows were read, and 1,000 are usual'],
  ['without rows', { read: 0 }, '0 rows were read, and 1,000 are usual'],
  ['failed', { failed: true, message: 'No such table' }, 'The run failed: No such table'],
])('a run %s causes the alert of its rules, and no alert without rules', (_, some, alert) => {
  expect(alertOf(rules, { ...run, ...some }, before)).toBe(alert)
  expect(alertOf(none, { ...run, ...some }, before)).toBe('')
})

test('the usual number of rows needs three earlier runs', () => {
  expect(alertOf(rules, { ...run, read: 1 }, before.slice(1))).toBe('')
  expect(alertOf(rules, { ...run, read: 1 }, before)).not.toBe('')
})

test('several alerts of one run are joined into one text', () => {
  expect(alertOf(rules, { ...run, rejected: 999, milliseconds: 60 * 60_000 }, before).split('. ')).toHaveLength(2)
})

test('an active run causes an alert once it takes longer than its rule allows, and never without a rule', () => {
  expect(slowAlertOf(rules, 30 * 60_000)).toBe('')
  expect(slowAlertOf(rules, 30 * 60_000 + 1)).toBe('The run has not ended after 30 minutes')
  expect(slowAlertOf({ minutes: 1 }, 90_000)).toBe('The run has not ended after 1 minute')
  expect(slowAlertOf(none, 1e12)).toBe('')
})
