import { conditionOperators } from '@tributary/contract'
import { expect, test } from 'vitest'
import { conditionProblems, conditionWords, filterWords, operatorWords } from './condition-words.ts'

const total = { id: 'aaaa', field: 'properties.total', operator: 'greater_than', value: '100' } as const
const coupon = { id: 'bbbb', field: 'properties.coupon', operator: 'exists', value: '' } as const

test('every operator has a unique text', () => {
  expect(new Set(conditionOperators.map((operator) => operatorWords[operator])).size).toBe(conditionOperators.length)
})

test('a condition is described in a sentence, and conditions are joined by their match setting', () => {
  expect(conditionWords(total)).toBe('properties.total is greater than “100”')
  expect(conditionWords(coupon)).toBe('properties.coupon exists')
  expect(filterWords({ match: 'any', conditions: [total, coupon] })).toBe(
    'properties.total is greater than “100” or properties.coupon exists',
  )
  expect(filterWords({ match: 'all', conditions: [] })).toBe('')
})

test('a condition without a field or a required value is reported by its ID', () => {
  expect(conditionProblems([total, coupon])).toEqual({})
  expect(
    conditionProblems([
      { ...total, field: ' ' },
      { ...coupon, operator: 'equals' },
    ]),
  ).toEqual({ aaaa: 'Choose a field', bbbb: 'Enter a value' })
})
