import { expect, test } from 'vitest'
import { alertOf, slowAlertOf } from './alert-of.ts'

const rules = { failed: true, rejected_percent: 5, minutes: 30, rows_percent: 50 }
const none = { failed: false, rejected_percent: null, minutes: null, rows_percent: null }
const run = { failed: false, message: '', read: 1000, rejected: 0, milliseconds: 60_000 }
const before = [1000, 990, 1010]

test.each([
  ['as usual', {}, ''],
  ['with as many rejected rows as may be', { rejected: 50 }, ''],
  ['with more of them', { rejected: 51 }, '51 of 1,000 rows were rejected, which is more than 5%'],
  ['as long as it may be', { milliseconds: 30 * 60_000 }, ''],
  ['longer', { milliseconds: 30 * 60_000 + 1 }, 'The run took 31 minutes, which is more than 30'],
  ['half as large as usual', { read: 500 }, ''],
  ['smaller', { read: 499 }, '499 rows were read, and 1,000 are usual'],
  ['larger than usual', { read: 1501 }, '1,501 rows were read, and 1,000 are usual'],
  ['without rows', { read: 0 }, '0 rows were read, and 1,000 are usual'],
  ['failed', { failed: true, message: 'No such table' }, 'The run failed: No such table'],
])('a run %s is told as the rules say, and not without rules', (_, some, told) => {
  expect(alertOf(rules, { ...run, ...some }, before)).toBe(told)
  expect(alertOf(none, { ...run, ...some }, before)).toBe('')
})

test('how many rows are usual is known after three runs', () => {
  expect(alertOf(rules, { ...run, read: 1 }, before.slice(1))).toBe('')
  expect(alertOf(rules, { ...run, read: 1 }, before)).not.toBe('')
})

test('one run is told of for several reasons', () => {
  expect(alertOf(rules, { ...run, rejected: 999, milliseconds: 60 * 60_000 }, before).split('. ')).toHaveLength(2)
})

test('a run under way is told of once it takes longer than it may, and not without a rule', () => {
  expect(slowAlertOf(rules, 30 * 60_000)).toBe('')
  expect(slowAlertOf(rules, 30 * 60_000 + 1)).toBe('The run has not ended after 30 minutes')
  expect(slowAlertOf({ minutes: 1 }, 90_000)).toBe('The run has not ended after 1 minute')
  expect(slowAlertOf(none, 1e12)).toBe('')
})
