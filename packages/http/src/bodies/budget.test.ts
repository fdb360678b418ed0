import { expect, test } from 'vitest'
import { createBodyBudget } from './budget.ts'

test('an owner holds its share and no more, whatever is free', () => {
  const budget = createBodyBudget({ limit: 1000, share: 100 })
  expect([budget.take('a', 60), budget.take('a', 41), budget.take('a', 40)]).toEqual([true, false, true])
  expect([budget.usedBy('a'), budget.used()]).toEqual([100, 100])
  budget.give('a', 100)
  expect([budget.usedBy('a'), budget.used()]).toEqual([0, 0])
})

test('owners who take all they can leave something for the next, however many there are', () => {
  const budget = createBodyBudget({ limit: 1_000_000, share: 250_000 })
  for (let owner = 0; owner < 8; owner++) while (budget.take(`hostile ${owner}`, 100)) {}
  expect(budget.used()).toBeLessThan(1_000_000)
  expect(budget.take('tenant', 2000)).toBe(true)
})
