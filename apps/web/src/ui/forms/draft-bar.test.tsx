// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { DraftBar } from './draft-bar.tsx'

const button = (name: string): HTMLElement => screen.getByRole('button', { name })
const disabled = (name: string): boolean => button(name).hasAttribute('disabled')

const show = (more: Partial<Parameters<typeof DraftBar>[0]> = {}) => {
  const calls = { onSave: vi.fn(), onDiscard: vi.fn(), undo: vi.fn() }
  renderUi(
    <DraftBar
      of="schema"
      draft={{ words: '2 events added', canUndo: true, undo: calls.undo }}
      saving={false}
      blocked={false}
      error={null}
      onSave={calls.onSave}
      onDiscard={calls.onDiscard}
      {...more}
    />,
  )
  return calls
}

test('unsaved changes are described, and saved or undone together', async () => {
  const { onSave, undo } = show()
  expect(screen.getByRole('region', { name: 'Unsaved changes' }).textContent).toContain('Not saved: 2 events added')
  await userEvent.click(button('Save schema'))
  expect(onSave).toHaveBeenCalledTimes(1)
  await userEvent.click(button('Undo'))
  expect(undo).toHaveBeenCalledTimes(1)
})

test('changes are discarded only after a confirmation that says what would be lost', async () => {
  const { onDiscard } = show()
  await userEvent.click(button('Discard'))
  expect(screen.getByRole('dialog', { name: 'Discard your changes?' }).textContent).toContain('2 events added')
  await userEvent.click(button('Keep editing'))
  expect(onDiscard).not.toHaveBeenCalled()
  await userEvent.click(button('Discard'))
  await userEvent.click(button('Discard'))
  expect(onDiscard).toHaveBeenCalledTimes(1)
})

test("saving never overwrites another user's version, and undo reverts only changes of this user", () => {
  show({ blocked: true, draft: { words: 'order changed', canUndo: false, undo: vi.fn() } })
  expect(disabled('Save schema')).toBe(true)
  expect(disabled('Undo')).toBe(true)
  expect(disabled('Discard')).toBe(false)
})

test('changes stay unchanged while they are being saved, and a refusal is shown', () => {
  show({ of: 'mappings', saving: true, error: new Error('a field is unknown') })
  expect(disabled('Discard')).toBe(true)
  expect(disabled('Undo')).toBe(true)
  expect(screen.getByRole('alert').textContent).toBe('The mappings were not saved: a field is unknown')
})
