import { expect, test } from 'vitest'
import { manual, scheduleInput, scheduleProblem } from './schedule.ts'

const cron = { expression: ' 0 6 * * * ', time_zone: 'Europe/Berlin' }

test('the request for a schedule has only the one way in which it starts runs', () => {
  expect(scheduleInput(manual)).toEqual({ interval_minutes: null })
  expect(scheduleInput({ ...manual, interval_minutes: 60 })).toEqual({ interval_minutes: 60 })
  expect(scheduleInput({ ...manual, cron })).toEqual({ cron: { ...cron, expression: '0 6 * * *' } })
  expect(scheduleInput({ ...manual, after: { name: 'workspaces/w1/syncs/s2', title: 'Orders' } })).toEqual({
    after: 'workspaces/w1/syncs/s2',
  })
})

test('a cron schedule without an expression, and a schedule after another sync without that sync, is reported', () => {
  expect(scheduleProblem(manual)).toBeUndefined()
  expect(scheduleProblem({ ...manual, cron })).toBeUndefined()
  expect(scheduleProblem({ ...manual, cron: { ...cron, expression: ' ' } })).toBe('Enter a cron expression')
  expect(scheduleProblem({ ...manual, after: { name: '', title: '' } })).toBe('Choose a sync')
})
