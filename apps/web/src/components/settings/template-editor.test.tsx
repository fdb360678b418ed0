// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { TemplateEditor } from './template-editor.tsx'

// Uses the plain text field, because it appears immediately.
vi.mock('../../ui/code/code-mirror.ts', () => {
  throw new Error('cannot be loaded')
})

const show = (props: { disabled?: boolean; error?: string } = {}) => {
  const onChange = vi.fn()
  renderUi(
    <Field label="Template" error={props.error} errorAsCode>
      {(control) => (
        <TemplateEditor
          control={control}
          value="{{ body | json }}"
          onChange={onChange}
          disabled={props.disabled ?? false}
        />
      )}
    </Field>,
  )
  return onChange
}

test('MAP-12: the variables and filters for a template are listed', () => {
  show()
  expect(screen.getByRole('group', { name: 'Variables' }).textContent).toBe('Variablesbodyheadersquerynow')
  expect(
    [...screen.getByRole('group', { name: 'Filters' }).querySelectorAll('button')].map((button) => button.textContent),
  ).toEqual(['append', 'prepend', 'capitalize', 'downcase', 'upcase', 'ceil', 'floor', 'plus', 'date', 'json'])
})

test('an error is linked to the editor, and keeps its line breaks', () => {
  show({ error: 'Error at >> 1| {{\n      ^' })
  const area = screen.getByRole('textbox', { name: 'Template' })
  expect(area.getAttribute('aria-invalid')).toBe('true')
  const described = document.getElementById(area.getAttribute('aria-describedby') ?? '')
  expect(described?.querySelector('code')?.textContent).toBe('Error at >> 1| {{\n      ^')
})

test('a user without edit permission can read the template', () => {
  show({ disabled: true })
  expect(screen.getByRole('textbox', { name: 'Template' }).hasAttribute('readonly')).toBe(true)
  expect(screen.getByRole('button', { name: 'Insert body' }).hasAttribute('disabled')).toBe(true)
})
