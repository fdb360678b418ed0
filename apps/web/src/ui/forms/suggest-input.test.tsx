// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { SuggestInput } from './suggest-input.tsx'

const Chooser = ({ suggestions }: { suggestions: readonly string[] }) => {
  const [value, setValue] = useState('')
  return (
    <SuggestInput
      aria-label="Property"
      value={value}
      onChange={setValue}
      suggestions={suggestions.map((each) => ({ value: each }))}
    />
  )
}

test.each([
  ['without suggestions', []],
  ['when no suggestion fits', ['total']],
  ['when suggestions fit', ['position', 'position.x']],
])('Escape keeps the typed text, %s', async (_, suggestions) => {
  const user = userEvent.setup()
  renderUi(<Chooser suggestions={suggestions} />)
  const field = screen.getByRole<HTMLInputElement>('combobox', { name: 'Property' })
  await user.type(field, 'position')
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('listbox')).toBeNull()
  expect(field.value).toBe('position')
  await user.keyboard('{Escape}')
  expect(field.value).toBe('position')
})
