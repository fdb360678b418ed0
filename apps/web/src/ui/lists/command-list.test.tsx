// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { CommandList } from './command-list.tsx'

const act = vi.fn()
const entries = ['Sources', 'Destinations', 'Sign out'].map((label) => ({
  id: label,
  label,
  icon: null,
  act: () => act(label),
}))

const Palette = () => {
  const [open, setOpen] = useState(true)
  const [text, setText] = useState('')
  const items = entries.filter(({ label }) => label.toLowerCase().includes(text))
  return (
    <CommandList
      open={open}
      onClose={() => setOpen(false)}
      text={text}
      onText={setText}
      groups={items.length === 0 ? [] : [{ heading: 'Go to', items }]}
      busy={false}
      empty={`Nothing matches ${text}`}
    />
  )
}

test('a command list is a combobox with the first option selected; arrows move, and Enter acts once and closes', async () => {
  renderUi(<Palette />)
  const box = await screen.findByRole('combobox', { name: 'Search or run a command' })
  expect(document.activeElement).toBe(box)
  const list = screen.getByRole('listbox')
  expect(box.getAttribute('aria-controls')).toBe(list.id)
  expect(within(list).getByRole('group', { name: 'Go to' })).toBeTruthy()
  const chosen = () => document.querySelector(`[id="${box.getAttribute('aria-activedescendant')}"]`)?.textContent
  await vi.waitFor(() => expect(chosen()).toBe('Sources'))
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  expect(chosen()).toBe('Sign out')
  expect(screen.getByRole('option', { selected: true }).textContent).toBe('Sign out')
  await userEvent.keyboard('dest')
  await vi.waitFor(() => expect(chosen()).toBe('Destinations'))
  expect(screen.getByText('1 result')).toBeTruthy()
  await userEvent.keyboard('{Enter}')
  expect(act).toHaveBeenCalledExactlyOnceWith('Destinations')
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('a command list without a match shows a text, and Enter does nothing', async () => {
  act.mockClear()
  renderUi(<Palette />)
  await userEvent.type(await screen.findByRole('combobox'), 'zzz')
  expect(screen.getByText('Nothing matches zzz')).toBeTruthy()
  expect(screen.queryAllByRole('option')).toEqual([])
  await userEvent.keyboard('{Enter}')
  expect(act).not.toHaveBeenCalled()
  expect(screen.getByRole('dialog', { name: 'Command palette' })).toBeTruthy()
})
