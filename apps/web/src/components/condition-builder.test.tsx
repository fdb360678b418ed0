// @vitest-environment happy-dom

import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { EventConditions } from '@tributary/contract'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { conditionProblems } from '../lib/events/condition-words.ts'
import { renderUi } from '../testing/render.tsx'
import { ConditionBuilder } from './condition-builder.tsx'

const show = (start: EventConditions, options: { checked?: boolean; disabled?: boolean } = {}) => {
  let last = start
  const Owner = () => {
    const [value, setValue] = useState(start)
    return (
      <ConditionBuilder
        label="Filter"
        value={value}
        disabled={options.disabled ?? false}
        problems={options.checked ? conditionProblems(value.conditions) : {}}
        onChange={(next) => {
          last = next
          setValue(next)
        }}
      />
    )
  }
  renderUi(<Owner />)
  return () => last
}

const none: EventConditions = { match: 'all', conditions: [] }
const two: EventConditions = {
  match: 'all',
  conditions: [
    { id: 'aaaa', field: 'event', operator: 'equals', value: 'Order Completed' },
    { id: 'bbbb', field: 'properties.total', operator: 'greater_than', value: '100' },
  ],
}

test('an added condition has an ID of 4 characters, its field gets the focus, and typed text is used unchanged', async () => {
  const value = show(none)
  expect(screen.getByText('No conditions. Every event matches.')).toBeTruthy()
  const user = userEvent.setup()
  await user.click(screen.getByRole('button', { name: 'Add condition' }))
  expect(document.activeElement).toBe(screen.getByRole('combobox', { name: 'Field of condition 1' }))
  await user.keyboard('properties.plan')
  await user.selectOptions(screen.getByRole('combobox', { name: 'Comparison of condition 1' }), 'starts with')
  await user.type(screen.getByRole('textbox', { name: 'Value of condition 1' }), 'pro')
  expect(value().conditions).toEqual([
    { id: expect.stringMatching(/^[0-9A-Za-z]{4}$/), field: 'properties.plan', operator: 'starts_with', value: 'pro' },
  ])
})

test('the choice between all and any appears only with more than one condition', async () => {
  const value = show(two)
  const user = userEvent.setup()
  await user.selectOptions(screen.getByRole('combobox', { name: 'Match all or any conditions' }), 'any')
  expect(value().match).toBe('any')
  await user.click(screen.getByRole('button', { name: 'Remove condition 1' }))
  expect(value().conditions.map(({ id }) => id)).toEqual(['bbbb'])
  expect(screen.queryByRole('combobox', { name: 'Match all or any conditions' })).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('combobox', { name: 'Field of condition 1' }))
})

test('an operator without a value hides the value field', async () => {
  const value = show(two)
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Comparison of condition 2' }), 'exists')
  expect(screen.queryByRole('textbox', { name: 'Value of condition 2' })).toBeNull()
  expect(value().conditions[1]).toEqual({ id: 'bbbb', field: 'properties.total', operator: 'exists', value: '' })
})

test('an error of a condition is shown at its row', () => {
  show(
    { match: 'all', conditions: [...two.conditions, { id: 'cccc', field: 'type', operator: 'equals', value: '' }] },
    { checked: true },
  )
  const value = screen.getByRole('textbox', { name: 'Value of condition 3' })
  expect(value.getAttribute('aria-invalid')).toBe('true')
  expect(document.getElementById(value.getAttribute('aria-describedby') ?? '')?.textContent).toBe('Enter a value')
})

test('a user without edit permission sees the conditions without any controls', () => {
  show(two, { disabled: true })
  expect(screen.queryByRole('button')).toBeNull()
})
