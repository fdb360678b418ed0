// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { CodeEditor } from './code-editor.tsx'

vi.mock('./code-mirror.ts', () => {
  throw new Error('cannot be loaded')
})

const Owner = () => {
  const [value, setValue] = useState('{}')
  return (
    <>
      <CodeEditor language="json" label="Body" value={value} onChange={setValue} invalid describedBy="note" />
      <output>{value}</output>
    </>
  )
}

test('MAP-17a: a plain text field replaces an editor that cannot be loaded', async () => {
  renderUi(<Owner />)
  const area = screen.getByRole('textbox', { name: 'Body' })
  expect(area.tagName).toBe('TEXTAREA')
  expect(area.getAttribute('aria-invalid')).toBe('true')
  expect(area.getAttribute('aria-describedby')).toBe('note')
  await userEvent.type(area, ' ')
  expect(screen.getByRole('status').textContent).toBe('{} ')
})
