import { expect, test } from 'vitest'
import { checkDefinition, newDefinition, traitError, withCondition } from './builder-draft.ts'

test('a definition is validated as on the server, with errors by field', () => {
  const count = { ...newDefinition(), event: 'Order Completed' }
  expect(checkDefinition(count)).toEqual({ definition: count })
  expect(checkDefinition(newDefinition())).toEqual({
    errors: { fields: { event: 'Required' }, conditions: new Map() },
  })
  expect(checkDefinition({ ...count, operation: 'sum' })).toEqual({
    errors: { fields: { property: 'Required' }, conditions: new Map() },
  })
})

test("an error of a condition is found by the condition's ID, and each condition has its own ID", () => {
  const two = withCondition(withCondition({ ...newDefinition(), event: 'Order Completed' }))
  const [first, second] = two.conditions
  expect(first?.id).not.toBe(second?.id)
  const named = {
    ...two,
    conditions: two.conditions.map((each) => (each === first ? { ...each, name: 'plan', value: 'team' } : each)),
  }
  expect(checkDefinition(named)).toEqual({
    errors: { fields: {}, conditions: new Map([[second?.id, { name: 'Required', value: 'Required' }]]) },
  })
})

test('the name of a trait is required, and has no brackets', () => {
  expect(traitError('orders_30_days')).toBeUndefined()
  expect(traitError(' ')).toBe('Required')
  expect(traitError('orders[0]')).toMatch(/^Use letters/)
})
